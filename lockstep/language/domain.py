"""The domains of values: what all have in common, those of single values, and collections."""

from __future__ import annotations

import enum
import itertools
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from lockstep.language.values import IS_LOADING, NotInDomain, OrderedSet, TooManyValues, TotalMap


class _DomainType(ABCMeta):
    """The type of domains; what they have in common cannot be set, since models can name it."""

    def __setattr__(cls, name: str, value: object) -> None:
        if cls.__base__ is object and "_abc_impl" in vars(cls):
            raise TypeError(f"{cls.__name__}.{name} cannot be set: the class is made already")
        super().__setattr__(name, value)

    def register(cls, subclass: type[Any]) -> Any:
        raise TypeError(f"no other class can be registered as a {cls.__name__}")


class Domain(metaclass=_DomainType):
    """A finite set of values."""

    is_scalar: ClassVar[bool] = False
    """Whether values are atoms: integers, booleans, enum members or names."""

    @abstractmethod
    def coerce(self, value: object, place: str) -> Any:
        """The canonical form of `value`, or `NotInDomain` naming `place`."""

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Every value, in a fixed order."""

    @abstractmethod
    def size(self) -> int:
        """How many values there are."""

    def contains(self, value: object) -> bool:
        """Whether `value` is in the domain."""
        try:
            self.coerce(value, "")
        except NotInDomain:
            return False
        return True

    def __or__(self, other: object) -> Domain:
        if other is not None:
            return NotImplemented
        if isinstance(self, OptionDomain):
            raise TypeError(f"{self} is optional already")
        return OptionDomain(self)

    def __ror__(self, other: object) -> Domain:
        return self.__or__(other)


@dataclass(frozen=True)
class OptionDomain(Domain):
    """`None`, or a value of `some`."""

    some: Domain

    def coerce(self, value: object, place: str) -> Any:
        return None if value is None else self.some.coerce(value, place)

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain((None,), self.some)

    def size(self) -> int:
        return 1 + self.some.size()

    def __str__(self) -> str:
        return f"{self.some} | None"


MOST_VALUES = 2**22
"""The most values that are enumerated, anywhere."""


@dataclass(frozen=True)
class RangeDomain(Domain):
    """The integers from `low` to `high`, both included."""

    low: int
    high: int
    is_scalar = True

    def coerce(self, value: object, place: str) -> int:
        if type(value) is int and self.low <= value <= self.high:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[int]:
        if self.high - self.low >= MOST_VALUES:
            raise TooManyValues(
                f"{self} has more than {MOST_VALUES:,} values: they cannot be enumerated"
            )
        return iter(range(self.low, self.high + 1))

    def size(self) -> int:
        return self.high - self.low + 1

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True)
class BoolDomain(Domain):
    """False and True."""

    is_scalar = True

    def coerce(self, value: object, place: str) -> bool:
        if type(value) is bool:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[bool]:
        return iter((False, True))

    def size(self) -> int:
        return 2

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class EnumDomain(Domain):
    """The members of an enum class, in order of declaration."""

    members_of: type[enum.Enum]
    is_scalar = True

    def coerce(self, value: object, place: str) -> enum.Enum:
        if type(value) is self.members_of:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[enum.Enum]:
        return iter(self.members_of)

    def size(self) -> int:
        return len(self.members_of)

    def __str__(self) -> str:
        return self.members_of.__name__


@dataclass(frozen=True)
class NameDomain(Domain):
    """Values that stand for themselves and know only equality: partitions, replicas, session ids.

    They are Python strings or integers, but no arithmetic or order is defined on them.
    `interchangeable` says that none is special: a search may take states for one that differ only
    by which name is which.
    """

    names: tuple[str | int, ...]
    interchangeable: bool = field(default=False, compare=False)
    is_scalar = True

    @cached_property
    def _members(self) -> frozenset[str | int]:
        return frozenset(self.names)

    def coerce(self, value: object, place: str) -> str | int:
        if isinstance(value, str | int) and type(value) in (str, int) and value in self._members:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[str | int]:
        return iter(self.names)

    def size(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        shown = [repr(name) for name in self.names[:4]] + ["..."] * (len(self.names) > 4)
        return "{" + ", ".join(shown) + "}"


@dataclass(frozen=True)
class SetDomain(Domain):
    """The subsets of `item`."""

    item: Domain

    def coerce(self, value: object, place: str) -> frozenset[Any]:
        if isinstance(value, frozenset | set):
            # A search is faster with Python's own sets, and no order matters there.
            keeps_order = isinstance(value, OrderedSet) and IS_LOADING.get()
            kind = OrderedSet if keeps_order else frozenset
            return kind(self.item.coerce(item, f"an item of {place}") for item in value)
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        items = list(self.item)
        kind = OrderedSet if IS_LOADING.get() else frozenset
        for chosen in itertools.product((False, True), repeat=len(items)):
            yield kind(itertools.compress(items, chosen))

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
