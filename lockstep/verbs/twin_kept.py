"""Comparisons with a twin that were made in an earlier run, and need not be made again.

Kept is only what holds. A difference has to be found again, with the behaviour that shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

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
from lockstep.verbs.decided import Dependencies, Question, texts_of
from lockstep.verbs.twin_request import TwinRequest
from lockstep.workspace import Workspace


def comparison_question(
    workspace: Workspace, spec: ModelSpec, scope: Scope, model: Model, request: TwinRequest
) -> Question[TwinResult]:
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
    about = f"{spec.name} {scope.name}"
    read = partial(_result, model, scope)
    return Question(workspace, "twin", dependencies, _document, read, about)


def _result(model: Model, scope: Scope, document: Mapping[str, Any]) -> TwinResult | None:
    """The result that a document describes; None where it describes none that holds."""
    match document:
        case {
            "engine": str(engine),
            "states": int(states),
            "transitions": int(transitions),
            "depth": int(depth),
            "seconds": float(seconds),
            "unchecked": [*unchecked],
            "unrefined": (str() | None) as unrefined,
            "refinement": (dict() | None) as refining,
            "run": dict(run),
            **others,
        } if not others:
            pass
        case _:
            return None
    tlc = _tlc_run(run)
    if tlc is None or not all(isinstance(name, str) for name in unchecked):
        return None
    refinement = None
    if refining is not None:
        refinement = _refinement(refining)
        if refinement is None:
            return None
    return TwinResult(
        model=model,
        scope=scope.name,
        compare=scope.compare,
        verdict=Verdict.HOLDS,
        because="",
        explored=SearchResult(
            model.name, engine, states=states, transitions=transitions, depth=depth
        ),
        run=tlc,
        difference=None,
        counts=(),
        refuting=None,
        unchecked=tuple(unchecked),
        refinement=refinement,
        unrefined=unrefined,
        seconds=seconds,
    )


def _document(result: TwinResult) -> dict[str, Any] | None:
    """The document of a result that holds; None for any other."""
    if result.verdict is not Verdict.HOLDS:
        return None
    return {
        "engine": result.explored.engine,
        "states": result.explored.states,
        "transitions": result.explored.transitions,
        "depth": result.explored.depth,
        "seconds": result.seconds,
        "unchecked": list(result.unchecked),
        "unrefined": result.unrefined,
        "refinement": None
        if result.refinement is None
        else {"abstract": result.refinement.abstract, "run": _counts(result.refinement.run)},
        "run": _counts(result.run),
    }


def _counts(run: TlcRun) -> dict[str, Any]:
    whole = asdict(replace(run, trace=()))
    return {name: whole[name] for name in _COUNTS}


_COUNTS = ("initial", "initial_generated", "generated", "distinct", "depth", "workers", "seconds")


def _refinement(document: Mapping[str, Any]) -> Refinement | None:
    match document:
        case {"abstract": str(abstract), "run": dict(counts), **others} if not others:
            run = _tlc_run(counts)
            return None if run is None else Refinement(abstract, run)
    return None


def _tlc_run(document: Mapping[str, Any]) -> TlcRun | None:
    """TLC's run that a document describes: one that refuted nothing."""
    kinds = {name: float if name == "seconds" else int for name in _COUNTS}
    if {name: type(value) for name, value in document.items()} != kinds:
        return None
    return TlcRun(
        verdict="holds",
        violated=None,
        message="",
        trace=(),
        loops_to=None,
        warnings=(),
        **document,
    )
