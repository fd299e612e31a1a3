"""Static types of expressions: domains, plus the empty one; how two combine, and their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lockstep.language.domains import (
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.values import NotInDomain


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


def _sum_up_to(cap: int, sizes: Iterable[int]) -> int:
    total = 0
    for size in sizes:
        total += size
        if total >= cap:
            return cap
    return total


_MOST_ITEMS = 2**64
"""More than any collection has, whatever its domain."""


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
    if isinstance(left, MapDomain) and isinstance(right, MapDomain) and left.key == right.key:
        value = join(left.value, right.value)
        return None if value is None else MapDomain(left.key, value)
    return None


def some_of(domain: Domain) -> Domain:
    """What is inside an option; a domain that is no option is returned as it is."""
    return domain.some if isinstance(domain, OptionDomain) else domain


def item_of(domain: Domain) -> Domain | None:
    """The items' type of a set or sequence, the keys' of a map; None for anything else."""
    if isinstance(domain, SetDomain | SequenceDomain):
        return domain.item
    return domain.key if isinstance(domain, MapDomain) else None


def parts_of_domain(domain: Domain) -> Iterator[Domain]:
    """A domain and all that it is made of."""
    yield domain
    match domain:
        case OptionDomain():
            yield from parts_of_domain(domain.some)
        case RecordDomain():
            for field in domain.record.fields.values():
                yield from parts_of_domain(field)
        case MapDomain():
            yield from parts_of_domain(domain.key)
            yield from parts_of_domain(domain.value)
        case SetDomain() | SequenceDomain():
            yield from parts_of_domain(domain.item)


def parts_of_value(domain: Domain, value: Any) -> Iterator[tuple[Domain, Any]]:
    """The parts that a value is made of at once, each with its domain; keys of maps are none."""
    match domain:
        case OptionDomain(some):
            if value is not None:
                yield some, value
        case RecordDomain(record):
            yield from zip(record.fields.values(), value, strict=True)
        case MapDomain(_, part):
            yield from ((part, one) for one in value.values())
        case SetDomain(item) | SequenceDomain(item):
            yield from ((item, one) for one in value)


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


def is_item(domain: Domain) -> bool:
    """Whether sets and sequences may have items of this type: atoms and records."""
    return domain.is_scalar or isinstance(domain, RecordDomain | NothingDomain)


def is_disjoint(value: Domain, target: Domain) -> bool:
    """Whether it is certain that no value of the first type lies in the second domain."""
    if isinstance(value, OptionDomain):
        return not isinstance(target, OptionDomain) and is_disjoint(value.some, target)
    if isinstance(value, NothingDomain):
        return True
    target = some_of(target)
    if isinstance(value, RangeDomain) and isinstance(target, RangeDomain):
        return value.high < target.low or value.low > target.high
    names, allowed = _names(value), _names(target)
    return names is not None and allowed is not None and not set(names) & set(allowed)


def is_within(value: Domain, target: Domain) -> bool:
    """Whether every value of the first type lies in the second domain: no check is needed."""
    if value == target or isinstance(value, NothingDomain):
        return True
    if isinstance(target, OptionDomain):
        return is_within(some_of(value), target.some)
    match value, target:
        case RangeDomain(), RangeDomain():
            return target.low <= value.low and value.high <= target.high
        case SetDomain(), SetDomain():
            return is_within(value.item, target.item)
        case SequenceDomain(item, most), SequenceDomain(allowed_item, capacity):
            return most <= capacity and is_within(item, allowed_item)
        case MapDomain(), MapDomain():
            return value.key == target.key and is_within(value.value, target.value)
    names, allowed = _names(value), _names(target)
    return names is not None and allowed is not None and set(names) <= set(allowed)


def capacity_of(domain: Domain) -> int:
    """The most items that a value of a collection type may have."""
    if isinstance(domain, SequenceDomain):
        return domain.capacity
    item = item_of(domain)
    return 0 if item is None else capped_size(item, _MOST_ITEMS)


def described(domain: Domain) -> str:
    """A type in the words of a diagnostic: `an integer in 0..3`, `a set of Partition`."""
    match domain:
        case RangeDomain():
            one = domain.low == domain.high
            return f"the integer {domain.low}" if one else f"an integer in {domain}"
        case NameDomain():
            one = len(domain.names) == 1
            return f"the name {domain.names[0]!r}" if one else f"a name in {domain}"
        case EnumDomain() | RecordDomain():
            return f"{'an' if str(domain)[0] in 'AEIOU' else 'a'} {domain}"
        case OptionDomain():
            return "None" if domain.some == NOTHING else f"None or {described(domain.some)}"
        case SetDomain(item) | SequenceDomain(item) if item == NOTHING:
            return f"an empty {_COLLECTIONS[type(domain)]}"
        case SetDomain(item) | SequenceDomain(item):
            return f"a {_COLLECTIONS[type(domain)]} of {item}"
        case MapDomain():
            return f"a map from {domain.key} to {domain.value}"
        case NothingDomain():
            return "nothing"
    return f"a {domain}"


_COLLECTIONS: dict[type[Domain], str] = {
    SetDomain: "set",
    SequenceDomain: "sequence",
}


def _names(domain: Domain) -> tuple[str | int, ...] | None:
    if isinstance(domain, NameDomain):
        return domain.names
    if isinstance(domain, RangeDomain) and domain.low == domain.high:
        return (domain.low,)  # a literal may stand for a name that happens to be an integer
    return None
