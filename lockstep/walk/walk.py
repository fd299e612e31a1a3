"""A behaviour that somebody chooses step by step, takes back, and takes again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from lockstep.errors import LockstepError, nearest_of
from lockstep.language.frontend import lower
from lockstep.language.model import Action, Model
from lockstep.language.notation import State
from lockstep.plain.engine import unwatched
from lockstep.plain.exploration import Bounds
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step, Trace
from lockstep.trace.render import render_instance
from lockstep.walk.nearest import Nearest, find_nearest
from lockstep.walk.refusals import PropertyHere, Refusals, property_here, refusals, stuck_here

SECONDS = 10.0
"""The most that looking at one state takes by default."""

SEARCH = Bounds(max_states=2_000_000, max_seconds=10.0)
"""Where looking for a state ends by default."""


class NotTaken(LockstepError):
    """A step cannot be taken where it is asked for: the walk is as it was."""


class Walk:
    """Steps of a model from its initial state, by plain Python.

    The walk stands somewhere in its steps: those before `position` are taken, those from there on
    were taken back and can be taken again. `ModelError` for a model that is not well formed.
    """

    def __init__(
        self, model: Model, *, deadlock_allowed: bool = True, seconds: float = SECONDS
    ) -> None:
        """Looking at one state ends after so many seconds, with `LockstepError`."""
        lower(model)
        self.model = model
        self.position = 0
        """How many steps are taken."""
        self._deadlock_allowed = deadlock_allowed
        self._seconds = seconds
        self._engine = PlainEngine(model)
        self._names: list[str] = []
        self._steps: list[Step] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each step, of those that were taken back, too."""
        return tuple(self._names)

    @property
    def trace(self) -> Trace:
        """What is taken."""
        return Trace(self.model.initial, tuple(self._steps[: self.position]))

    @property
    def here(self) -> State:
        """The state after the steps that are taken."""
        return self._steps[self.position - 1].state if self.position else self.model.initial

    @property
    def before(self) -> State | None:
        """The state before the last step that is taken; None where none is."""
        if not self.position:
            return None
        return self._steps[self.position - 2].state if self.position > 1 else self.model.initial

    def actions(self) -> tuple[ActionHere, ...]:
        """What each action of the model can do here."""
        with self._watched():
            return tuple(
                action_here(self._engine, action, self.here) for action in self.model.actions
            )

    def take(self, name: str) -> Step:
        """Take the enabled instance of that name; steps that were taken back are forgotten.

        `NotTaken` where there is none of that name here.
        """
        with self._watched():
            step = self._step(name)
        del self._names[self.position :], self._steps[self.position :]
        self._names.append(name)
        self._steps.append(step)
        self.position += 1
        return step

    def back(self) -> None:
        """Take the last step back; nothing where none is taken."""
        self.position = max(0, self.position - 1)

    def forward(self) -> None:
        """Take again the step that was taken back last; nothing where there is none."""
        self.position = min(len(self._steps), self.position + 1)

    def go(self, names: Sequence[str], position: int | None = None) -> None:
        """Take the named steps from the initial state, in place of all there were.

        Then stand where `position` of them are taken, by default all. `NotTaken` at the first that
        cannot be taken: those before it are, and the walk stands behind them.
        """
        common = 0
        for old, new in zip(self._names, names, strict=False):
            if old != new:
                break
            common += 1
        self.position = common
        try:
            for number, name in enumerate(names[common:], start=common + 1):
                try:
                    self.take(name)
                except NotTaken as error:
                    raise NotTaken(f"step {number}: {error.message}", cure=error.cure) from None
        finally:
            del self._names[self.position :], self._steps[self.position :]
        if position is not None:
            self.position = max(0, min(position, len(self._steps)))

    def refusals(self, action: str) -> Refusals:
        """Why instances of an action are not enabled here; `LockstepError` for an unknown one."""
        with self._watched() as is_over:
            return refusals(self.model, self._action(action), self.here, is_over)

    def properties(self) -> tuple[PropertyHere, ...]:
        """What each property says here, and of the last step; whether a step leads on comes last.

        What has no meaning here says so.
        """
        with self._watched():
            stated = [
                property_here(self._engine, prop, self.before, self.here)
                for prop in self.model.properties
            ]
            stuck = stuck_here(self._engine, self.here, is_allowed=self._deadlock_allowed)
        return (*stated, stuck)

    def jump(self, predicate: str, bounds: Bounds = SEARCH) -> Nearest:
        """Look for the nearest state in which a predicate over `s` is true, and go there.

        The walk stays where it is if none is found. `Refused` for a text that is no predicate in
        the notation: such a text is never run.
        """
        nearest = find_nearest(self.model, self.here, predicate, bounds)
        self.follow(nearest.steps or ())
        return nearest

    def follow(self, steps: Iterable[Step]) -> None:
        """Take steps of the model that lead on from here."""
        for step in steps:
            self.take(self.name_of(self.here, step))

    def name_of(self, state: State, step: Step) -> str:
        """The name of a step in `state`; `NotTaken` where it cannot be taken there."""
        here = action_here(self._engine, self.model.action(step.action), state)
        name = next((name for name, one in here.steps.items() if one == step), None)
        if name is None:
            raise NotTaken(f"{step.action} cannot be taken so")
        return name

    def names_of(self, trace: Trace) -> tuple[str, ...]:
        """The names of the steps of a behaviour of the model."""
        pairs = zip(trace.states, trace.steps, strict=False)
        return tuple(self.name_of(state, step) for state, step in pairs)

    def _step(self, name: str) -> Step:
        here = action_here(self._engine, self._action(action_of(name)), self.here)
        if name in here.steps:
            return here.steps[name]
        if here.error is not None:
            raise NotTaken(f"{name} has no meaning there: {here.error.message}")
        raise NotTaken(f"{name} is not enabled there")

    def _action(self, name: str) -> Action:
        action = self.model.find_action(name)
        if action is None:
            names = [one.name for one in self.model.actions]
            raise NotTaken(
                f"{self.model.name} has no action {name!r}",
                cure=nearest_of(name, names, "its actions are"),
            )
        return action

    @contextmanager
    def _watched(self) -> Iterator[Callable[[], bool]]:
        """Bound the time of what is asked of the engine; whether it is over can be asked."""
        ends = time.monotonic() + self._seconds

        def is_over() -> bool:
            return time.monotonic() >= ends

        def watch() -> None:
            if is_over():
                raise _Slow

        self._engine.watch = watch
        try:
            yield is_over
        except _Slow:
            raise LockstepError(
                f"looking at this state takes more than {self._seconds:g} s",
                cure="explore a scope in which the domains of parameters are smaller",
            ) from None
        finally:
            self._engine.watch = unwatched


class _Slow(Exception):
    """Looking at a state takes too long."""


@dataclass(frozen=True)
class ActionHere:
    """What one action can do in a state.

    `steps` are its enabled instances by their names, in the model's order. `error` says where the
    action's text has no meaning here: instances after that place are not known.
    """

    action: Action
    steps: dict[str, Step]
    error: EvaluationError | None = None


def action_here(engine: PlainEngine, action: Action, state: State) -> ActionHere:
    """The enabled instances of one action in `state`.

    Each has a name of its own, by which it can be found again in that state. Where values of
    several kinds look the same, a number keeps them apart: `take(x=None) #2`.
    """
    steps: dict[str, Step] = {}
    try:
        for step in engine.instances(action, state):
            text = render_instance(action.name, action.parameters, step.parameters)
            name, number = text, 2
            while name in steps:
                name, number = f"{text} #{number}", number + 1
            steps[name] = step
    except EvaluationError as error:
        return ActionHere(action, steps, error)
    return ActionHere(action, steps)


def action_of(name: str) -> str:
    """The action that the name of an instance begins with."""
    return name.partition("(")[0]
