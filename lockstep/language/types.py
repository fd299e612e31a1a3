"""Static types of expressions: domains, plus the empty one, and how two of them combine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lockstep.language.domains import (
    BagDomain,
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.values import NotInDomain


@dataclass(frozen=True)
class NothingDomain(Domain):
    """No value at all: the item type of an empty set, the inside of a bare `None`."""

    def coerce(self, value: object, place: str) -> Any:
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def size(self) -> int:
        return 0

    def __str__(self) -> str:
        return "nothing"


NOTHING = NothingDomain()


def join(left: Domain, right: Domain) -> Domain | None:
    """The smallest type of both, or None when their values can never be compared."""
    if left == right or isinstance(right, NothingDomain):
        return left
    if isinstance(left, NothingDomain):
        return right
    if isinstance(left, OptionDomain) or isinstance(right, OptionDomain):
        inside = join(some_of(left), some_of(right))
        return None if inside is None else OptionDomain(inside)
    if isinstance(left, RangeDomain) and isinstance(right, RangeDomain):
        return RangeDomain(min(left.low, right.low), max(left.high, right.high))
    left_names, right_names = _names(left), _names(right)
    if left_names is not None and right_names is not None:
        return NameDomain(tuple(dict.fromkeys(left_names + right_names)))
    if isinstance(left, SetDomain) and isinstance(right, SetDomain):
        item = join(left.item, right.item)
        return None if item is None else SetDomain(item)
    if isinstance(left, SequenceDomain) and isinstance(right, SequenceDomain):
        item = join(left.item, right.item)
        return None if item is None else SequenceDomain(item, max(left.capacity, right.capacity))
    if isinstance(left, BagDomain) and isinstance(right, BagDomain):
        item = join(left.item, right.item)
        return None if item is None else BagDomain(item, max(left.capacity, right.capacity))
    if isinstance(left, MapDomain) and isinstance(right, MapDomain) and left.key == right.key:
        value = join(left.value, right.value)
        return None if value is None else MapDomain(left.key, value)
    return None


def some_of(domain: Domain) -> Domain:
    """What is inside an option; a domain that is no option is returned as it is."""
    return domain.some if isinstance(domain, OptionDomain) else domain


def item_of(domain: Domain) -> Domain | None:
    """The items' type of a set, sequence or bag, the keys' of a map; None for anything else."""
    if isinstance(domain, SetDomain | SequenceDomain | BagDomain):
        return domain.item
    return domain.key if isinstance(domain, MapDomain) else None


def is_disjoint(value: Domain, target: Domain) -> bool:
    """Whether no value of the first type can lie in the second domain."""
    if isinstance(value, RangeDomain) and isinstance(target, RangeDomain):
        return value.high < target.low or value.low > target.high
    names, allowed = _names(value), _names(target)
    if names is not None and allowed is not None:
        return not set(names) & set(allowed)
    return False


def capacity_of(domain: Domain) -> int:
    """The most items that a value of a collection type may have."""
    if isinstance(domain, SequenceDomain | BagDomain):
        return domain.capacity
    item = item_of(domain)
    return 0 if item is None else item.size()


def _names(domain: Domain) -> tuple[str | int, ...] | None:
    if isinstance(domain, NameDomain):
        return domain.names
    if isinstance(domain, RangeDomain) and domain.low == domain.high:
        return (domain.low,)  # a literal may stand for a name that happens to be an integer
    return None
