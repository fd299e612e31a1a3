"""Values of a model that are not known: Python's structures with scalars of `terms` at the leaves.

A record is a tuple of its fields, a map a `Table`, a set `Members`, a sequence an `Items`,
a value that may be None an `Option`. Enum members and names are numbers. Keys of maps and items
of sets are always known: their domains are listed, so they have to be small.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import z3

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.records import Record
from lockstep.language.values import TotalMap
from lockstep.prove.terms import (
    Number,
    Truth,
    all_of,
    any_of,
    either,
    equals,
    implies,
    is_known,
    negated,
)

MOST_LISTED = 4096
"""The most values that are listed of a domain."""


class NotProvable(LockstepError):
    """Something in a model has no term: what, where, and why."""

    exit_code = ExitCode.INCONCLUSIVE


@dataclass(frozen=True)
class Option:
    """None unless `present`; `value` says nothing then, and is None where it never is."""

    present: Truth
    value: Value | None


@dataclass(frozen=True)
class Table:
    """A total map: a value for each key."""

    values: Mapping[Any, Value]


@dataclass(frozen=True)
class Members:
    """A set: of each item whether it is in it; an item not named is not."""

    items: Mapping[Any, Truth]


@dataclass(frozen=True)
class Items:
    """A sequence: the first `length` of `items`; those after it say nothing."""

    length: Number
    items: tuple[Value, ...]


Value: TypeAlias = Any
"""A scalar, a tuple, or one of the classes above: which one, the type of the expression says."""

NONE = Option(present=False, value=None)
_STRINGS = 1 << 40
_codes: dict[str, int] = {}


def code(value: object) -> bool | int:
    """The scalar that stands for an atom: names that are strings get numbers of their own."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, enum.Enum):
        return list(type(value)).index(value)
    if isinstance(value, str):
        return _codes.setdefault(value, _STRINGS + len(_codes))
    raise TypeError(f"{value!r} is no atom")


def constant(value: object) -> Value:
    """A known value."""
    if value is None:
        return NONE
    if isinstance(value, Record):
        return tuple(constant(part) for part in tuple(value))
    if isinstance(value, TotalMap):
        return Table({key: constant(part) for key, part in value.items()})
    if isinstance(value, frozenset):
        return Members(dict.fromkeys(value, True))
    if isinstance(value, tuple):
        return Items(len(value), tuple(constant(part) for part in value))
    return code(value)


def listed(domain: Domain, what: str) -> Iterator[Any]:
    """The values of a domain; NotProvable when there are too many."""
    if domain.size() > MOST_LISTED:
        raise NotProvable(
            f"{what}: {domain} has more than {MOST_LISTED:,} values, and they would have to be "
            "listed one by one",
            cure="prove it in a scope where that domain is small",
        )
    return iter(domain)


def unknown(domain: Domain, name: str) -> Value:
    """A value of which nothing is known yet but its form; `within` says the rest."""
    match domain:
        case BoolDomain():
            return z3.Bool(name)
        case RangeDomain() | EnumDomain() | NameDomain():
            return code(next(iter(domain))) if domain.size() == 1 else z3.Int(name)
        case OptionDomain(some):
            return Option(z3.Bool(f"{name}?"), unknown(some, name))
        case RecordDomain(record):
            return tuple(unknown(part, f"{name}.{field}") for field, part in record.fields.items())
        case MapDomain(key, value):
            return Table({one: unknown(value, f"{name}[{one!r}]") for one in listed(key, name)})
        case SetDomain(item):
            return Members({one: z3.Bool(f"{one!r} in {name}") for one in listed(item, name)})
        case SequenceDomain(item, capacity):
            parts = tuple(unknown(item, f"{name}[{place}]") for place in range(capacity))
            return Items(z3.Int(f"len {name}"), parts)
    raise TypeError(f"{domain} has no values")


def within(value: Value, domain: Domain) -> Truth:
    """Whether a value lies in a domain."""
    match domain, value:
        case OptionDomain(some), Option(present, inside):
            return True if inside is None else implies(present, within(inside, some))
        case OptionDomain(some), _:
            return within(value, some)
        case _, Option(present, inside):
            return present if inside is None else all_of((present, within(inside, domain)))
        case BoolDomain(), _:
            return True
        case RangeDomain(low, high), _:
            return all_of((value >= low, value <= high))
        case EnumDomain(), _:
            return all_of((value >= 0, value < domain.size()))
        case NameDomain(names), _:
            return any_of(equals(value, code(name)) for name in names)
        case RecordDomain(record), tuple():
            fields = record.fields.values()
            return all_of(within(part, field) for part, field in zip(value, fields, strict=True))
        case MapDomain(), Table(values):
            return all_of(within(part, domain.value) for part in values.values())
        case SetDomain(item), Members(items):
            return all_of(negated(items[one]) for one in items if not item.contains(one))
        case SequenceDomain(item, capacity), Items(length, parts):
            inside = (
                implies(place < length, within(part, item)) for place, part in enumerate(parts)
            )
            return all_of((length >= 0, length <= min(capacity, len(parts)), *inside))
    raise TypeError(f"{value!r} has not the form of {domain}")


def fitted(value: Value, domain: Domain) -> Value:
    """A value that lies in a domain, without room for what cannot be in it."""
    match domain, value:
        case OptionDomain(some), Option(present, inside):
            return Option(present, None if inside is None else fitted(inside, some))
        case OptionDomain(some), _:
            return Option(present=True, value=fitted(value, some))
        case _, Option(_, inside):
            return constant(next(iter(domain))) if inside is None else fitted(inside, domain)
        case MapDomain(), Table(values):
            return Table({key: fitted(part, domain.value) for key, part in values.items()})
        case SetDomain(item), Members(items):
            return Members({one: held for one, held in items.items() if item.contains(one)})
        case SequenceDomain(item, capacity), Items(length, parts):
            return Items(length, tuple(fitted(part, item) for part in parts[:capacity]))
    return value


def same(left: Value, right: Value) -> Truth:
    """Whether two values are equal; what says nothing is not looked at."""
    match left, right:
        case Option(present, one), Option(other_present, other):
            if one is None or other is None:
                inside: Truth = negated(all_of((present, other_present)))
            else:
                inside = implies(present, same(one, other))
            return all_of((equals(present, other_present), inside))
        case Option(present, one), _:
            return False if one is None else all_of((present, same(one, right)))
        case _, Option():
            return same(right, left)
        case tuple(), tuple():
            return all_of(same(one, other) for one, other in zip(left, right, strict=True))
        case Table(values), Table(others):
            return all_of(same(values[key], others[key]) for key in values)
        case Members(items), Members(others):
            return all_of(
                equals(items.get(item, False), others.get(item, False))
                for item in {**items, **others}
            )
        case Items(length, parts), Items(other_length, other_parts):
            both = zip(parts, other_parts, strict=False)
            inside = all_of(
                implies(place < length, same(one, other)) for place, (one, other) in enumerate(both)
            )
            return all_of((equals(length, other_length), inside))
    return equals(left, right)


def choose(test: Truth, then: Value, otherwise: Value) -> Value:
    """One of two values; their types join."""
    if isinstance(test, bool):
        return then if test else otherwise
    if then is otherwise:
        return then
    match then, otherwise:
        case (Option(), _) | (_, Option()):
            one, other = _as_option(then), _as_option(otherwise)
            present = either(test, one.present, other.present)
            assert not isinstance(present, int) or isinstance(present, bool)
            if one.value is None or other.value is None:
                return Option(present, other.value if one.value is None else one.value)
            return Option(present, choose(test, one.value, other.value))
        case tuple(), tuple():
            pairs = zip(then, otherwise, strict=True)
            return tuple(choose(test, one, other) for one, other in pairs)
        case Table(values), Table(others):
            return Table({key: choose(test, values[key], others[key]) for key in values})
        case Members(items), Members(others):
            return Members(
                {
                    item: either(test, items.get(item, False), others.get(item, False))
                    for item in {**items, **others}
                }
            )
        case Items(length, parts), Items(other_length, other_parts):
            most = max(len(parts), len(other_parts))
            chosen = (
                choose(test, parts[place], other_parts[place])
                if place < min(len(parts), len(other_parts))
                else (parts if len(parts) == most else other_parts)[place]
                for place in range(most)
            )
            return Items(either(test, length, other_length), tuple(chosen))
    return either(test, then, otherwise)


def leaves(value: Value) -> Iterator[z3.ExprRef]:
    """The unknown scalars of a value, where `unknown` made it."""
    match value:
        case Option(present, inside):
            yield from leaves(present)
            if inside is not None:
                yield from leaves(inside)
        case tuple():
            for part in value:
                yield from leaves(part)
        case Table(parts) | Members(parts):
            for part in parts.values():
                yield from leaves(part)
        case Items(length, parts):
            yield from leaves(length)
            for part in parts:
                yield from leaves(part)
        case _ if not is_known(value):
            yield value


def _as_option(value: Value) -> Option:
    return value if isinstance(value, Option) else Option(present=True, value=value)
