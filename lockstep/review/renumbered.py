"""Equal numbers of a value put down together, where each alone has to stay as it is."""

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
)


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
