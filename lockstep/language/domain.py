"""What a domain is: a finite set of values. And the one domain made from any other: with `None`.

Domains may be too large to enumerate (`Range(0, 2**63 - 1)`): nothing here enumerates unasked.
"""

from __future__ import annotations

import itertools
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lockstep.language.values import NotInDomain


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
