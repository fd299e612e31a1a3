"""What is enabled in a state, as strategies from which Hypothesis draws a step.

Of all instances of all actions only a few are enabled in any one state, so drawing parameters
blindly would hardly ever make a step. Where an action's parameters can be listed, its enabled
instances are, and one of them is drawn. Where there are too many, the leading parameters that can
be listed are kept to values that no guard rules out, and the others are tried a few times.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import Any, TypeVar

from hypothesis import strategies as st

from lockstep.language.model import Action, Model, Parameter
from lockstep.language.notation import Disabled, State
from lockstep.language.totality import guard_depths
from lockstep.language.types import capped_product, plainest
from lockstep.plain.engine import is_stuck
from lockstep.plain.run import NextState, PlainEngine, line_in
from lockstep.results.trace import Step
from lockstep.testing.guide import Way
from lockstep.testing.values import integers_near, values
from lockstep.trace.render import render_instance

LISTED = 10_000
"""An action with more instances than this is wide: they are drawn, not listed."""

ATTEMPTS = 8
"""How often the parameters of a wide action are drawn until they enable it."""

Arguments = tuple[Any, ...]
Found = TypeVar("Found")


class Instance:
    """An action with its parameters, or nothing at all; written as in a trace.

    `after` is the state that it leads to from where it was drawn, None where that is not known.
    """

    def __init__(
        self,
        action: Action | None = None,
        arguments: Arguments = (),
        after: State | None = None,
    ) -> None:
        self.action = action
        self.arguments = arguments
        self.after = after

    def __repr__(self) -> str:
        if self.action is None:
            return "nothing"
        return render_instance(self.action.name, self.action.parameters, self.arguments)


@dataclass(frozen=True)
class _Listed:
    """The enabled instances of one action, and their numbers among all `count` of them."""

    numbers: Sequence[int]
    instances: Sequence[Instance]
    count: int

    def draw(self, draw: st.DrawFn) -> Instance:
        return _at_or_before(self.numbers, self.instances, draw(_up_to(self.count - 1)))


@dataclass(frozen=True)
class _Drawn:
    """The instances of a wide action; the last one tried where none was found enabled."""

    strategy: Callable[[], st.SearchStrategy[Instance]]

    def draw(self, draw: st.DrawFn) -> Instance:
        return draw(self.strategy())


@dataclass(frozen=True)
class _Nothing:
    """What can always be done."""

    def draw(self, draw: st.DrawFn) -> Instance:
        return Instance()


_Option = _Nothing | _Listed | _Drawn


@dataclass(frozen=True)
class Situation:
    """What can be done in a state: nothing, or any of the `enabled` actions.

    A wide action among these may turn out not to be enabled after all. `is_stuck` says that none
    leads to another state.
    """

    enabled: tuple[Action, ...]
    is_stuck: bool
    ways: tuple[Way, ...]
    _numbers: Sequence[int]
    _options: Sequence[_Option]
    _last: int

    def draw(self, draw: st.DrawFn) -> Instance:
        """Draw the number of an action (0 is nothing) and, unless it is wide, of an instance.

        Both are numbered in the model's order, enabled or not, and stand for the nearest one that
        is enabled, downwards. So a number means the same in most states: when a step is taken out
        of a behaviour, most of the later ones remain what they were.
        """
        return _at_or_before(self._numbers, self._options, draw(_up_to(self._last))).draw(draw)


class Situations:
    """What can be done in the states of a model."""

    def __init__(self, model: Model) -> None:
        guards = guard_depths(model)
        engine = PlainEngine(model)
        self._actions = model.actions
        self._wide = {
            action.name: _WideAction(action, engine, guards[action.name])
            for action in model.actions
            if is_wide(action.parameters)
        }
        listed = tuple(action for action in model.actions if action.name not in self._wide)
        self._listed = PlainEngine(dataclasses.replace(model, actions=listed))
        self._places = {action.name: _places(action) for action in listed}

    def at(self, state: State) -> Situation:
        """The situation in `state`.

        `EvaluationError` when the model's text has no meaning in `state`.
        """
        steps: dict[str, list[Step]] = {}
        for step in self._listed.successors(state):
            steps.setdefault(step.action, []).append(step)
        enabled: list[Action] = []
        ways: list[Way] = []
        numbers = [0]
        options: list[_Option] = [_Nothing()]
        for number, action in enumerate(self._actions, start=1):
            if action.name in self._wide:
                wide = self._wide[action.name]
                leading = wide.leading(state)
                if not leading:
                    continue
                # Most states are passed without a draw of this action.
                options.append(_Drawn(cache(partial(wide.drawn, state, leading))))
                ways.append((number, None, None))
            elif action.name in steps:
                enabled_steps = steps[action.name]
                places = self._places[action.name]
                at = [places.of(step.parameters) for step in enabled_steps]
                instances = [
                    Instance(action, step.parameters, step.state) for step in enabled_steps
                ]
                options.append(_Listed(at, instances, places.count))
                ways += [
                    (number, place, hash(step.state))
                    for place, step in zip(at, enabled_steps, strict=True)
                ]
            else:
                continue
            enabled.append(action)
            numbers.append(number)
        listed = [step for instances in steps.values() for step in instances]
        is_wide_enabled = any(action.name in self._wide for action in enabled)
        return Situation(
            tuple(enabled),
            not is_wide_enabled and is_stuck(state, listed),
            tuple(ways),
            numbers,
            options,
            len(self._actions),
        )


@lru_cache(maxsize=1024)
def _up_to(last: int) -> st.SearchStrategy[int]:
    return st.integers(0, last)


def _at_or_before(numbers: Sequence[int], values: Sequence[Found], number: int) -> Found:
    """The value with that number, or the one before it, or the first."""
    return values[max(0, bisect.bisect_right(numbers, number) - 1)]


@dataclass(frozen=True)
class _Places:
    """Where an action's instances stand among all combinations of its parameters' values."""

    positions: tuple[Mapping[Any, int], ...]
    count: int

    def of(self, arguments: Arguments) -> int:
        place = 0
        for positions, argument in zip(self.positions, arguments, strict=True):
            place = place * len(positions) + positions[argument]
        return place


def _places(action: Action) -> _Places:
    positions = tuple(
        {value: index for index, value in enumerate(parameter.domain)}
        for parameter in action.parameters
    )
    return _Places(positions, math.prod(map(len, positions)))


def is_wide(parameters: tuple[Parameter, ...], most: int = LISTED) -> bool:
    """Whether there are too many bindings of some parameters to go through them."""
    return capped_product((parameter.domain for parameter in parameters), most + 1) > most


@dataclass(frozen=True)
class _WideAction:
    """An action whose instances are too many to list; `guards` as `guard_depths` gives them."""

    action: Action
    engine: PlainEngine
    guards: Mapping[int, int]

    @cached_property
    def _parts(self) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
        """The first parameters, as many as can be listed, and the others."""
        parameters = self.action.parameters
        count = next(n for n in range(len(parameters)) if is_wide(parameters[: n + 1]))
        return parameters[:count], parameters[count:]

    def leading(self, state: State) -> list[Arguments]:
        """The values of the parameters that can be listed which no guard rules out."""
        first, others = self._parts
        rest = tuple(plainest(parameter.domain) for parameter in others)
        return [
            chosen
            for chosen in itertools.product(*(parameter.domain for parameter in first))
            if self._may_be_enabled(state, chosen, rest)
        ]

    def drawn(self, state: State, leading: Sequence[Arguments]) -> st.SearchStrategy[Instance]:
        """A strategy for its instances whose first parameters have one of these values."""
        near = integers_near(state)
        bindings = st.tuples(
            st.sampled_from(leading), *(values(one.domain, near) for one in self._parts[1])
        ).map(lambda drawn: (*drawn[0], *drawn[1:]))
        instances = _first_enabled(
            bindings, lambda drawn: self.engine.run(self.action, state, drawn) is not None
        )
        return instances.map(lambda drawn: Instance(self.action, drawn))

    def _may_be_enabled(self, state: State, chosen: Arguments, rest: Arguments) -> bool:
        """Whether some values of the later parameters may enable the action with those chosen."""
        try:
            self.action.function(state, NextState(state), *chosen, *rest)
        except Disabled as disabled:
            depth = self.guards.get(line_in(disabled.__traceback__))
            return depth is None or depth > len(chosen)
        except KeyboardInterrupt:
            raise
        except BaseException:
            self.engine.run(self.action, state, (*chosen, *rest))  # raises it with its place
        return True


@st.composite
def _first_enabled(
    draw: st.DrawFn,
    bindings: st.SearchStrategy[Found],
    is_enabled: Callable[[Found], bool],
) -> Found:
    # Hypothesis's own `filter` gives the whole behaviour up after three failures.
    drawn = draw(bindings)
    for _ in range(ATTEMPTS - 1):
        if is_enabled(drawn):
            break
        drawn = draw(bindings)
    return drawn
