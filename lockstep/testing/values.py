"""Hypothesis strategies for the values of domains, however large these are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.notation import State
from lockstep.language.types import capped_size
from lockstep.language.values import TotalMap

_WIDE_RANGE = 16
"""Ranges of more integers than this are drawn from near what a state holds, too."""


def values(domain: Domain, near: Sequence[int] = ()) -> st.SearchStrategy[Any]:
    """Any value of `domain`; a failing one shrinks towards few items, small integers, first names.

    Integers of wide ranges come from `near` as often as from anywhere: two integers that must fit
    each other almost never do when both are drawn from 2**63. `near` is in ascending order.

    The domain is never enumerated, its atoms (enum members, names, the keys of maps) apart.
    """
    match domain:
        case RangeDomain(low, high):
            anywhere = st.integers(low, high)
            close = [number for number in near if low <= number <= high]
            if not close or domain.size() <= _WIDE_RANGE:
                return anywhere
            return st.one_of(st.sampled_from(close), anywhere)
        case OptionDomain(some):
            return st.one_of(st.none(), values(some, near))
        case RecordDomain(record):
            fields = (values(field, near) for field in record.fields.values())
            return st.tuples(*fields).map(record.of)
        case SetDomain(item):
            return st.frozensets(values(item, near), max_size=capped_size(item, 2**16))
        case SequenceDomain(item, capacity):
            return st.lists(values(item, near), max_size=capacity).map(tuple)
        case MapDomain(key, value):
            part = values(value, near)
            return st.tuples(*(part for _ in key)).map(domain.of)
        case _:
            return st.sampled_from(tuple(domain))


def integers_near(state: State) -> list[int]:
    """The integers anywhere in `state` and those next to them, in ascending order."""
    return sorted({near for held in _integers(state) for near in (held - 1, held, held + 1)})


def _integers(value: object) -> Iterator[int]:
    match value:
        case bool():
            return
        case int():
            yield value
        case TotalMap():
            for part in value.values():
                yield from _integers(part)
        case tuple() | frozenset():
            for part in value:
                yield from _integers(part)
