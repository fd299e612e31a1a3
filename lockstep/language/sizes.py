"""How many values a domain has, where that may be too many to count."""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)


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
