"""Machine code and the twin agree with plain Python on each model of this workspace.

Each is looked at in its small scope, which plain Python explores once: pytest takes all tests of
one model one after the other. A day has a few of the models; random ones are judged every day.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

from lockstep.explore.compiled import packed_space
from lockstep.language.model import Model, load_model
from lockstep.language.notation import Kind, State
from lockstep.machine.search.numbering_search import SpaceSearch
from lockstep.machine.search.search import ParallelSearch
from lockstep.plain.exploration import Exploration
from lockstep.plain.liveness import plain_pledges
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.plain.space import Recorder, Space
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.twin.twin import compare_twin
from tests.agreement.case import Case, levels_divided
from tests.agreement.summary import summary
from tests.kafka_models import MODELS, ROOT
from tests.machine.test_liveness import LIMITS, assert_same, checked
from tests.twin.conftest import assert_same as assert_same_twin

MOST_STATES = 10**6


class Small(Case):
    """A model in its small scope, what plain Python finds there, and its machine code."""

    @cached_property
    def oracle(self) -> tuple[SearchResult, Space]:
        """The result of the search with all claims, and the graph that it went through."""
        recorder = Recorder(self.model, MOST_STATES)

        def visit(state: State, steps: list[Step]) -> None:
            recorder.visit(state, steps)
            self.steps[state] = steps

        result = Search(PlainEngine(self.model), on_state=visit).run()
        space = recorder.space()
        assert space is not None
        assert len(space.states) == result.states
        return result, space

    @cached_property
    def steps(self) -> dict[State, list[Step]]:
        """All steps of each state as the oracle found them, those that change nothing included."""
        return {}

    def searched(
        self, _: Model, *, on_state: Callable[[State, list[Step]], None], **__: object
    ) -> SearchResult:
        """What the search before a comparison with a twin finds."""
        result, _space = self.oracle
        for state, steps in self.steps.items():
            on_state(state, steps)
        return result


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.daily(6)) for name in MODELS]
)
def small(request: pytest.FixtureRequest) -> Small:
    scope = load_model_spec(ROOT, request.param).scope("small")
    return Small(load_model(ROOT, request.param, scope.constants))


@pytest.mark.slow
def test_the_compiled_search_agrees(small: Small) -> None:
    result, _ = small.oracle
    for count in (1, 2, 8):
        with levels_divided():
            search = ParallelSearch(small.program, small.code, Exploration(threads=count))
            assert summary(search.run()) == summary(result)


def test_the_graph_is_the_same(small: Small) -> None:
    limits = replace(LIMITS, max_states=MOST_STATES)
    space = SpaceSearch(small.program, small.code, limits).space()
    known, (_, oracle) = packed_space(small.program, small.code, space), small.oracle
    assert_same(space, oracle)
    for prop in small.model.of_kind(Kind.LEADS_TO):
        pledges, expected = known.pledges_of(prop, LIMITS), plain_pledges(small.model, oracle, prop)
        assert np.array_equal(pledges.premise, expected.premise)
        assert np.array_equal(pledges.goal, expected.goal)
    result = checked(small.model, "compiled")
    assert result.verdict is Verdict.HOLDS
    assert result.unchecked == ()


@pytest.mark.slow
def test_the_graph_of_the_twin_is_the_same(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of the model is the oracle's; other comparisons make one of their own."""
    monkeypatch.setattr("lockstep.twin.twin.explore", small.searched)
    spec = load_model_spec(ROOT, small.model.name)
    scope = spec.scope("small")
    assert scope.compare == "graph"
    result = compare_twin(small.model, spec, scope)
    assert_same_twin(result)
    assert result.run.distinct == scope.pins.states
    assert result.run.transitions == scope.pins.transitions
    assert result.run.steps == scope.pins.depth
