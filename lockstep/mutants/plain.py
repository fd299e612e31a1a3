"""Mutants by plain Python: the oracle, and what is left where a model has no machine code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lockstep.explore.live_search import check_liveness
from lockstep.language.likeness import plain_value
from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.mutants.difference import Difference
from lockstep.mutants.fate import Observed
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict

_Steps: TypeAlias = dict[object, frozenset[object]]
"""For each state its steps, each with what it is a step of and where it leads."""


@dataclass(frozen=True)
class PlainModel:
    """A model with its labelled graph and the result of its search."""

    steps: _Steps
    result: SearchResult

    @classmethod
    def of(cls, model: Model, request: Exploration) -> PlainModel:
        """Explore a model."""
        return cls(*_explored(model, request))

    def observe(self, mutant: Model, changes: Difference, request: Exploration) -> Observed:
        """Find out about a mutant, whatever the `changes` are."""
        steps, result = _explored(mutant, request)
        return Observed(result, result.verdict is Verdict.HOLDS and steps == self.steps)


def _explored(model: Model, request: Exploration) -> tuple[_Steps, SearchResult]:
    graph: _Steps = {}

    def visit(state: State, steps: list[Step]) -> None:
        graph[plain_value(state)] = frozenset(
            (step.action, plain_value(step.parameters), plain_value(step.state)) for step in steps
        )

    safety = model.without(Kind.LEADS_TO)
    result = Search(PlainEngine(safety), request, on_state=visit).run()
    check_liveness(model, result, request)
    return graph, result
