"""One version of a model: as it is in a workspace, or with a fault, a proposal, other constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from lockstep.campaign.task import shown_constant
from lockstep.language.faults import fault_constants
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.specs.tables import Plain
from lockstep.trace.claims import find_property
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Version:
    """A model as it is in one workspace; `revision` is where git has that workspace from.

    The constants take the place of those of each scope, and of those of the fault.
    """

    workspace: Workspace
    model: str
    fault: str | None = None
    proposal: str | None = None
    constants: Mapping[str, Plain] = field(default_factory=dict)
    revision: str | None = None

    def __str__(self) -> str:
        name = ".".join(filter(None, (self.model, self.fault, self.proposal)))
        if self.constants:
            values = (f"{key}={shown_constant(value)}" for key, value in self.constants.items())
            name = f"{name}@{','.join(values)}"
        return name if self.revision is None else f"{self.revision}:{name}"

    def over(self, constants: Mapping[str, object]) -> dict[str, object]:
        """Those of a scope, below the fault's, below those of this version."""
        return {**constants, **self.fault_constants, **self.constants}

    @property
    def fault_constants(self) -> Mapping[str, object]:
        """The constants that the fault sets; none without one."""
        return fault_constants(self.workspace.root, self.model, self.fault)

    def load(self, constants: Mapping[str, object], claim: str | None = None) -> Model:
        """The model with these constants and no others; `LockstepError` as of `load_model`.

        It has its lemmas, too, where nothing else in it is of the name `claim`.
        """
        load = partial(
            load_model,
            self.workspace.root,
            self.model,
            constants,
            fault=self.fault,
            proposal=self.proposal,
        )
        model = load()
        if claim in (None, DEADLOCK) or find_property(model, claim) is not None:
            return model
        return load(lemmas=True)
