"""Finite domains: what a variable, a field or a parameter may be.

A domain answers four questions: is this value in it (`coerce`, which also makes the value
canonical), what are its values in order (iteration), how many are there (`size`), and how is it
written (`str`). Domains serve as annotations in models and as the types of the IR: the type of
an expression is the smallest domain that the front end can show its value to lie in.

Domains may be too large to enumerate (`Range(0, 2**63 - 1)`): nothing here enumerates unasked.
"""

from __future__ import annotations

import enum
import itertools
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

from lockstep.language.values import Bag, Fielded, NotInDomain, Record, TotalMap


class Domain(ABC):
    """A finite set of values."""

    @abstractmethod
    def coerce(self, value: object, place: str) -> Any:
        """The canonical form of `value`, or `NotInDomain` naming `place`."""

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Every value, in a fixed order."""

    @abstractmethod
    def size(self) -> int:
        """How many values there are."""

    @property
    def is_scalar(self) -> bool:
        """Whether values are atoms: integers, booleans, enum members or names."""
        return False

    def contains(self, value: object) -> bool:
        """Whether `value` is in the domain."""
        try:
            self.coerce(value, "")
        except NotInDomain:
            return False
        return True

    def __or__(self, other: object) -> Domain:
        if other is None:
            return OptionDomain(self)
        return NotImplemented

    def __ror__(self, other: object) -> Domain:
        return self.__or__(other)


@dataclass(frozen=True)
class RangeDomain(Domain):
    """The integers from `low` to `high`, both included."""

    low: int
    high: int

    def coerce(self, value: object, place: str) -> int:
        if type(value) is int and self.low <= value <= self.high:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def size(self) -> int:
        return self.high - self.low + 1

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True)
class BoolDomain(Domain):
    """False and True."""

    def coerce(self, value: object, place: str) -> bool:
        if type(value) is bool:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[bool]:
        return iter((False, True))

    def size(self) -> int:
        return 2

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class EnumDomain(Domain):
    """The members of an enum class, in order of declaration."""

    members_of: type[enum.Enum]

    def coerce(self, value: object, place: str) -> enum.Enum:
        if type(value) is self.members_of:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[enum.Enum]:
        return iter(self.members_of)

    def size(self) -> int:
        return len(self.members_of)

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.members_of.__name__


@dataclass(frozen=True)
class NameDomain(Domain):
    """Values that stand for themselves and know only equality: partitions, replicas, session ids.

    They are Python strings or integers, but no arithmetic or order is defined on them.
    """

    names: tuple[str | int, ...]

    @cached_property
    def _members(self) -> frozenset[str | int]:
        return frozenset(self.names)

    def coerce(self, value: object, place: str) -> str | int:
        if isinstance(value, str | int) and type(value) is not bool and value in self._members:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[str | int]:
        return iter(self.names)

    def size(self) -> int:
        return len(self.names)

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        shown = [repr(name) for name in self.names[:4]] + ["..."] * (len(self.names) > 4)
        return "{" + ", ".join(shown) + "}"


@dataclass(frozen=True)
class RecordDomain(Domain):
    """The records of one class, each field within its own domain."""

    record: type[Record]

    def coerce(self, value: object, place: str) -> Record:
        if type(value) is self.record:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[Record]:
        return map(self.record.of, itertools.product(*self.record.fields.values()))

    def size(self) -> int:
        product = 1
        for field in self.record.fields.values():
            product *= field.size()
        return product

    def __str__(self) -> str:
        return self.record.__name__


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


@dataclass(frozen=True)
class SetDomain(Domain):
    """The subsets of `item`."""

    item: Domain

    def coerce(self, value: object, place: str) -> frozenset[Any]:
        if isinstance(value, frozenset | set):
            return frozenset(self.item.coerce(item, f"an item of {place}") for item in value)
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        items = list(self.item)
        for chosen in itertools.product((False, True), repeat=len(items)):
            yield frozenset(itertools.compress(items, chosen))

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

    def of(self, values: Iterator[object]) -> TotalMap:
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


@dataclass(frozen=True)
class BagDomain(Domain):
    """The bags of at most `capacity` items, repetitions counted."""

    item: Domain
    capacity: int

    def coerce(self, value: object, place: str) -> Bag:
        if isinstance(value, Bag) and len(value) <= self.capacity:
            return Bag.of_counts(
                {self.item.coerce(item, f"an item of {place}"): value.count(item) for item in value}
            )
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[Bag]:
        for length in range(self.capacity + 1):
            for items in itertools.combinations_with_replacement(self.item, length):
                yield Bag(items)

    def size(self) -> int:
        kinds = self.item.size()
        return sum(comb(kinds + length - 1, length) for length in range(self.capacity + 1))

    def __str__(self) -> str:
        return f"Bag[{self.item}, {self.capacity}]"


def domain_of(hint: object, place: str) -> Domain:
    """The domain that an annotation stands for; `TypeError` naming `place` when it is none."""
    if isinstance(hint, Domain):
        return hint
    if hint is bool:
        return BoolDomain()
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return EnumDomain(hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return RecordDomain(hint)
    if isinstance(hint, types.UnionType) and len(hint.__args__) == 2:
        some = [part for part in hint.__args__ if part is not types.NoneType]
        if len(some) == 1:
            return _option(domain_of(some[0], place))
    raise TypeError(f"{place}: {hint!r} is not a domain")


def _option(some: Domain) -> Domain:
    if isinstance(some, OptionDomain):
        raise TypeError(f"{some} is optional already")
    return OptionDomain(some)


def _plain_item(hint: object, place: str) -> Domain:
    item = domain_of(hint, place)
    if item.is_scalar or isinstance(item, RecordDomain):
        return item
    raise TypeError(f"{place}: items are atoms or records, not {item}")


def Range(low: int, high: int) -> RangeDomain:  # noqa: N802 - reads as a domain in models
    """The integers from `low` to `high`, both included."""
    if type(low) is not int or type(high) is not int or low > high:
        raise TypeError(f"Range({low!r}, {high!r}): two integers, the lower first")
    return RangeDomain(low, high)


def OneOf(names: tuple[str | int, ...]) -> NameDomain:  # noqa: N802
    """Names without order or arithmetic, given as a tuple: `OneOf(("p1", "p2"))`."""
    if not isinstance(names, tuple) or not names or len(set(names)) != len(names):
        raise TypeError(f"OneOf({names!r}): a tuple of one or more different names")
    if not all(isinstance(name, str | int) and type(name) is not bool for name in names):
        raise TypeError(f"OneOf({names!r}): names are strings or integers")
    return NameDomain(names)


class _Family:
    """A domain constructor written with brackets, as `Set[Partition]`."""

    def __init__(self, name: str, build: Callable[..., Domain]) -> None:
        self._name = name
        self._build = build

    def __getitem__(self, parts: Any) -> Domain:
        arguments = parts if isinstance(parts, tuple) else (parts,)
        return self._build(*arguments)

    def __repr__(self) -> str:
        return self._name


def _map(key: object, value: object) -> MapDomain:
    keys = domain_of(key, "Map key")
    if not keys.is_scalar:
        raise TypeError(f"Map keys are atoms, not {keys}")
    return MapDomain(keys, domain_of(value, "Map value"))


def _capacity(capacity: object) -> int:
    if type(capacity) is int and capacity >= 0:
        return capacity
    raise TypeError(f"a capacity is a whole number, not {capacity!r}")


Bool = BoolDomain()
"""False and True, for iteration: `for b in Bool`. As an annotation, `bool` means the same."""
Set = _Family("Set", lambda item: SetDomain(_plain_item(item, "Set")))
"""`Set[Partition]`: the subsets of a domain of atoms or records."""
Map = _Family("Map", _map)
"""`Map[Partition, Offset]`: the total functions from one domain to another."""
Sequence = _Family(
    "Sequence", lambda item, n: SequenceDomain(_plain_item(item, "Sequence"), _capacity(n))
)
"""`Sequence[Partition, 3]`: the tuples of at most three items."""
BagOf = _Family("BagOf", lambda item, n: BagDomain(_plain_item(item, "BagOf"), _capacity(n)))
"""`BagOf[Message, 2]`: the multisets of at most two items."""

__all__ = [
    "Bag",
    "BagDomain",
    "BagOf",
    "Bool",
    "BoolDomain",
    "Domain",
    "EnumDomain",
    "Fielded",
    "Map",
    "MapDomain",
    "NameDomain",
    "OneOf",
    "OptionDomain",
    "Range",
    "RangeDomain",
    "Record",
    "RecordDomain",
    "Sequence",
    "SequenceDomain",
    "Set",
    "SetDomain",
    "TotalMap",
    "domain_of",
]
