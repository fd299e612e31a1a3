"""Comparisons with a twin that were made in an earlier run, and need not be made again.

Only what holds is taken from there. A difference has to be found again, with the behaviour that
shows it.
"""

from __future__ import annotations

import msgspec

from lockstep.answers.answer import Answer, counts_of
from lockstep.answers.store import Dependencies, Question, texts_of
from lockstep.language.model import Model
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, Scope
from lockstep.system.java import find_java
from lockstep.system.text_files import read_text
from lockstep.twin.findings import TlcRun
from lockstep.twin.refinement import Refinement
from lockstep.twin.twin_files import TLC
from lockstep.twin.twin_result import TwinResult
from lockstep.verbs.check_kept import PACKAGES
from lockstep.verbs.requests import TwinRequest
from lockstep.workspace import Workspace


class TlcCounts(msgspec.Struct, frozen=True):
    """What is kept of a `TlcRun` that refuted nothing."""

    initial: int
    initial_generated: int
    generated: int
    distinct: int
    depth: int
    workers: int
    seconds: float


class KeptRefinement(msgspec.Struct, frozen=True):
    """What is kept of a `Refinement`."""

    abstract: str
    run: TlcCounts


class TwinDetails(msgspec.Struct, frozen=True):
    """What only the answer of a comparison has; the fields are those of `TwinResult`."""

    run: TlcCounts
    unchecked: tuple[str, ...]
    refinement: KeptRefinement | None
    unrefined: str | None


def comparison_question(
    workspace: Workspace, spec: ModelSpec, scope: Scope, model: Model, request: TwinRequest
) -> Question:
    """The comparison of a model with its twin, as far as its result depends on it."""
    folder = workspace.root / "tla"
    files = sorted([*folder.rglob("*.tla"), *folder.glob("*.cfg")])
    twins = {f"tla/{file.relative_to(folder).as_posix()}": read_text(file) for file in files}
    texts = {**texts_of(model), **twins}
    options = {
        "model": spec.name,
        "twin": spec.twin,
        "refines": spec.refines,
        "compare": scope.compare,
        "constants": {name: repr(value) for name, value in scope.constants.items()},
        "deadlock_allowed": spec.deadlock_allowed,
        "workers": request.workers,
        "liveness": request.liveness,
        "tlc": TLC.sha256,
        "java": str(find_java()),
    }
    dependencies = Dependencies(texts, options, PACKAGES)
    return Question(workspace, "twin", spec.name, scope.name, dependencies)


def comparison_answer(result: TwinResult) -> Answer:
    """The answer of a comparison."""
    answer = Answer(
        kind="twin",
        model=result.model.name,
        scope=result.scope,
        verdict=str(result.verdict),
        because=result.because,
        judged=result.compare,
        **{**counts_of(result.explored), "seconds": result.seconds},
    )
    if result.verdict is Verdict.HOLDS:
        details = msgspec.convert(result, TwinDetails, from_attributes=True)
        answer.details = msgspec.to_builtins(details)
    return answer


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
        verdict=Verdict.HOLDS,
        because="",
        explored=SearchResult(
            model.name,
            answer.engine,
            states=answer.states,
            transitions=answer.transitions,
            depth=answer.depth,
        ),
        run=_run(details.run),
        difference=None,
        counts=(),
        refuting=None,
        unchecked=details.unchecked,
        refinement=None if refining is None else Refinement(refining.abstract, _run(refining.run)),
        unrefined=details.unrefined,
        seconds=answer.seconds,
    )


def _run(counts: TlcCounts) -> TlcRun:
    """TLC's run that counted so: one that refuted nothing."""
    return TlcRun(
        verdict="holds",
        violated=None,
        message="",
        trace=(),
        loops_to=None,
        warnings=(),
        **msgspec.structs.asdict(counts),
    )
