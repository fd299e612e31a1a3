"""What a proof is about: one model at the widths of one of its proofs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError, nearest
from lockstep.language.faults import fault_constants
from lockstep.language.model import load_model
from lockstep.specs.scopes import DEFAULT_SCOPE, ProofScope, load_model_spec

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.specs.scopes import ModelSpec
    from lockstep.verbs.prove_request import Widths
    from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Subject:
    """One model at the widths of a proof, or of the `scope` that takes the place of one."""

    workspace: Workspace
    spec: ModelSpec
    proof: ProofScope
    scope: str | None
    widths: Widths

    def __str__(self) -> str:
        return f"{self.name} {self.proof.name}"

    @property
    def name(self) -> str:
        """The model's name."""
        return self.spec.name

    def load(self, changes: Mapping[str, object] | None = None, *, lemmas: bool = True) -> Model:
        """The model: the fault's constants, under the proof's, under those that are asked for.

        `changes` are constants over all these. LockstepError as of `load_model`.
        """
        root, fault = self.workspace.root, self.widths.fault
        constants = {
            **fault_constants(root, self.name, fault),
            **self.proof.constants,
            **self.widths.constants,
            **(changes or {}),
        }
        return load_model(root, self.name, constants, fault=fault, lemmas=lemmas)


def load_subjects(
    workspace: Workspace, name: str, widths: Widths, *, with_proofs_only: bool = False
) -> list[Subject]:
    """What is asked about of a model: all its proofs, the one named, or one in a scope of it.

    A model that has none is asked about in its scope `default`, or not at all. LockstepError for a
    damaged specification, and for a proof or scope that it does not have.
    """
    spec = load_model_spec(workspace.root, name)
    if with_proofs_only and not spec.proofs:
        return []
    return [
        Subject(
            workspace,
            spec,
            proof,
            scope=None if widths.scope is None and proof.name in spec.proofs else proof.name,
            widths=widths,
        )
        for proof in _proofs(spec, widths)
    ]


def load_subject(workspace: Workspace, name: str, widths: Widths) -> Subject:
    """The one proof or scope that a question is about; LockstepError where there are several."""
    subject, *others = load_subjects(workspace, name, widths)
    if others:
        proofs = ", ".join(subject.spec.proofs)
        raise LockstepError(f"{name} has several proofs", cure=f"name one by --proof: {proofs}")
    return subject


def _proofs(spec: ModelSpec, widths: Widths) -> list[ProofScope]:
    if widths.proof is not None:
        if widths.proof in spec.proofs:
            return [spec.proofs[widths.proof]]
        proofs = ", ".join(spec.proofs) or "none"
        raise LockstepError(
            f"{spec.name} has no proof {widths.proof!r}",
            cure=nearest(widths.proof, spec.proofs, f"its proofs are: {proofs}"),
        )
    if widths.scope is None and spec.proofs:
        return list(spec.proofs.values())
    scope = spec.scope(widths.scope or DEFAULT_SCOPE)
    return [
        ProofScope(scope.name, constants=scope.constants, idle=scope.idle, vacuous=scope.vacuous)
    ]
