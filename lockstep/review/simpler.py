"""Values that are nearer to a plain one, so that an example shows what matters and no more.

Equal numbers of a value are lowered together where each alone has to stay as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from lockstep.language.values import TotalMap


def plainest(domain: Domain) -> Any:
    """The value of a domain that is nearest to nothing; no domain is listed for it."""
    match domain:
        case OptionDomain():
            return None
        case RangeDomain(low, high):
            return min(max(low, 0), high)
        case RecordDomain(record):
            return record.of(plainest(field) for field in record.fields.values())
        case MapDomain(key, value):
            return domain.of([plainest(value)] * key.size())
        case SetDomain():
            return frozenset()
        case SequenceDomain():
            return ()
    return next(iter(domain))


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
    match domain:
        case RangeDomain():
            yield value
        case OptionDomain(some):
            if value is not None:
                yield from numbers_in(some, value)
        case RecordDomain(record):
            for field, part in zip(record.fields.values(), value, strict=True):
                yield from numbers_in(field, part)
        case MapDomain(_, part):
            for one in value.values():
                yield from numbers_in(part, one)
        case SequenceDomain(item):
            for one in value:
                yield from numbers_in(item, one)


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
