"""Values of one load of a model as those of another, whose enums and records are not the same.

Scalars are numbers in both. Keys of maps and items of sets are Python's own: the first of a domain
becomes the first of the other, and so on.
"""

from __future__ import annotations

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.prove.values import Items, Members, Option, Table, Value


def rekeyed(value: Value, domain: Domain, other: Domain) -> Value:
    """A value of a domain as that of the domain which is the same in another load."""
    match domain, other, value:
        case OptionDomain(), OptionDomain(), Option(present, inside):
            some = None if inside is None else rekeyed(inside, domain.some, other.some)
            return Option(present, some)
        case OptionDomain(), OptionDomain(), _:
            return rekeyed(value, domain.some, other.some)
        case RecordDomain(), RecordDomain(), tuple():
            fields, others = domain.record.fields.values(), other.record.fields.values()
            parts = zip(value, fields, others, strict=True)
            return tuple(rekeyed(part, field, its) for part, field, its in parts)
        case MapDomain(), MapDomain(), Table(values):
            keys = zip(domain.key, other.key, strict=True)
            return Table(
                {its: rekeyed(values[key], domain.value, other.value) for key, its in keys}
            )
        case SetDomain(), SetDomain(), Members(items):
            pairs = zip(domain.item, other.item, strict=True)
            return Members({its: items.get(item, False) for item, its in pairs})
        case SequenceDomain(), SequenceDomain(), Items(length, parts):
            return Items(length, tuple(rekeyed(part, domain.item, other.item) for part in parts))
    return value
