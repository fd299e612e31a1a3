"""The domains by the names that models use.

A domain answers four questions: is this value in it (`coerce`, which also makes the value
canonical), what are its values in order (iteration), how many are there (`size`), and how is it
written (`str`). Domains serve as annotations in models and as the types of the IR: the type of
an expression is the smallest domain that the front end can show its value to lie in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lockstep.language.domain import (
    MOST_VALUES,
    BoolDomain,
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.records import NotAnItem, RecordDomain, domain_of
from lockstep.language.values import TooManyValues


def _plain_item(hint: object, place: str, form: str) -> Domain:
    item = domain_of(hint, place)
    if item.is_scalar or isinstance(item, RecordDomain):
        return item
    raise NotAnItem(form, item)


def Range(low: int, high: int) -> RangeDomain:  # noqa: N802 - reads as a domain in models
    """The integers from `low` to `high`, both included."""
    if type(low) is not int or type(high) is not int or low > high:
        raise TypeError(f"Range({low!r}, {high!r}): two integers, the lower first")
    return RangeDomain(low, high)


def OneOf(  # noqa: N802
    names: tuple[str | int, ...], *, interchangeable: bool = False
) -> NameDomain:
    """Names without order or arithmetic, given as a tuple: `OneOf(("p1", "p2"))`.

    `interchangeable` names may change places in any state: `lockstep check --symmetry` uses that,
    once it has checked it.
    """
    if not isinstance(names, tuple) or not all(type(name) in (str, int) for name in names):
        raise TypeError(f"OneOf({names!r}): a tuple of names, which are strings or integers")
    if not names or len(set(names)) != len(names):
        raise TypeError(f"OneOf({names!r}): one or more names, all different")
    return NameDomain(names, interchangeable)


@dataclass(frozen=True)
class _Family:
    """A domain constructor written with brackets: `form` shows how, as `Set[Item]`."""

    form: str
    parts: int
    build: Callable[..., Domain]

    def __getitem__(self, parts: Any) -> Domain:
        arguments = parts if isinstance(parts, tuple) else (parts,)
        if len(arguments) != self.parts:
            raise TypeError(f"{len(arguments)} parts in the brackets of {self.form}")
        return self.build(*arguments)

    def __repr__(self) -> str:
        return self.form


def _set(item: object) -> SetDomain:
    return SetDomain(_plain_item(item, "Set item", "Set[Item]"))


def _map(key: object, value: object) -> MapDomain:
    keys = domain_of(key, "Map key")
    if not keys.is_scalar:
        raise TypeError(f"Map keys are atoms, not {keys}")
    if keys.size() > MOST_VALUES:
        raise TooManyValues(f"Map keys: {keys} has more than {MOST_VALUES:,} values")
    return MapDomain(keys, domain_of(value, "Map value"))


def _sequence(item: object, capacity: object) -> SequenceDomain:
    return SequenceDomain(
        _plain_item(item, "Sequence item", f"Sequence[Item, {capacity}]"), _capacity(capacity)
    )


def _capacity(capacity: object) -> int:
    if type(capacity) is int and capacity >= 0:
        return capacity
    raise TypeError(f"a capacity is a whole number, not {capacity!r}")


Bool = BoolDomain()
"""False and True, for iteration: `for b in Bool`. As an annotation, `bool` means the same."""
Set = _Family("Set[Item]", 1, _set)
"""`Set[Partition]`: the subsets of a domain of atoms or records."""
Map = _Family("Map[Key, Value]", 2, _map)
"""`Map[Partition, Offset]`: the total functions from one domain to another."""
Sequence = _Family("Sequence[Item, capacity]", 2, _sequence)
"""`Sequence[Partition, 3]`: the tuples of at most three items."""

__all__ = [
    "Bool",
    "BoolDomain",
    "Domain",
    "EnumDomain",
    "Map",
    "MapDomain",
    "NameDomain",
    "OneOf",
    "OptionDomain",
    "Range",
    "RangeDomain",
    "RecordDomain",
    "Sequence",
    "SequenceDomain",
    "Set",
    "SetDomain",
    "domain_of",
]
