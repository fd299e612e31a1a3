"""Hypothesis strategies for the values of domains, however large these are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import comb
from typing import Any

from hypothesis import strategies as st

from lockstep.language.domains import (
    BagDomain,
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.notation import State
from lockstep.language.values import Bag, TotalMap

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
        case BagDomain(item, capacity):
            return st.lists(values(item, near), max_size=capacity).map(Bag)
        case MapDomain(key, value):
            one = values(value, near)
            return st.tuples(*(one for _ in key)).map(domain.of)
        case _:
            return st.sampled_from(tuple(domain))


def simplest(domain: Domain) -> Any:
    """The first value of `domain` in its order, found without enumerating any other."""
    match domain:
        case OptionDomain():
            return None
        case RecordDomain(record):
            return record.of(simplest(field) for field in record.fields.values())
        case SetDomain():
            return frozenset()
        case SequenceDomain():
            return ()
        case BagDomain():
            return Bag()
        case MapDomain(key, value):
            one = simplest(value)
            return domain.of(one for _ in key)
        case _:
            return next(iter(domain))


def capped_size(domain: Domain, cap: int) -> int:
    """How many values `domain` has, or `cap` where it has more.

    Unlike `domain.size()` this never computes a number that is much larger than `cap`: the subsets
    of a 64-bit range are too many to count.
    """
    match domain:
        case OptionDomain(some):
            return min(cap, 1 + capped_size(some, cap))
        case RecordDomain(record):
            return capped_product(list(record.fields.values()), cap)
        case SetDomain(item):
            return min(cap, int(2 ** capped_size(item, cap.bit_length())))
        case MapDomain(key, value):
            return min(cap, int(capped_size(value, cap) ** min(key.size(), cap.bit_length())))
        case SequenceDomain(item, capacity):
            kinds = capped_size(item, cap)
            return _sum_up_to(cap, (int(kinds**length) for length in range(capacity + 1)))
        case BagDomain(item, capacity):
            kinds = capped_size(item, cap)
            lengths = range(capacity + 1)
            return _sum_up_to(cap, (comb(kinds + length - 1, length) for length in lengths))
        case _:
            return min(cap, domain.size())


def capped_product(domains: Iterable[Domain], cap: int) -> int:
    """How many combinations of values the domains have, or `cap` where there are more."""
    product = 1
    for domain in domains:
        product *= capped_size(domain, cap)
        if product >= cap:
            return cap
    return product


def integers_near(state: State) -> list[int]:
    """The integers anywhere in `state` and those next to them, in ascending order."""
    return sorted({near for held in _integers(state) for near in (held - 1, held, held + 1)})


def _sum_up_to(cap: int, sizes: Iterable[int]) -> int:
    total = 0
    for size in sizes:
        total += size
        if total >= cap:
            return cap
    return total


def _integers(value: object) -> Iterator[int]:
    match value:
        case bool():
            return
        case int():
            yield value
        case TotalMap():
            for part in value.values():
                yield from _integers(part)
        case tuple() | frozenset() | Bag():
            for part in value:
                yield from _integers(part)
