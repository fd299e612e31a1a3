"""The domains of values: what all have in common, and those of single values."""

from __future__ import annotations

import enum
import itertools
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lockstep.language.values import NotInDomain, TooManyValues


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
"""The most values that are gone through one by one, anywhere."""


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
        if self.high - self.low >= MOST_VALUES:
            raise TooManyValues(
                f"{self} has more than {MOST_VALUES:,} values: they cannot be enumerated"
            )
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
    `interchangeable` says that none is special: a search may take states for one that differ only
    by which name is which.
    """

    names: tuple[str | int, ...]
    interchangeable: bool = field(default=False, compare=False)

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

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        shown = [repr(name) for name in self.names[:4]] + ["..."] * (len(self.names) > 4)
        return "{" + ", ".join(shown) + "}"
