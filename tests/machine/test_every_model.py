"""Machine code agrees with plain Python on each model of this workspace, in its small scope.

Plain Python explores each model once: pytest takes all tests of one model one after the other.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

from lockstep.explore.compiled import packed_space
from lockstep.language.model import load_model
from lockstep.language.notation import Kind
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.space_search import SpaceSearch
from lockstep.plain.exploration import Exploration
from lockstep.plain.liveness import plain_pledges
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.plain.space import Recorder, Space
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from tests.agreement.case import Case, levels_divided
from tests.agreement.summary import summary
from tests.kafka_models import MODELS, ROOT
from tests.machine.test_liveness import LIMITS, assert_same, checked

MOST_STATES = 10**6


class Small(Case):
    """A model in its small scope, what plain Python finds there, and its machine code."""

    @cached_property
    def oracle(self) -> tuple[SearchResult, Space]:
        """The result of the search with all claims, and the graph that it went through."""
        recorder = Recorder(self.model, MOST_STATES)
        result = Search(PlainEngine(self.model), on_state=recorder.visit).run()
        space = recorder.space()
        assert space is not None
        assert len(space.states) == result.states
        return result, space


@pytest.fixture(scope="module", params=MODELS)
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
    space = SpaceSearch(small.program, small.code, limits).run()
    known, (_, oracle) = packed_space(small.program, small.code, space), small.oracle
    assert_same(space, oracle)
    for prop in small.model.of_kind(Kind.LEADS_TO):
        pledges, expected = known.pledges_of(prop, LIMITS), plain_pledges(small.model, oracle, prop)
        assert np.array_equal(pledges.premise, expected.premise)
        assert np.array_equal(pledges.goal, expected.goal)
    result = checked(small.model, "compiled")
    assert result.verdict is Verdict.HOLDS
    assert result.unchecked == ()
