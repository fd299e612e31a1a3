"""Searches that were made in an earlier run, and need not be made again.

Kept is only what holds in a scope as it stands. A violation has to be found again, for its
behaviour is written for `replay`; what is inconclusive may have been short of time. What the scope
pins and declares is no part of it: the search is judged anew each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from lockstep.language.model import Model
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.verbs.check_result import Checked
from lockstep.verbs.decided import Dependencies, Question, texts_of
from lockstep.verbs.failed_result import FailedResult
from lockstep.workspace import Workspace

PACKAGES = ("llvmlite", "numba", "numpy", "scipy")
"""The packages that take part in a search."""


def search_question(
    workspace: Workspace,
    model: Model,
    scope: str,
    constants: Mapping[str, object],
    exploration: Exploration,
) -> Question[SearchResult]:
    """The search of a model in a scope, as far as its result depends on it."""
    options = {
        "model": model.name,
        "constants": {name: repr(value) for name, value in constants.items()},
        "engine": exploration.engine,
        "deadlock_allowed": exploration.deadlock_allowed,
    }
    dependencies = Dependencies(texts_of(model), options, PACKAGES)
    read = partial(_result, model)
    return Question(workspace, "check", dependencies, _document, read, f"{model.name} {scope}")


def failed_search(checked: Checked) -> FailedResult | None:
    """What a report is to know of a search that is not kept as one that holds."""
    result = checked.result
    holds = result.verdict is Verdict.HOLDS
    if result.interrupted or (holds and not result.unchecked):
        return None
    unchecked = f"not checked: {', '.join(result.unchecked)}"
    return FailedResult(
        verdict=Verdict.INCONCLUSIVE if holds else result.verdict,
        because=unchecked if holds else result.because,
        violates=result.violated,
        states=result.states,
        transitions=result.transitions,
        depth=result.depth,
        seconds=result.seconds,
        length=None if checked.trace is None else len(checked.trace.steps),
        trace=None if checked.saved is None else str(checked.saved),
    )


def _document(result: SearchResult) -> dict[str, Any] | None:
    """The document of a result all of which holds; None for any other."""
    if result.verdict is not Verdict.HOLDS or result.unchecked:
        return None
    return {
        "engine": result.engine,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "levels": result.levels,
        "seconds": result.seconds,
        "fired": result.fired,
        "applied": sorted(result.applied),
        "reached": sorted(result.reached),
        "deadlocks": result.deadlocks,
        "remark": result.remark,
        "sampled": result.sampled,
        "sampled_steps": result.sampled_steps,
    }


def _result(model: Model, document: Mapping[str, Any]) -> SearchResult | None:
    """The result that a document describes; None where it describes none of this model."""
    match document:
        case {
            "engine": str(engine),
            "states": int(states),
            "transitions": int(transitions),
            "depth": int(depth),
            "levels": [*levels],
            "seconds": float(seconds),
            "fired": dict(fired),
            "applied": [*applied],
            "reached": [*reached],
            "deadlocks": int(deadlocks),
            "remark": str(remark),
            "sampled": int(sampled),
            "sampled_steps": int(sampled_steps),
            **others,
        } if not others:
            pass
        case _:
            return None
    properties = {prop.name for prop in model.properties}
    if list(fired) != [action.name for action in model.actions]:
        return None
    if not all(type(count) is int for count in (*fired.values(), *levels)):
        return None
    if not properties.issuperset([*applied, *reached]):
        return None
    return SearchResult(
        model=model.name,
        engine=engine,
        states=states,
        transitions=transitions,
        depth=depth,
        levels=levels,
        seconds=seconds,
        fired=fired,
        applied=set(applied),
        reached=set(reached),
        deadlocks=deadlocks,
        remark=remark,
        sampled=sampled,
        sampled_steps=sampled_steps,
    )
