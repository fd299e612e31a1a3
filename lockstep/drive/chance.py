"""Drives software along random behaviours of a model, at widths at which nothing can be covered.

Hypothesis does not draw them: it has to see the same draws lead to the same states, and software
need not do the same twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from lockstep.drive.following import Following
from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.model import Action
from lockstep.language.notation import State
from lockstep.plain.exploration import Walks
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step
from lockstep.testing.instances import is_wide
from lockstep.testing.values import integers_near

_ATTEMPTS = 64
"""How often the parameters of an action with too many instances are drawn until they enable it."""
_REMEMBERED = 20_000
"""In how many states it is remembered what an action can do."""


def drive_randomly(
    following: Following, walks: Walks, watch: Callable[[str], None] = lambda _: None
) -> None:
    """Drive the software along so many behaviours, each after a reset.

    `Departed`, or what `watch` raises.
    """
    model, stimuli, chance = following.model, following.stimuli, Random(walks.seed)
    engine = stimuli.engine
    actions = [action for action in model.actions if stimuli.answering(action.name)]

    @lru_cache(maxsize=_REMEMBERED)
    def listed(state: State, number: int) -> Sequence[Step]:
        return tuple(engine.instances(actions[number], state))

    def steps(state: State) -> Iterator[Step]:
        """One step of each action that was found enabled, in a random order."""
        for number in chance.sample(range(len(actions)), len(actions)):
            action = actions[number]
            if not is_wide(action.parameters):
                if instances := listed(state, number):
                    yield chance.choice(instances)
            elif (drawn := _drawn(engine, action, state, chance)) is not None:
                yield drawn

    for count in range(1, walks.count + 1):
        following.reset()
        for _ in range(walks.steps):
            watch(f"{count:,} of {walks.count:,} behaviours")
            step = next(steps(chance.choice(list(following.candidates))), None)
            if step is None:
                break
            following.do(chance.choice(list(stimuli.answered_by(step))))


def _drawn(engine: PlainEngine, action: Action, state: State, chance: Random) -> Step | None:
    """A step of an action with too many instances; None where none was found."""
    near = integers_near(state)
    for _ in range(_ATTEMPTS):
        arguments = tuple(_value(one.domain, near, chance) for one in action.parameters)
        after = engine.run(action, state, arguments)
        if after is not None:
            return Step(action.name, arguments, after)
    return None


def _value(domain: Domain, near: Sequence[int], chance: Random) -> Any:
    """A value of a domain; an integer is as often near those of a state as it is anywhere."""
    match domain:
        case RangeDomain(low, high):
            close = [number for number in near if low <= number <= high]
            is_near = close and chance.random() < 0.5
            return chance.choice(close) if is_near else chance.randint(low, high)
        case OptionDomain(some):
            return None if chance.random() < 0.5 else _value(some, near, chance)
        case RecordDomain(record):
            return record.of(_value(field, near, chance) for field in record.fields.values())
        case SetDomain(item):
            count = chance.randint(0, min(4, item.size()))
            return frozenset(_value(item, near, chance) for _ in range(count))
        case SequenceDomain(item, capacity):
            count = chance.randint(0, capacity)
            return tuple(_value(item, near, chance) for _ in range(count))
        case MapDomain(key, value):
            return domain.of(_value(value, near, chance) for _ in key)
        case _:
            return chance.choice(tuple(domain))
