"""What comes of `twin`: one result a comparison, and the answer that is kept and printed of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import msgspec

from lockstep.answers.answer import Answer, counts_of
from lockstep.errors import LockstepError
from lockstep.language.model import Model
from lockstep.plain.exploration import DEFAULT_ENGINE
from lockstep.requests.run import Failure, Judged, judged_answer
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, Scope
from lockstep.trace.documents import steps_json
from lockstep.twin.compare import CountDifference, TwinResult
from lockstep.twin.findings import TlcCounts, TlcRun
from lockstep.twin.names import render_tlc_trace
from lockstep.twin.refinement import Refinement


@dataclass(frozen=True)
class Task:
    """One model in one scope; `again` is the command that makes the comparison again."""

    spec: ModelSpec
    scope: Scope
    again: str

    @property
    def model(self) -> str:
        """The model's name."""
        return self.spec.name

    def __str__(self) -> str:
        return f"{self.model} {self.scope.name}"


@dataclass(frozen=True)
class Compared(Judged, ShownInNotebooks):
    """A model and its twin, both explored."""

    task: Task
    result: TwinResult
    since: datetime | None = None
    """When it was compared, where that was in an earlier run."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the comparison."""
        return self.result.verdict


@dataclass(frozen=True)
class Uncompared(Failure, ShownInNotebooks):
    """A model and its twin of which one cannot be used, or TLC did not see everything."""

    task: Task
    error: LockstepError


Comparison: TypeAlias = Compared | Uncompared


class RefinementDetails(msgspec.Struct, frozen=True):
    """Whether a twin refines its abstract module."""

    abstract: str
    """The name of that module."""
    verdict: str
    run: TlcCounts
    """What TLC counted."""
    behaviour: tuple[str, ...]
    """TLC's behaviour that the abstract module does not have, as lines; none where it refines."""


class TwinDetails(msgspec.Struct, frozen=True):
    """What only the answer of a comparison has."""

    run: TlcCounts
    """What TLC counted in the run that was compared."""
    difference: dict[str, Any] | None
    """Where the graphs part first: `because` names the action and what only one of the two does,
    `details` are lines with what that changes, `steps` a shortest behaviour to there, which both
    have."""
    counts: tuple[CountDifference, ...]
    """`{name, model, twin, at_least}` for each count that is not the same; `at_least` where TLC
    stopped counting there."""
    refutation: dict[str, Any] | None
    """Where TLC refutes a claim of the twin: its `message`, and its `behaviour` as lines. The claim
    is `violated`: by its name in the model, or `deadlock`, or null where TLC does not name it."""
    unchecked: tuple[str, ...]
    """Liveness properties that TLC was not asked for in this scope."""
    refinement: RefinementDetails | None
    """Null where there is no abstract module to refine, or TLC was not asked."""
    unrefined: str | None
    """The abstract module that TLC was not asked for: the scope is too large, or the twin is not
    the model."""


def comparison_answer(comparison: Comparison) -> Answer:
    """The answer of a comparison."""
    task = comparison.task
    asked = {"model": task.model, "scope": task.scope.name, "judged": task.scope.compare}
    if isinstance(comparison, Uncompared):
        return judged_answer("twin", comparison, engine=DEFAULT_ENGINE, **asked)
    result = comparison.result
    counts = {**counts_of(result.explored), "seconds": result.seconds}
    refuted = () if result.refuted is None else (result.refuted,)
    return judged_answer(
        "twin",
        comparison,
        because=result.because,
        violated=result.refuted,
        since=comparison.since,
        details=_details(result),
        **{**asked, **counts, "violates": refuted},
    )


def _details(result: TwinResult) -> TwinDetails:
    model, difference, refinement = result.model, result.difference, result.refinement
    values: dict[str, Any] = {**vars(result)}
    if difference is not None:
        values["difference"] = {
            "because": difference.because,
            "details": difference.details,
            "steps": steps_json(model, difference.trace),
        }
    values["refutation"] = None
    if result.refuting is not None:
        values["refutation"] = {
            "message": result.refuting.message,
            "behaviour": tuple(render_tlc_trace(model, result.refuting.trace)),
        }
    if refinement is not None:
        values["refinement"] = {
            **vars(refinement),
            "verdict": str(refinement.verdict),
            "behaviour": tuple(render_tlc_trace(model, refinement.run.trace)),
        }
    return msgspec.convert(values, TwinDetails, from_attributes=True)


def kept_comparison(model: Model, answer: Answer) -> TwinResult | None:
    """The result that an answer describes; None where it describes none that holds."""
    if answer.verdict != Verdict.HOLDS:
        return None
    try:
        details = msgspec.convert(answer.details, TwinDetails)
    except msgspec.ValidationError:
        return None
    refining = details.refinement
    return TwinResult(
        model=model,
        scope=answer.scope,
        compare=answer.judged,
        explored=SearchResult(
            model.name,
            answer.engine,
            states=answer.states,
            transitions=answer.transitions,
            depth=answer.depth,
        ),
        run=_run(details.run),
        unchecked=details.unchecked,
        refinement=None if refining is None else Refinement(refining.abstract, _run(refining.run)),
        unrefined=details.unrefined,
        seconds=answer.seconds,
    )


def _run(counts: TlcCounts) -> TlcRun:
    """TLC's run that counted so: one that refuted nothing."""
    return TlcRun(**msgspec.structs.asdict(counts))
