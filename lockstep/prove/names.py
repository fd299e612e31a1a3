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
