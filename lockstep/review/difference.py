"""A behaviour that one model shows and another does not, followed in both by plain Python.

Graphs, views and subsets say where two models part. Plain Python is then asked: it takes every step
of the one, and follows the other through all states that show the same. A disagreement is an error
of this program, never of a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.plain.engine import Disagreement
from lockstep.plain.graph import Limits
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step, Trace
from lockstep.review.because import Reason, reason_of
from lockstep.review.inclusion import Parting
from lockstep.review.observed import ObservedGraph
from lockstep.review.pair import Pair

_Came: TypeAlias = dict[State, "tuple[State, Step] | None"]
"""States, each with the state before it and the step between them; None of the initial one."""


@dataclass(frozen=True)
class Difference:
    """A shortest behaviour of one model that the other does not show.

    `followed` is a behaviour of the other that shows the same but for the last step. It is None
    where the initial states show something else. `reason` says why the other cannot take the last
    step, in the state in which `followed` ends.
    """

    trace: Trace
    followed: Trace | None
    reason: Reason | None


def difference_of(pair: Pair, graph: ObservedGraph, parting: Parting, limits: Limits) -> Difference:
    """The difference at a parting of `pair.one`, whose graph is given, from `pair.other`.

    `Disagreement` where plain Python does not see it, `Unfinished` where a limit is met.
    """
    trace = graph.graph.trace(parting.edges)
    _retrace(pair.one, trace)
    views = [pair.view(pair.one, state) for state in trace.states]
    following = _Following(pair, limits)
    for number, view in enumerate(views):
        is_followed = following.show(view)
        if is_followed is (number == len(views) - 1):
            raise Disagreement(
                f"after {number} steps of {trace}, {pair.other.name} does not part there"
            )
    followed = following.trace()
    if followed is None:
        return Difference(trace, None, None)
    return Difference(trace, followed, reason_of(pair, trace.steps[-1], followed.last))


def _retrace(model: Model, trace: Trace) -> None:
    """Take every step of a behaviour in plain Python."""
    engine, state = PlainEngine(model), trace.initial
    for step in trace.steps:
        if engine.run(model.action(step.action), state, step.parameters) != step.state:
            raise Disagreement(f"plain Python does not take {step} in {state}")
        state = step.state


class _Following:
    """Plain Python in all states that show what was shown so far."""

    def __init__(self, pair: Pair, limits: Limits) -> None:
        self._pair = pair
        self._limits = limits
        self._initial = pair.other.initial
        self._engine = PlainEngine(pair.other)
        self._came: list[_Came] = []
        """The states that show each of the views in turn."""
        self._view: object = None

    def show(self, view: object) -> bool:
        """Follow to the states that show a view; False where there are none."""
        if self._came and view == self._view:
            return True
        states: _Came = {}
        if not self._came:
            if self._view_of(self._initial) == view:
                states[self._initial] = None
        else:
            for state in self._came[-1]:
                self._step(state, view, states)
        if not states:
            return False
        pending = list(states)
        for state in pending:
            pending += self._step(state, view, states)
        self._came.append(states)
        self._view = view
        return True

    def trace(self) -> Trace | None:
        """One of the shortest behaviours to the states that show the last view followed to."""
        if not self._came:
            return None
        level = len(self._came) - 1
        state = next(iter(self._came[level]))
        steps: list[Step] = []
        while True:
            came = self._came[level].get(state)
            if came is None:
                if level == 0:
                    return Trace(self._initial, tuple(reversed(steps)))
                raise AssertionError(f"{state} came from nowhere")
            before, step = came
            steps.append(step)
            if self._view_of(before) != self._view_of(state):
                level -= 1
            state = before

    def _view_of(self, state: State) -> object:
        return self._pair.view(self._pair.other, state)

    def _step(self, state: State, view: object, states: _Came) -> list[State]:
        """Take every step of a state to a view; the states that were not there before."""
        self._limits.watch()
        new = []
        for step in self._engine.successors(state):
            if step.state not in states and self._view_of(step.state) == view:
                states[step.state] = state, step
                new.append(step.state)
        return new
