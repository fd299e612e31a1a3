"""Why a model does not take a step that another takes: which guard of which action is false."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, TypeAlias

from lockstep.language import ir
from lockstep.language.likeness import Likeness
from lockstep.language.model import Action
from lockstep.language.notation import State
from lockstep.language.source import Place
from lockstep.language.totality import parts_of
from lockstep.plain.engine import Disagreement
from lockstep.plain.run import PlainEngine, walked
from lockstep.plain.space import Limits
from lockstep.results.trace import Step, Trace
from lockstep.review.inclusion import Parting
from lockstep.review.observed import ObservedSpace
from lockstep.review.pair import Pair, shown_value
from lockstep.trace.conjuncts import Conjunct, false_requirement
from lockstep.trace.itf_values import Misfit, carried


@dataclass(frozen=True)
class Reason:
    """Why a model does not take one step, in a state that shows the same.

    The model has no such `action` with such parameters; or it is `refused`, where `conjunct` is
    the false part of a guard as far as that can be decided; or it leads to a state, `after`, that
    shows other values under some names, which are in `others`.
    """

    action: str
    refused: bool = False
    conjunct: Conjunct | None = None
    others: Mapping[str, object] = field(default_factory=dict)
    after: State | None = None


def reason_of(pair: Pair, step: Step, state: State) -> Reason:
    """Why `pair.other` does not take in `state` a step that `pair.one` takes."""
    own = pair.one.action(step.action)
    action = pair.other.find_action(step.action)
    if action is None:
        return Reason(step.action)
    parameters = _parameters(own, action, step)
    if parameters is None:
        return Reason(step.action)
    after = PlainEngine(pair.other).run(action, state, parameters)
    if after is None:
        conjunct = false_requirement(pair.other.universe, action, state, parameters)
        return Reason(step.action, refused=True, conjunct=conjunct)
    others = {
        name: shown_value(pair.other, name, after)
        for name in pair.shared
        if pair.value(pair.one, name, step.state) != pair.value(pair.other, name, after)
    }
    return Reason(step.action, others=others, after=after)


def _parameters(own: Action, action: Action, step: Step) -> tuple[Any, ...] | None:
    """The parameters of a step in another load; None where the action there has others."""
    if len(own.parameters) != len(action.parameters):
        return None
    try:
        return carried(own.parameters, action.parameters, step.parameters)
    except Misfit:
        return None


def parting_places(
    one: ir.ActionCode, other: ir.ActionCode
) -> tuple[Place | None, Place | None] | None:
    """Where two actions differ first, in the text of each; None where they say the same.

    Helpers are a part of the action that calls them. A side that has nothing there, or only other
    parameters, has no place.
    """
    same = Likeness()
    if not same(one.parameters, other.parameters):
        return None, None
    for statements in zip_longest(one.statements, other.statements):
        if not same(*statements):
            before, after = _deepest(*statements, same)
            return getattr(before, "place", None), getattr(after, "place", None)
    return None


def _deepest(one: Any, other: Any, same: Likeness) -> tuple[Any, Any]:
    """The innermost parts that hold all that differs, each with a place.

    The text of a helper is looked into where both sides call it in the same words: else the texts
    part at the call.
    """
    inside, others = list[Any](parts_of(one)), list[Any](parts_of(other))
    if type(one) is type(other) and len(inside) == len(others):
        unlike = [pair for pair in zip(inside, others, strict=True) if not same(*pair)]
        if len(unlike) == 1 and all(hasattr(part, "place") for part in unlike[0]):
            before, after = unlike[0]
            is_here = before.place in one.place and after.place in other.place
            if is_here or one.place.content() == other.place.content():
                return _deepest(before, after, same)
    return one, other


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


def difference_of(pair: Pair, space: ObservedSpace, parting: Parting, limits: Limits) -> Difference:
    """The difference at a parting of `pair.one`, whose graph is given, from `pair.other`.

    `Disagreement` where plain Python does not see it, `Unfinished` where a limit is met.
    """
    trace = space.space.trace(parting.edges)
    walked(PlainEngine(pair.one), trace)
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
