"""Sequences and sets of terms: which item stands where, and which may be in."""

from __future__ import annotations

from typing import Any

from lockstep.language.domains import Domain
from lockstep.prove.terms import Number, Truth, all_of, any_of, arithmetic, compare, either, equals
from lockstep.prove.values import Items, Value, as_python, choose, constant, listed, same


def nothing(domain: Domain) -> Value:
    """Some value, where there is none: what it is does not matter."""
    return constant(next(iter(domain), None))


def picked(cases: list[tuple[Truth, Value]]) -> Value:
    """The value of the case that holds; of the last if none does."""
    found = cases[-1][1]
    for test, value in reversed(cases[:-1]):
        found = choose(test, value, found)
    return found


def at(items: tuple[Value, ...], place: Number) -> Value:
    """The item at a place; some item where there is none."""
    if isinstance(place, int):
        return items[max(0, min(place, len(items) - 1))]
    return picked([(equals(place, each), item) for each, item in enumerate(items)])


def joined(left: Items, right: Items) -> Items:
    """One sequence after another."""
    length = arithmetic("+", left.length, right.length)
    found: list[Value] = []
    for place in range(len(left.items) + len(right.items)):
        after = arithmetic("-", place, left.length)
        second = at(right.items, after) if right.items else None
        if place >= len(left.items):
            assert second is not None
            found.append(second)
        elif second is None:
            found.append(left.items[place])
        else:
            found.append(choose(compare("<", place, left.length), left.items[place], second))
    return Items(length, tuple(found))


def appended(sequence: Items, condition: Truth, value: Value) -> Items:
    """A sequence with one more item if a condition holds."""
    if condition is False:
        return sequence
    more = either(condition, arithmetic("+", sequence.length, 1), sequence.length)
    items = [
        choose(all_of((condition, equals(sequence.length, place))), value, item)
        for place, item in enumerate(sequence.items)
    ]
    return Items(more, (*items, value))


def possible(item: Value, domain: Domain, what: str) -> list[Any]:
    """What an item can be: itself if it is known, else all that its domain has."""
    try:
        return [as_python(item, domain)]
    except LookupError:
        return list(listed(domain, what))


def include(
    items: dict[Any, Truth], condition: Truth, item: Value, domain: Domain, what: str
) -> None:
    """Put an item into a set if a condition holds."""
    for each in possible(item, domain, what):
        held = all_of((condition, same(item, constant(each))))
        items[each] = any_of((items.get(each, False), held))
