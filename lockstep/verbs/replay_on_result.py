"""What comes of a recorded behaviour on another version of its model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lockstep.errors import ExitCode
from lockstep.language.model import Model
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.itf import Origin
from lockstep.verbs.check_request import CheckRequest
from lockstep.verbs.version import Version


@dataclass(frozen=True)
class Parting:
    """After how many steps another version is first in another state than recorded, and how."""

    step: int
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Refusal:
    """The step that another version does not take, and the parameters that it was recorded with."""

    step: int
    action: str
    parameters: tuple[Any, ...]


@dataclass
class ReplayedOn(ShownInNotebooks):
    """What came of a recorded behaviour on another version.

    `verdict` is `holds` where the version does not go so, or goes so and violates nothing;
    `violated` where something is violated; `inconclusive` where the recording does not say what
    the version would have to do; `error` where that has no meaning. `because` says which, and
    where. `trace` is what was taken, by the version's own states; `parting` is where those are
    first others than recorded, in variables that both have. `missing` and `added` are the variables
    that only the recording or only the version has, `uncompared` those that cannot have the first
    value recorded, as where a map has other keys. `others` are the steps, by number, at which
    another action does what was recorded.
    """

    origin: Origin
    version: Version
    model: Model
    trace: Trace
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    others: dict[int, str] = field(default_factory=dict)
    parting: Parting | None = None
    refusal: Refusal | None = None
    violation: Violation | None = None
    verdict: Verdict = Verdict.INCONCLUSIVE
    because: str = ""
    error: EvaluationError | None = None
    scope: str | None = None
    """The scope of the version; the one recorded where none was asked for."""

    @property
    def check(self) -> str | None:
        """The command that looks at all behaviours of the version; None of another revision."""
        version = self.version
        if version.revision is not None:
            return None
        request = CheckRequest(
            scope=self.scope,
            fault=version.fault,
            proposal=version.proposal,
            constants=version.constants,
        )
        return request.again(version.model)

    @property
    def exit_code(self) -> ExitCode:
        """0 where the change stops it, 1 violated, 3 cannot be said, 2 on an error."""
        if self.error is not None:
            return ExitCode.USAGE
        return ExitCode[self.verdict.name]
