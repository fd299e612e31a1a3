"""Names of one domain, as they stand in the values of others: inside them, or as their keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.source import Place
from lockstep.prove.values import Items, Members, Option, Table, Value

Name: TypeAlias = str | int


class Unlimited(Exception):
    """No number of names is enough for this: `why`, and where in the text that is seen."""

    def __init__(self, why: str, place: Place | None = None) -> None:
        super().__init__(why if place is None else f"{why} ({place})")


@dataclass(frozen=True)
class Names:
    """The names of a domain; other names that stand beside them there may be in it, too."""

    names: frozenset[Name]

    def held_in(self, domain: Domain) -> int:
        """How many of the names a value may hold, those aside that it holds something for."""
        match domain:
            case NameDomain():
                return int(not self.names.isdisjoint(domain.names))
            case OptionDomain():
                return self.held_in(domain.some)
            case RecordDomain():
                return sum(map(self.held_in, domain.record.fields.values()))
            case MapDomain() if self._is_of(domain.key):
                if self.held_in(domain.value):
                    raise Unlimited(f"{domain} leads from each of the names to another")
                return 0
            case MapDomain():
                held = self.held_in(domain.value)
                return held * domain.key.size() if held else 0
            case SetDomain() if self._is_of(domain.item):
                return 0
            case SequenceDomain():
                return domain.capacity * self.held_in(domain.item)
            case SetDomain() if self.held_in(domain.item):
                raise Unlimited(f"{domain} may hold any number of the names")
        return 0

    def keys_of(self, domain: Domain) -> int:
        """How many names pick out a part of a value: 0 where it holds nothing for each of them."""
        match domain:
            case OptionDomain():
                return self.keys_of(domain.some)
            case RecordDomain():
                return max(map(self.keys_of, domain.record.fields.values()), default=0)
            case MapDomain():
                return self._is_of(domain.key) + self.keys_of(domain.value)
            case SetDomain():
                return int(self._is_of(domain.item))
        return 0

    def _is_of(self, domain: Domain) -> bool:
        return isinstance(domain, NameDomain) and not self.names.isdisjoint(domain.names)


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
