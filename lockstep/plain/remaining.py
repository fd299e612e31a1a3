"""How many disturbances there are still to come on the shortest ways to a violation."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

from lockstep.language.notation import State
from lockstep.plain.ending import Ending
from lockstep.plain.run import PlainEngine
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.trace import Step

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
