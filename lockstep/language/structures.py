"""The domains of collections: sets, maps and sequences."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lockstep.language.domain import Domain
from lockstep.language.values import NotInDomain, OrderedSet, TotalMap


@dataclass(frozen=True)
class SetDomain(Domain):
    """The subsets of `item`."""

    item: Domain

    def coerce(self, value: object, place: str) -> frozenset[Any]:
        if isinstance(value, frozenset | set):
            kind = OrderedSet if isinstance(value, OrderedSet) else frozenset
            return kind(self.item.coerce(item, f"an item of {place}") for item in value)
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        items = list(self.item)
        for chosen in itertools.product((False, True), repeat=len(items)):
            yield OrderedSet(itertools.compress(items, chosen))

    def size(self) -> int:
        return int(2 ** self.item.size())

    def __str__(self) -> str:
        return f"Set[{self.item}]"


@dataclass(frozen=True)
class MapDomain(Domain):
    """The total functions from `key` to `value`."""

    key: Domain
    value: Domain

    @cached_property
    def _shape(self) -> type[TotalMap]:
        positions = {key: position for position, key in enumerate(self.key)}
        return type("TotalMap", (TotalMap,), {"positions": positions, "__slots__": ()})

    def of(self, values: Iterable[object]) -> TotalMap:
        """Build from canonical values, one a key in the keys' order."""
        return self._shape(values)

    def updated(self, old: TotalMap, key: object, value: object) -> TotalMap:
        """`old` with the value of one key changed; `KeyError` for a key outside the domain."""
        position = self._shape.positions[key]
        values = old.values()
        return self._shape((*values[:position], value, *values[position + 1 :]))

    def coerce(self, value: object, place: str) -> TotalMap:
        positions = self._shape.positions
        if isinstance(value, TotalMap | dict) and len(value) == len(positions):
            try:
                return self._shape(
                    self.value.coerce(value[key], f"{place}[{key!r}]") for key in positions
                )
            except KeyError:
                pass
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[TotalMap]:
        return map(self._shape, itertools.product(self.value, repeat=self.key.size()))

    def size(self) -> int:
        return int(self.value.size() ** self.key.size())

    def __str__(self) -> str:
        return f"Map[{self.key}, {self.value}]"


@dataclass(frozen=True)
class SequenceDomain(Domain):
    """The sequences (tuples) of at most `capacity` items."""

    item: Domain
    capacity: int

    def coerce(self, value: object, place: str) -> tuple[Any, ...]:
        if type(value) is tuple and len(value) <= self.capacity:
            return tuple(self.item.coerce(item, f"an item of {place}") for item in value)
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for length in range(self.capacity + 1):
            yield from itertools.product(self.item, repeat=length)

    def size(self) -> int:
        return sum(int(self.item.size() ** length) for length in range(self.capacity + 1))

    def __str__(self) -> str:
        return f"Sequence[{self.item}, {self.capacity}]"
