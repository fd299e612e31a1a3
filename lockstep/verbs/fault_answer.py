"""The answer about one fault: the result of exploring it, which another process may have done."""

from __future__ import annotations

from typing import Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.campaign.task import Task, answer_to
from lockstep.errors import ExitCode
from lockstep.results.verdict import INTERRUPTED, Verdict
from lockstep.trace.documents import error_json, steps_json
from lockstep.verbs.fault_run import FaultRun


class FaultDetails(msgspec.Struct, kw_only=True):
    """What only the row of a fault has.

    `caught_by` are the properties that catch it, `expected` the one that it names, `steps` those of
    its shortest trace as in JSON. `bounded` says that a bound ended the search before all was
    explored. The others are as in `FaultRun`, `FaultMark` and `SearchResult`.
    """

    caught_by: tuple[str, ...]
    expected: str | None
    harmless: str | None
    source: str | None
    by_constants: bool
    problem: str | None
    error: dict[str, Any] | None
    unchecked: tuple[str, ...]
    steps: list[dict[str, Any]] | None
    loop: int | None
    bounded: bool = False


class FaultAnswer(Answer, kw_only=True):
    """The answer about one fault with what only such an answer has."""

    details: FaultDetails

    @property
    def name(self) -> str:
        """The fault's name."""
        return str(self.fault)

    @property
    def is_caught_as_named(self) -> bool:
        """Whether the property that it names catches it."""
        return self.details.expected is not None and self.details.problem is None

    @property
    def is_harmless(self) -> bool:
        """Whether nothing catches it, as it says."""
        return self.details.harmless is not None and self.details.problem is None


def row_of(task: Task, run: FaultRun) -> Answer:
    """The row of a fault that was explored."""
    result, mark = run.result, run.mark
    details = FaultDetails(
        caught_by=run.caught_by,
        expected=mark.breaks,
        harmless=mark.harmless,
        source=mark.source,
        by_constants=run.by_constants,
        problem=run.problem,
        error=None if result.error is None else error_json(run.model, result.error),
        unchecked=result.unchecked,
        steps=None if run.trace is None else steps_json(run.model, run.trace),  # type: ignore[arg-type]
        loop=None if run.trace is None else run.trace.loop,
        bounded=result.verdict is Verdict.INCONCLUSIVE and not result.unchecked,
    )
    code = ExitCode.HOLDS if run.problem is None else ExitCode.VIOLATED
    return answer_to(
        task,
        result,
        verdict=str(result.verdict),
        violated=run.first or None,
        length=None if run.trace is None else len(run.trace.steps),
        because=result.because,
        exit_code=INTERRUPTED if result.interrupted else int(code),
        details=msgspec.to_builtins(details),
    )
