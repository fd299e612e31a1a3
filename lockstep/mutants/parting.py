"""A shortest behaviour that a mutant has and its model has not, by plain Python."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from lockstep.language.likeness import plain_value
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step, Trace

MOST_SECONDS = 20.0
"""How long a behaviour is looked for."""

_Key: TypeAlias = tuple[str, object, object]
"""What is the same of a step in two loads: its action, its parameters and where it leads."""


class Parts(Enum):
    """How a mutant differs in a step: another action, another outcome of it, or one less."""

    MORE = "only the mutant takes"
    OTHERWISE = "the mutant has another outcome of"
    LESS = "only the model takes"


@dataclass(frozen=True)
class Parting:
    """A behaviour to a state in which mutant and model differ, and its last step the difference.

    It is the mutant's own; where the mutant lacks a step, that is the model's.
    """

    trace: Trace
    parts: Parts


def parting_of(model: Model, mutant: Model) -> Parting | None:
    """The nearest step that only the mutant takes, or else the nearest that only the model takes.

    None where the time is over before there is any.
    """
    until = time.monotonic() + MOST_SECONDS
    engines = PlainEngine(model), PlainEngine(mutant)
    came: dict[object, tuple[object, Step] | None] = {plain_value(mutant.initial): None}
    waiting: list[tuple[State, State]] = [(model.initial, mutant.initial)]
    lacking: Parting | None = None
    for own, other in waiting:  # which grows
        here = plain_value(other)
        if plain_value(own) != here or time.monotonic() > until:
            break
        taken, changed = (
            {_key(step): step for step in engine.successors(state)}
            for engine, state in zip(engines, (own, other), strict=True)
        )
        if (more := _first(changed, taken)) is not None:
            is_other = (more.action, plain_value(more.parameters)) in {key[:2] for key in taken}
            parts = Parts.OTHERWISE if is_other else Parts.MORE
            return Parting(_trace(mutant, came, here, more), parts)
        if lacking is None and (lost := _first(taken, changed)) is not None:
            lacking = Parting(_trace(mutant, came, here, lost), Parts.LESS)
        for key, step in changed.items():
            if key[2] not in came:
                came[key[2]] = here, step
                waiting.append((taken[key].state, step.state))
    return lacking


def _first(steps: dict[_Key, Step], others: dict[_Key, Step]) -> Step | None:
    """The first step that is not among others."""
    return next((step for key, step in steps.items() if key not in others), None)


def _key(step: Step) -> _Key:
    return step.action, plain_value(step.parameters), plain_value(step.state)


def _trace(
    mutant: Model, came: dict[object, tuple[object, Step] | None], here: object, last: Step
) -> Trace:
    """The behaviour to a state that was found, and one step more."""
    steps = [last]
    while (before := came[here]) is not None:
        here, step = before
        steps.append(step)
    return Trace(mutant.initial, tuple(reversed(steps)))
