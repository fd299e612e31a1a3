"""Searches that were made in an earlier run, and need not be made again.

Kept is only what holds in a scope as it stands. A violation has to be found again, for its
behaviour is written for `replay`; what is inconclusive may have been short of time. What the scope
pins and declares is no part of it: the search is judged anew each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lockstep.language.model import Model
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.verbs.decided import Decisions, Dependencies, texts_of
from lockstep.workspace import Workspace

PACKAGES = ("llvmlite", "numba", "numpy", "scipy")
"""The packages that take part in a search."""


@dataclass(frozen=True)
class Search:
    """One search of a model, as far as its result depends on it."""

    workspace: Workspace
    model: Model
    constants: Mapping[str, object]
    exploration: Exploration

    def find(self) -> tuple[SearchResult, datetime] | None:
        """The result of an earlier run, and when that was; None if it has to be made."""
        decision = self._decisions.find(self._digest)
        if decision is None:
            return None
        result = _result(self.model, decision.document)
        return None if result is None else (result, decision.since)

    def keep(self, result: SearchResult) -> None:
        """Keep a result for later runs if all of it holds; what cannot be kept is made again."""
        if result.verdict is Verdict.HOLDS and not result.unchecked:
            self._decisions.keep(self._digest, _document(result))

    @property
    def _decisions(self) -> Decisions:
        return Decisions(self.workspace, "check")

    @property
    def _digest(self) -> str:
        options = {
            "model": self.model.name,
            "constants": {name: repr(value) for name, value in self.constants.items()},
            "engine": self.exploration.engine,
            "deadlock_allowed": self.exploration.deadlock_allowed,
        }
        return Dependencies(texts_of(self.model), options, PACKAGES).digest


def _document(result: SearchResult) -> dict[str, Any]:
    return {
        "engine": result.engine,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
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
    if not all(type(count) is int for count in fired.values()):
        return None
    if not properties.issuperset([*applied, *reached]):
        return None
    return SearchResult(
        model=model.name,
        engine=engine,
        states=states,
        transitions=transitions,
        depth=depth,
        seconds=seconds,
        fired=fired,
        applied=set(applied),
        reached=set(reached),
        deadlocks=deadlocks,
        remark=remark,
        sampled=sampled,
        sampled_steps=sampled_steps,
    )
