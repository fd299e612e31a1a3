"""Comparisons with a twin that were made in an earlier run, and need not be made again.

Kept is only what holds. A difference has to be found again, with the behaviour that shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from lockstep.language.model import Model
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, Scope
from lockstep.system.text_files import read_text
from lockstep.twin.artifacts import TLC_SHA256
from lockstep.twin.findings import TlcRun
from lockstep.twin.java import find_java
from lockstep.twin.twin import TwinResult
from lockstep.verbs.check_kept import PACKAGES
from lockstep.verbs.decided import Decisions, Dependencies, texts_of
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Comparison:
    """One comparison, as far as its result depends on it."""

    workspace: Workspace
    spec: ModelSpec
    scope: Scope
    model: Model
    workers: int
    liveness: bool

    def find(self) -> tuple[TwinResult, datetime] | None:
        """The result of an earlier run, and when that was; None if it has to be made."""
        decision = self._decisions.find(self._digest)
        if decision is None:
            return None
        result = self._result(decision.document)
        return None if result is None else (result, decision.since)

    def keep(self, result: TwinResult) -> None:
        """Keep a result for later runs if it holds; what cannot be kept is made again."""
        if result.verdict is Verdict.HOLDS:
            self._decisions.keep(self._digest, _document(result))

    @property
    def _decisions(self) -> Decisions:
        return Decisions(self.workspace, "twin")

    @property
    def _digest(self) -> str:
        folder = self.workspace.root / "tla"
        files = sorted([*folder.glob("*.tla"), *folder.glob("*.cfg")])
        texts = {**texts_of(self.model), **{f"tla/{file.name}": read_text(file) for file in files}}
        options = {
            "model": self.spec.name,
            "twin": self.spec.twin,
            "compare": self.scope.compare,
            "constants": {name: repr(value) for name, value in self.scope.constants.items()},
            "deadlock_allowed": self.spec.deadlock_allowed,
            "workers": self.workers,
            "liveness": self.liveness,
            "tlc": TLC_SHA256,
            "java": str(find_java()),
        }
        return Dependencies(texts, options, PACKAGES).digest

    def _result(self, document: Mapping[str, Any]) -> TwinResult | None:
        match document:
            case {
                "engine": str(engine),
                "states": int(states),
                "transitions": int(transitions),
                "depth": int(depth),
                "seconds": float(seconds),
                "unchecked": [*unchecked],
                "run": dict(run),
                **others,
            } if not others:
                pass
            case _:
                return None
        tlc = _tlc_run(run)
        if tlc is None or not all(isinstance(name, str) for name in unchecked):
            return None
        return TwinResult(
            model=self.model,
            scope=self.scope.name,
            compare=self.scope.compare,
            verdict=Verdict.HOLDS,
            because="",
            explored=SearchResult(
                self.model.name, engine, states=states, transitions=transitions, depth=depth
            ),
            run=tlc,
            difference=None,
            counts=(),
            refuting=None,
            unchecked=tuple(unchecked),
            seconds=seconds,
        )


def _document(result: TwinResult) -> dict[str, Any]:
    run = asdict(replace(result.run, trace=()))
    return {
        "engine": result.explored.engine,
        "states": result.explored.states,
        "transitions": result.explored.transitions,
        "depth": result.explored.depth,
        "seconds": result.seconds,
        "unchecked": list(result.unchecked),
        "run": {name: run[name] for name in _COUNTS},
    }


_COUNTS = ("initial", "initial_generated", "generated", "distinct", "depth", "workers", "seconds")


def _tlc_run(document: Mapping[str, Any]) -> TlcRun | None:
    """TLC's run that a document describes: one that refuted nothing."""
    kinds = {name: float if name == "seconds" else int for name in _COUNTS}
    if {name: type(value) for name, value in document.items()} != kinds:
        return None
    return TlcRun(verdict="holds", violated=None, message="", trace=(), loops_to=None, **document)
