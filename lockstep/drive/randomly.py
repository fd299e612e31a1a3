"""Software is driven along random behaviours, which prefer kinds of states that are rare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

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
from lockstep.language.records import Record
from lockstep.language.types import capped_size
from lockstep.plain.exploration import Walks
from lockstep.plain.space import Instance
from lockstep.results.trace import Step
from lockstep.testing.instances import LISTED, is_wide
from lockstep.testing.values import integers_near
from lockstep.trace.layout import show

_Bindings: TypeAlias = Sequence[tuple[Any, ...]]
"""Parameters that enable an action in some state."""

_ATTEMPTS = 64
"""How often the parameters of an action with many instances are drawn until they enable it."""
_FEW = 256
"""The instances of an action up to which they are listed at once; of more they are drawn first."""
_REMEMBERED = 5_000
"""Of so many states it is remembered what is listed there, and of which kind they are."""
MOST_KINDS = 5_000
"""Of so many kinds of states it is counted how often they were chosen."""


def drive_randomly(
    following: Following, walks: Walks, watch: Callable[[str], None] = lambda _: None
) -> None:
    """Drive the software along so many behaviours, each after a reset.

    In every second one the less often a state of some kind was chosen, the likelier it is: by even
    chances what ends a session, which is nearly always enabled, would leave few that live. In the
    others chances are even, for what is rare may need many steps of kinds that are not. `Departed`,
    or what `watch` raises.
    """
    chance, kinds = Random(walks.seed), Kinds()
    enabled = _Enabled(following, chance)
    for count in range(1, walks.count + 1):
        following.reset()
        enabled.refused.clear()
        for _ in range(walks.steps):
            found: list[Step] = []
            for state in chance.sample(list(following.candidates), len(following.candidates)):
                watch(f"{count:,} of {walks.count:,} behaviours")
                if found := list(enabled.steps(state)):
                    break
            if not found:
                break
            weights = [kinds.weight(step.state) if count % 2 else 1.0 for step in found]
            (step,) = chance.choices(found, weights)
            kinds.choose(step.state)
            if following.do(chance.choice(list(following.stimuli.answered_by(step)))) is None:
                enabled.refused.add((step.action, step.parameters))
            else:
                enabled.refused.clear()


class Kinds:
    """How often states of each kind were chosen, where a kind keeps only the signs of numbers.

    Beyond `MOST_KINDS` the counts are halved, and kinds that were chosen once are forgotten.
    """

    def __init__(self) -> None:
        self.chosen = Counter[object]()
        self._kind = lru_cache(maxsize=_REMEMBERED)(_kind)

    def weight(self, state: State) -> float:
        """How likely a state is beside others: 1 where its kind was never chosen, then less."""
        return float((1 + self.chosen[self._kind(state)]) ** -2)

    def choose(self, state: State) -> None:
        self.chosen[self._kind(state)] += 1
        if len(self.chosen) > MOST_KINDS:
            often = {kind: many // 2 for kind, many in self.chosen.items() if many > 1}
            self.chosen = Counter(often)


def _kind(value: Any) -> Any:
    """A value with only the signs of its numbers."""
    if isinstance(value, tuple):
        return tuple(map(_kind, tuple.__iter__(value)))
    if isinstance(value, frozenset):
        return frozenset(map(_kind, value))
    return (value > 0) - (value < 0) if type(value) is int else value


class _Enabled:
    """What is found enabled in a state, but for instances that the software `refused` there."""

    def __init__(self, following: Following, chance: Random) -> None:
        self.refused: set[Instance] = set()
        self._engine, self._chance = following.stimuli.engine, chance
        answering = following.stimuli.answering
        actions = [action for action in following.model.actions if answering(action.name)]
        self._large = [action for action in actions if is_wide(action.parameters, _FEW)]
        self._small = [action for action in actions if action not in self._large]
        self._of_small = lru_cache(maxsize=_REMEMBERED)(self._all_listed)
        self._of_large = lru_cache(maxsize=_REMEMBERED)(self._listed)

    def steps(self, state: State) -> Iterator[Step]:
        """One step of each action; of one with too many instances to list, where one was drawn."""
        for action, listed in zip(self._small, self._of_small(state), strict=True):
            if (step := self._chosen(action, state, listed)) is not None:
                yield step
        near = [*integers_near(state), *_records(state)] if self._large else []
        for number, action in enumerate(self._large):
            step = self._drawn(action, state, near)
            if step is None and not is_wide(action.parameters):
                step = self._chosen(action, state, self._of_large(state, number))
            if step is not None:
                yield step

    def _all_listed(self, state: State) -> Sequence[_Bindings]:
        of_each = (self._engine.instances(action, state) for action in self._small)
        return [[step.parameters for step in steps] for steps in of_each]

    def _listed(self, state: State, number: int) -> _Bindings:
        return [step.parameters for step in self._engine.instances(self._large[number], state)]

    def _chosen(self, action: Action, state: State, listed: _Bindings) -> Step | None:
        """A step of an action whose instances are listed."""
        left = [one for one in listed if (action.name, one) not in self.refused]
        return self._step(action, state, self._chance.choice(left)) if left else None

    def _drawn(self, action: Action, state: State, near: Sequence[Any]) -> Step | None:
        """A step of an action with many instances; None where none was drawn."""
        for _ in range(_ATTEMPTS):
            drawn = tuple(_value(one.domain, near, self._chance) for one in action.parameters)
            is_new = (action.name, drawn) not in self.refused
            if is_new and (step := self._step(action, state, drawn)) is not None:
                return step
        return None

    def _step(self, action: Action, state: State, arguments: tuple[Any, ...]) -> Step | None:
        after = self._engine.run(action, state, arguments)
        return None if after is None else Step(action.name, arguments, after)


def _records(value: Any) -> Iterator[Record]:
    """The records anywhere in a value, in an order that is the same in every process."""
    if isinstance(value, Record):
        yield value
    if isinstance(value, tuple):
        for part in tuple.__iter__(value):
            yield from _records(part)
    if isinstance(value, frozenset):
        yield from sorted((one for part in value for one in _records(part)), key=show)


def _value(domain: Domain, near: Sequence[Any], chance: Random) -> Any:
    """A value of a domain; an integer or a record is as often `near` a state as it is anywhere."""
    match domain:
        case RangeDomain(low, high):
            is_near = chance.random() < 0.5
            close = [n for n in near if type(n) is int and low <= n <= high] if is_near else ()
            return chance.choice(close) if close else chance.randint(low, high)
        case OptionDomain(some):
            return None if chance.random() < 0.5 else _value(some, near, chance)
        case RecordDomain(record):
            is_near = chance.random() < 0.5
            held = [one for one in near if type(one) is record] if is_near else ()
            fields = (_value(field, near, chance) for field in record.fields.values())
            return chance.choice(held) if held else record.of(fields)
        case SetDomain(item) if capped_size(domain, LISTED + 1) <= LISTED:
            items = tuple(item)
            return frozenset(chance.sample(items, chance.randint(0, len(items))))
        case SetDomain(item):
            count = chance.randint(0, 4)
            return frozenset(_value(item, near, chance) for _ in range(count))
        case SequenceDomain(item, capacity):
            count = chance.randint(0, capacity)
            return tuple(_value(item, near, chance) for _ in range(count))
        case MapDomain(key, value):
            return domain.of(_value(value, near, chance) for _ in key)
        case _:
            return chance.choice(tuple(domain))
