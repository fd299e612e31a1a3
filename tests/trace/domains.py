"""Hypothesis strategies for domains of every kind, and for values of a domain."""

from enum import Enum
from typing import Any

from hypothesis import strategies as st

from lockstep.language.domains import (
    Bool,
    Domain,
    EnumDomain,
    Map,
    MapDomain,
    NameDomain,
    OneOf,
    OptionDomain,
    Range,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.records import Record

INTEGERS = st.integers(-(2**70), 2**70)


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Tagged(Record):
    """Field names that are words of the file format, too."""

    tag: Colour
    value: OneOf(("Some", "None", 7))  # type: ignore[valid-type]


class Nested(Record):
    inner: Tagged | None
    flag: bool
    by_colour: Map[Colour, Range(-1, 2**60)]  # type: ignore[valid-type]


def ranges() -> st.SearchStrategy[Domain]:
    return st.tuples(INTEGERS, INTEGERS).map(lambda ends: RangeDomain(min(ends), max(ends)))


def names() -> st.SearchStrategy[Domain]:
    name = st.one_of(st.text(max_size=4), INTEGERS)
    return st.lists(name, min_size=1, max_size=4, unique=True).map(lambda n: NameDomain(tuple(n)))


def keys() -> st.SearchStrategy[Domain]:
    small = st.integers(-3, 3).map(lambda low: RangeDomain(low, low + 2))
    return st.one_of(small, names(), st.just(Bool), st.just(EnumDomain(Colour)))


def plain() -> st.SearchStrategy[Domain]:
    """What may stand in a set or a sequence."""
    records = st.sampled_from([RecordDomain(Tagged), RecordDomain(Nested)])
    return st.one_of(ranges(), keys(), records)


def collections() -> st.SearchStrategy[Domain]:
    sizes = st.integers(0, 4)
    return st.one_of(
        plain().map(SetDomain),
        st.builds(SequenceDomain, plain(), sizes),
    )


def domains() -> st.SearchStrategy[Domain]:
    """Any domain, maps and options nested a few levels deep."""
    return st.recursive(
        st.one_of(plain(), collections()),
        lambda inner: st.one_of(
            st.builds(MapDomain, keys(), inner),
            inner.filter(lambda d: not isinstance(d, OptionDomain)).map(OptionDomain),
        ),
        max_leaves=4,
    )


def values(domain: Domain) -> st.SearchStrategy[Any]:
    """Any value of a domain."""
    match domain:
        case RangeDomain(low, high):
            return st.integers(low, high)
        case OptionDomain(some):
            return st.none() | values(some)
        case RecordDomain(record):
            return st.tuples(*map(values, record.fields.values())).map(record.of)
        case SetDomain(item):
            return st.frozensets(values(item), max_size=4)
        case SequenceDomain(item, capacity):
            return st.lists(values(item), max_size=capacity).map(tuple)
        case MapDomain(key, inner):
            count = key.size()
            return st.lists(values(inner), min_size=count, max_size=count).map(
                lambda found: domain.of(iter(found))
            )
        case _:
            return st.sampled_from(list(domain))
