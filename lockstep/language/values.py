"""The values that states are made of: immutable, hashable, and equal exactly when TLA+ says so.

Integers, booleans, enum members, names, `None`, `frozenset` and `tuple` are Python's own. This
package adds the two shapes that Python lacks in immutable form: records and total maps. Both are
tuples underneath, so that hashing and comparing a whole state runs in C. And it adds sets that keep
an order, for the time in which a model is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from contextvars import ContextVar
from types import BuiltinMethodType
from typing import Any, ClassVar


class NotInDomain(Exception):
    """A value was about to be stored where its domain does not allow it.

    `place` names what was written (a variable, a field, a key), `value` is what was offered, and
    `domain` what it is not in.
    """

    def __init__(self, place: str, value: object, domain: object) -> None:
        super().__init__(f"{place} = {value!r} is not in {domain}")
        self.place = place
        self.value = value
        self.domain = domain


class TooManyValues(Exception):
    """A domain was about to be enumerated that has too many values for that."""


class TotalMap(tuple[Any, ...]):
    """A total function from the values of a finite domain: one value a key, in the keys' order.

    Each map domain has a subclass of its own that knows where a key's value stands.
    """

    __slots__ = ()

    positions: ClassVar[dict[object, int]] = {}

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.positions[key])

    def __contains__(self, key: object) -> bool:
        raise TypeError("a total map has every key: ask for its value instead")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.positions)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, dict):
            return self.positions.keys() == other.keys() and all(
                self[k] == v for k, v in other.items()
            )
        return tuple.__eq__(self, other) if isinstance(other, tuple) else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the keys."""
        return tuple(tuple.__iter__(self))

    def items(self) -> Iterator[tuple[object, Any]]:
        """Pairs of key and value, in the order of the keys."""
        return zip(self.positions, tuple.__iter__(self), strict=True)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self.items()) + "}"


IS_LOADING: ContextVar[bool] = ContextVar("IS_LOADING", default=False)
"""Whether a model's files are being run, so that the order of sets can matter."""


class Sealed(type):
    """The type of classes that models can reach: they stay as they are for all other models."""

    def __setattr__(cls, name: str, value: object) -> None:
        raise TypeError(f"{cls.__name__}.{name} cannot be set: the class is made already")

    def __delattr__(cls, name: str) -> None:
        raise TypeError(f"{cls.__name__}.{name} cannot be removed")


class OrderedSet(frozenset[Any], metaclass=Sealed):
    """A set whose items come in the order in which they were written.

    The order of Python's own sets of texts differs from process to process.
    """

    _order: tuple[Any, ...]

    def __new__(cls, items: Iterable[Any] = ()) -> OrderedSet:
        order = tuple(dict.fromkeys(items))
        made = super().__new__(cls, order)
        vars(made)["_order"] = order
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise TypeError(f"{name} of a set cannot be set")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._order)

    def copy(self) -> OrderedSet:
        return self

    def union(self, *others: Iterable[Any]) -> OrderedSet:
        return OrderedSet(item for one in (self, *others) for item in one)

    def intersection(self, *others: Iterable[Any]) -> OrderedSet:
        return OrderedSet(item for item in self if all(item in set(one) for one in others))

    def difference(self, *others: Iterable[Any]) -> OrderedSet:
        return OrderedSet(item for item in self if not any(item in set(one) for one in others))

    def symmetric_difference(self, other: Iterable[Any]) -> OrderedSet:
        others = OrderedSet(other)
        return self.difference(others).union(others.difference(self))

    __or__ = union
    __and__ = intersection
    __sub__ = difference
    __xor__ = symmetric_difference

    def __class_getitem__(cls, item: Any) -> Any:
        return set[item]  # what an annotation means by it

    def __repr__(self) -> str:
        """As that of a frozenset, which it may equal: only the order of the items is its own."""
        return "frozenset({" + ", ".join(map(repr, self)) + "})" if self else "frozenset()"


class _OrderedView(Set[Any]):
    """A view of a dict whose set operations keep the order of items, as `OrderedSet` does."""

    def __init__(self, view: Set[Any]) -> None:
        self._view = view

    @classmethod
    def _from_iterable(cls, items: Iterable[Any]) -> OrderedSet:
        return OrderedSet(items)

    def __contains__(self, item: object) -> bool:
        return item in self._view

    def __iter__(self) -> Iterator[Any]:
        return iter(self._view)

    def __reversed__(self) -> Iterator[Any]:
        return iter(tuple(self._view)[::-1])

    def __len__(self) -> int:
        return len(self._view)

    def __repr__(self) -> str:
        return repr(self._view)


def with_ordered_views(attribute: Any) -> Any:
    """What `.keys` or `.items` is of anything: a dict's own method gives ordered views."""
    is_bound = isinstance(attribute, BuiltinMethodType) and isinstance(attribute.__self__, dict)
    if is_bound or attribute is dict.keys or attribute is dict.items:
        return lambda *owner: _OrderedView(attribute(*owner))
    return attribute
