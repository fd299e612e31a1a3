"""An instance of an action in two models, made as plain as some condition on it allows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

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
from lockstep.language.types import parts_of_value, plainest
from lockstep.language.values import TotalMap
from lockstep.review.joint import Instance
from lockstep.review.pair import Pair
from lockstep.trace.itf_values import Misfit, decode, encode

MOST_TRIES = 5_000
"""The most instances that are looked at on the way to a plainer one."""
LOWEST_NUMBERS = 4
"""Numbers from 0 up that are put in place of larger ones."""


@dataclass(frozen=True)
class Place:
    """A variable or a parameter of one model, by the number of the model and its position there."""

    number: int
    position: int
    domain: Domain
    is_parameter: bool

    def value(self, instance: Instance) -> Any:
        """What stands there."""
        parts = instance.arguments if self.is_parameter else instance.states
        return parts[self.number][self.position]

    def put(self, instance: Instance, value: Any) -> Instance:
        """The instance with another value there."""
        states, arguments = list(instance.states), list(instance.arguments)
        if self.is_parameter:
            arguments[self.number] = self._with(arguments[self.number], value)
        else:
            state = states[self.number]
            states[self.number] = state.of(self._with(state, value))
        return Instance((states[0], states[1]), (arguments[0], arguments[1]))

    def _with(self, values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
        return (*values[: self.position], value, *values[self.position + 1 :])


@dataclass(frozen=True)
class Slot:
    """What has one value: a place, or the same place of both models; and its plain value."""

    places: tuple[Place, ...]
    plain: Any

    def put(self, instance: Instance, value: Any) -> Instance | None:
        """The instance with another value of the first place in all; None where one has it not."""
        first, *others = self.places
        instance = first.put(instance, value)
        for place in others:
            try:
                there = decode(place.domain, encode(first.domain, value), "")
            except Misfit:
                return None
            instance = place.put(instance, there)
        return instance


def slots_of(
    pair: Pair, actions: tuple[Action, Action], shared: Collection[str], number: int
) -> list[Slot]:
    """Every variable, plain where it is as in the initial state, and every parameter of a step.

    `actions` are those of both models, `shared` their common parameters, and the step is one of the
    model of this `number`.
    """
    models = (pair.one, pair.other)
    slots = []
    for owner, model in enumerate(models):
        for position, (name, domain) in enumerate(model.variables.items()):
            places = [Place(owner, position, domain, is_parameter=False)]
            if name in pair.shared:
                if owner == 1:
                    continue
                there = list(pair.other.variables).index(name)
                its = pair.other.variables[name]
                places.append(Place(1, there, its, is_parameter=False))
            slots.append(Slot(tuple(places), model.initial[position]))
    others = {one.name: place for place, one in enumerate(actions[1 - number].parameters)}
    for position, one in enumerate(actions[number].parameters):
        places = [Place(number, position, one.domain, is_parameter=True)]
        if one.name in shared:
            there = others[one.name]
            its = actions[1 - number].parameters[there].domain
            places.append(Place(1 - number, there, its, is_parameter=True))
        slots.append(Slot(tuple(places), plainest(one.domain)))
    return slots


def plainer(
    instance: Instance, slots: Sequence[Slot], is_one: Callable[[Instance], bool]
) -> Instance:
    """The instance made plainer, one step after the other, as long as it is one."""
    moves = [*(partial(_with_plainer, slot) for slot in slots), partial(_with_lower_numbers, slots)]
    tries, is_done = 0, False
    while not is_done:
        is_done = True
        for move in moves:
            for candidate in move(instance):
                tries += 1
                if tries > MOST_TRIES:
                    return instance
                if is_one(candidate):
                    instance, is_done = candidate, False
                    break
    return instance


def _with_plainer(slot: Slot, instance: Instance) -> Iterator[Instance]:
    """The instance with plainer values of one slot."""
    first = slot.places[0]
    for value in simpler(first.domain, first.value(instance), slot.plain):
        candidate = slot.put(instance, value)
        if candidate is not None:
            yield candidate


def _with_lower_numbers(slots: Sequence[Slot], instance: Instance) -> Iterator[Instance]:
    """The instance with a lower number in place of another one, in all slots."""
    firsts = [slot.places[0] for slot in slots]
    numbers = {number for one in firsts for number in numbers_in(one.domain, one.value(instance))}
    for old in sorted(numbers, reverse=True):
        for new in range(min(old, LOWEST_NUMBERS)):
            candidate: Instance | None = instance
            for slot, first in zip(slots, firsts, strict=True):
                if candidate is not None:
                    value = renumbered(first.domain, first.value(instance), old, new)
                    candidate = slot.put(candidate, value)
            if candidate is not None:
                yield candidate


def simpler(domain: Domain, value: Any, plain: Any) -> Iterator[Any]:
    """Values between a value and a plain one, the plain one first and the nearest to it next."""
    if value == plain:
        return
    yield plain
    match domain:
        case OptionDomain(some):
            if value is not None:
                yield from simpler(some, value, plainest(some) if plain is None else plain)
        case RangeDomain():
            yield from _numbers(value, plain)
        case RecordDomain(record):
            for name, part in record.fields.items():
                for nearer in simpler(part, getattr(value, name), getattr(plain, name)):
                    yield record.of(
                        nearer if name == other else getattr(value, other)
                        for other in record.fields
                    )
        case MapDomain(key, part):
            assert isinstance(value, TotalMap)
            for one in key:
                for nearer in simpler(part, value[one], plain[one]):
                    yield domain.updated(value, one, nearer)
        case SetDomain(item):
            for one in item:
                if (one in value) != (one in plain):
                    yield value ^ {one}
        case SequenceDomain(item):
            yield from _sequences(item, value)


def _numbers(value: int, plain: int) -> Iterator[int]:
    """Numbers on the way, in steps that grow, so that one of 63 bits is few steps away."""
    distance, sign = abs(value - plain), 1 if value > plain else -1
    step = 1
    while step < distance:
        yield plain + sign * step
        step *= 2
    if distance > 1:
        yield value - sign


def _sequences(item: Domain, value: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for place in range(len(value)):
        yield value[:place] + value[place + 1 :]
    for place, part in enumerate(value):
        for nearer in simpler(item, part, plainest(item)):
            yield (*value[:place], nearer, *value[place + 1 :])


def numbers_in(domain: Domain, value: Any) -> Iterator[int]:
    """The integers of a value, but for those in sets."""
    if isinstance(domain, RangeDomain):
        yield value
    elif not isinstance(domain, SetDomain):
        for part in parts_of_value(domain, value):
            yield from numbers_in(*part)


def renumbered(domain: Domain, value: Any, old: int, new: int) -> Any:
    """A value with one integer in place of another, wherever that can be."""
    match domain:
        case RangeDomain(low, high):
            return new if value == old and low <= new <= high else value
        case OptionDomain(some):
            return None if value is None else renumbered(some, value, old, new)
        case RecordDomain(record):
            parts = zip(record.fields.values(), value, strict=True)
            return record.of(renumbered(field, part, old, new) for field, part in parts)
        case MapDomain(_, part):
            return domain.of(renumbered(part, one, old, new) for one in value.values())
        case SequenceDomain(item):
            return tuple(renumbered(item, one, old, new) for one in value)
    return value
