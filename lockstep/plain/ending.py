"""Where a shortest behaviour ends: in a state, or with a step, that violates a property."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from lockstep.language.model import DEADLOCK, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import Engine, is_stuck
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Step, Trace


@dataclass(frozen=True)
class Ending:
    """A property that no behaviour of fewer than `steps` steps violates; `prop` None: a deadlock.

    No property that the model declares before it is violated by behaviours of so many steps.
    """

    prop: Property | None
    steps: int

    @property
    def is_of_step(self) -> bool:
        """Whether the last step violates it, and not the last state."""
        return self.prop is not None and self.prop.kind is Kind.STEP_INVARIANT

    @property
    def judged(self) -> int:
        """After how many steps the state comes that is judged, or whose steps are."""
        return self.steps - 1 if self.is_of_step else self.steps

    def is_at(self, engine: Engine, before: State, after: State | None = None) -> bool:
        """Whether a state, or the step from it to `after`, violates the property."""
        if self.prop is None:
            try:
                return is_stuck(before, list(engine.successors(before)))
            except EvaluationError:
                return False
        return any(prop is self.prop for prop, _ in _failing(engine, before, after))


def ending_of(engine: Engine, violation: Violation) -> Ending:
    """Where a violation at the end of a shortest behaviour is."""
    name = violation.properties[0]
    prop = engine.model.find_property(name)
    assert prop is not None or name == DEADLOCK
    return Ending(prop, len(violation.trace.steps))


def violated_at_the_end(engine: Engine, trace: Trace) -> dict[str, tuple[Any, ...]]:
    """The properties that fail at the end of a behaviour, in the model's order.

    Each comes with the first binding for which it fails. What comes after one that has no value
    there is not looked at.
    """
    failing = {prop.name: values for prop, values in _failing(engine, trace.last, None)}
    if trace.steps:
        last_step = _failing(engine, *trace.states[-2:])
        failing |= {prop.name: values for prop, values in last_step}
    return {
        prop.name: failing[prop.name] for prop in engine.model.properties if prop.name in failing
    }


def _failing(
    engine: Engine, before: State, after: State | None
) -> Iterator[tuple[Property, tuple[Any, ...]]]:
    """The properties of a state, or of a step, that fail, up to where one has no value."""
    kind = Kind.INVARIANT if after is None else Kind.STEP_INVARIANT
    try:
        for prop in engine.model.of_kind(kind):
            failing = engine.evaluate(prop, before, after).failing
            if failing is not None:
                yield prop, failing
    except EvaluationError:
        return


Remaining: TypeAlias = Callable[[int, State], int | None]
"""Of a state that is so many steps from the initial one: the fewest disturbances from there on.

None where no shortest behaviour to the violation leads through it. A disturbance is a step by an
action that is the environment's.
"""

_Moves: TypeAlias = dict[State, list[Step]]


def plain_remaining(engine: PlainEngine, ending: Ending, environment: Collection[str]) -> Remaining:
    """The same by plain Python, which goes through all states that are as near once more."""
    levels = _levels(engine, ending.judged)
    last, *earlier = reversed(levels)
    fewest: list[dict[State, int]] = [{}]
    for state, steps in last.items():
        if not ending.is_of_step:
            if ending.is_at(engine, state):
                fewest[0][state] = 0
            continue
        costs = [
            step.action in environment for step in steps if ending.is_at(engine, state, step.state)
        ]
        if costs:
            fewest[0][state] = int(min(costs))
    for level in earlier:
        following = fewest[-1]
        here: dict[State, int] = {}
        for state, steps in level.items():
            sums = [
                following[step.state] + (step.action in environment)
                for step in steps
                if step.state in following
            ]
            if sums:
                here[state] = min(sums)
        fewest.append(here)
    fewest.reverse()
    return lambda depth, state: fewest[depth].get(state)


def _levels(engine: PlainEngine, depth: int) -> list[_Moves]:
    """The states of each level up to a depth, with all steps of each."""
    levels: list[_Moves] = []
    known = {engine.model.initial}
    level = [engine.model.initial]
    while True:
        moves = {state: _steps(engine, state) for state in level}
        levels.append(moves)
        if len(levels) > depth:
            return levels
        reached = dict.fromkeys(step.state for steps in moves.values() for step in steps)
        level = [state for state in reached if state not in known]
        known.update(level)


def _steps(engine: PlainEngine, state: State) -> list[Step]:
    """The steps of a state; none where the text has no meaning, for there a search ends too."""
    try:
        return list(engine.successors(state))
    except EvaluationError:
        return []
