"""Random walks, each of them taken again by plain Python."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from lockstep.language.notation import Kind, State
from lockstep.machine.search.interface import FINE
from lockstep.machine.search.simulation import Simulation
from lockstep.plain.exploration import Exploration, Walks
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from tests.agreement.case import Case
from tests.agreement.summary import assert_takes_place

WALKS = 20
STEPS = 10


class _Recorded(Simulation):
    """A simulation that remembers its walks: their states, and whether they ended well."""

    def __init__(self, case: Case, request: Exploration) -> None:
        super().__init__(case.program, case.code, Walks(WALKS, STEPS, seed=1), request)
        self._case = case
        self.walks: list[tuple[list[State], bool]] = []

    def _take_in(self, walk: Any) -> bool:
        words = self._case.program.layout.words
        packed = walk.states.reshape(len(walk.states) // words, words).tolist()
        states = [self._case.program.layout.decode(row) for row in packed]
        self.walks.append((states, walk.outcome == FINE))
        return super()._take_in(walk)


def assert_walks_take_place(case: Case) -> int:
    """Every walk is a behaviour, and what is said of them all is true; how many there are."""
    for allowed in (True, False):
        simulation = _Recorded(case, Exploration(threads=3, deadlock_allowed=allowed))
        result = simulation.run()
        for states, fine in simulation.walks:
            _assert_is_walk(case, states, fine)
        assert result.states == len({state for states, _ in simulation.walks for state in states})
        assert result.depth == max(len(states) - 1 for states, _ in simulation.walks)
        assert_takes_place(case.model, result)
        unwell = result.violation is not None or result.error is not None
        assert unwell == (not simulation.walks[-1][1])
    return len(simulation.walks)


def _assert_is_walk(case: Case, states: list[State], fine: bool) -> None:
    engine = PlainEngine(case.model)
    assert states[0] == case.model.initial
    for before, after in pairwise(states):
        assert any(step.state == after for step in engine.successors(before))
    if not fine:
        return
    for state in states:
        for prop in case.model.of_kind(Kind.INVARIANT):
            assert engine.evaluate(prop, state, None).failing is None
    for before, after in pairwise(states):
        for prop in case.model.of_kind(Kind.STEP_INVARIANT):
            assert engine.evaluate(prop, before, after).failing is None
    if len(states) <= STEPS:
        try:
            assert all(step.state == states[-1] for step in engine.successors(states[-1]))
        except EvaluationError as error:
            raise AssertionError("the walk ended well where the text has no meaning") from error
