"""What comes of `replay`: the behaviour as far as it could be taken, and the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.language.model import Model
from lockstep.requests.check import CheckRequest
from lockstep.requests.run import Judged, judged_answer
from lockstep.requests.version import Version
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.conjuncts import false_requirement
from lockstep.trace.documents import (
    claim_json,
    conjunct_json,
    error_json,
    parameters_json,
    steps_json,
)
from lockstep.trace.itf import Origin


@dataclass(frozen=True)
class Parting:
    """After how many steps another version is first in another state than recorded, and how."""

    step: int
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Refusal:
    """The step that a version does not take, and the parameters that it was recorded with."""

    step: int
    action: str
    parameters: tuple[Any, ...]


@dataclass
class Replay(Judged, ShownInNotebooks):
    """What came of a recorded behaviour, on its own version or on another one.

    `verdict` is `violated` when something is violated: on its own version what was recorded,
    `holds` when it behaves so and that now holds, `inconclusive` when the model no longer behaves
    so, and `error` when it has no meaning at the end. Another version may go otherwise: it `holds`
    where it does not go so, or violates nothing; and is `inconclusive` where the recording does not
    say what it would have to do. `because` says which, and where. `trace` is what was taken.
    """

    model: Model
    origin: Origin
    trace: Trace
    verdict: Verdict = Verdict.INCONCLUSIVE
    because: str = ""
    violation: Violation | None = None
    error: EvaluationError | None = None
    test: str | None = None
    """The text of the test that was written, None where none was."""
    on: Version | None = None
    """The other version whose steps these are; None where it is the one recorded."""
    missing: tuple[str, ...] = ()
    """The variables that only the recording has."""
    added: tuple[str, ...] = ()
    """The variables that only the version has."""
    uncompared: tuple[str, ...] = ()
    """The variables that cannot have the first value recorded, as where a map has other keys."""
    others: dict[int, str] = field(default_factory=dict)
    """By the number of a step, the other action that does what was recorded."""
    parting: Parting | None = None
    """Where the states are first others than recorded, in variables that both have."""
    refusal: Refusal | None = None
    """The step that ends it, being not enabled."""
    scope: str | None = None
    """The scope of the version; the one recorded where none was asked for."""

    @property
    def shown(self) -> Violation | Trace:
        """The behaviour, with what it violates where it does."""
        return self.violation or self.trace

    @property
    def fault(self) -> str | None:
        """The fault that is in place."""
        return self.origin.fault if self.on is None else self.on.fault

    @property
    def check(self) -> str | None:
        """The command that says whether another behaviour violates what this one does not.

        None where that is not open, and of another revision.
        """
        version = self.on
        is_open = self.verdict is Verdict.HOLDS and self.origin.goal is None
        if version is None or version.revision is not None or not is_open:
            return None
        return CheckRequest(scope=self.scope, **version.changes).again(version.model)


class OnDetails(msgspec.Struct, kw_only=True):
    """What only the answer of a replay on another version has."""

    version: str
    """`MODEL`, `MODEL.FAULT`, `MODEL@NAME=VALUE` or `REVISION:MODEL`."""
    refused: dict[str, Any] | None
    """The step that is not enabled: `{step, action, parameters, requires}`. `requires` is the part
    of the guard that is false, `{text, file, line, values}`, or null."""
    parting: Parting | None
    """After which step the state is first another than recorded, and how: `{step, changes}`."""
    others: dict[int, str]
    """By the number of a step, the other action that leads to the recorded state."""
    missing: tuple[str, ...]
    """The variables that only the recording has."""
    added: tuple[str, ...]
    """The variables that only the version has."""
    uncompared: tuple[str, ...]
    """The variables that cannot have the values recorded at first."""


class ReplayDetails(msgspec.Struct, kw_only=True):
    """What only the answer of a replay has."""

    property: str | None
    """The property that was recorded; null for a behaviour to where the text has no meaning, or to
    a goal."""
    goal: str | None
    """What was looked for, as by `prove --find`."""
    start: str | None
    """What is true at first, as by `prove --from`."""
    requirements: tuple[str, ...]
    """The requirements that the property `violated` states."""
    parameters: dict[str, Any]
    """The parameters for which that property fails."""
    steps: list[dict[str, Any]]
    """The steps that could be taken."""
    loop: int | None
    """As in the `details` of `check`."""
    error: dict[str, Any] | None
    """Where the text has no meaning, as under [`check`](#check)."""
    pytest: str | None
    """With `--pytest FILE`, the text of the test that was written."""
    on: OnDetails | None
    """With `--on VERSION`, what that is and where it parts; `steps`, `parameters` and the property
    `violated` are then the version's. Else null."""


def replay_answer(file: Path, result: Replay) -> Answer:
    """The answer to the replay of the behaviour in a file."""
    origin, model, trace = result.origin, result.model, result.trace
    violates = () if result.violation is None else result.violation.properties
    values = {
        **vars(origin),
        **claim_json(model, result.violation),
        "steps": steps_json(model, trace),
        "loop": trace.loop,
        "error": None if result.error is None else error_json(model, result.error),
        "pytest": result.test,
        "on": None if result.on is None else _on(result),
    }
    return judged_answer(
        "replay",
        result,
        model=origin.model,
        scope=origin.scope or "",
        fault=origin.fault,
        proposal=origin.proposal,
        engine="python",
        violated=next(iter(violates), None),
        violates=violates,
        length=len(trace.steps),
        trace=str(file),
        because=result.because,
        details=msgspec.convert(values, ReplayDetails),
    )


def _on(result: Replay) -> OnDetails:
    refusal, refused = result.refusal, None
    if refusal is not None:
        model, action = result.model, result.model.action(refusal.action)
        state, parameters = result.trace.last, refusal.parameters
        conjunct = false_requirement(model.universe, action, state, parameters)
        refused = {
            "step": refusal.step,
            "action": refusal.action,
            "parameters": parameters_json(action.parameters, parameters),
            "requires": conjunct_json(model, conjunct),
        }
    values = {**vars(result), "version": str(result.on), "refused": refused}
    return msgspec.convert(values, OnDetails)
