"""Options, records, maps, sets and sequences of the IR as terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain
from lockstep.language.types import is_within
from lockstep.prove.evaluation import Evaluation, as_python
from lockstep.prove.terms import (
    Number,
    Truth,
    all_of,
    any_of,
    arithmetic,
    compare,
    either,
    equals,
    implies,
    negated,
)
from lockstep.prove.values import (
    Items,
    Members,
    Option,
    Table,
    Value,
    choose,
    constant,
    listed,
    same,
    within,
)


def nothing(domain: Domain) -> Value:
    """Some value, where there is none: what it is does not matter."""
    return constant(next(iter(domain), None))


def picked(cases: list[tuple[Truth, Value]]) -> Value:
    """The value of the case that holds; of the last if none does."""
    value = cases[-1][1]
    for test, other in reversed(cases[:-1]):
        value = choose(test, other, value)
    return value


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
    for value in possible(item, domain, what):
        held = all_of((condition, same(item, constant(value))))
        items[value] = any_of((items.get(value, False), held))


def unwrap(evaluation: Evaluation, node: ir.Unwrap) -> Value:
    """What is inside an option; a failure where it is None."""
    option = evaluation.value(node.option)
    if not isinstance(option, Option):
        return option
    if not node.certain:
        evaluation.fails(negated(option.present))
    return nothing(node.domain) if option.value is None else option.value


def is_none(evaluation: Evaluation, node: ir.IsNone) -> Truth:
    """Whether an option is None."""
    option = evaluation.value(node.option)
    return negated(option.present) if isinstance(option, Option) else False


def make_record(evaluation: Evaluation, node: ir.MakeRecord) -> Value:
    """A record; a failure where a value is not in the domain of its field."""
    values = [evaluation.value(part) for part in node.values]
    fields = node.record.fields.values()
    return tuple(
        evaluation.stored(value, part.domain, domain)
        for value, part, domain in zip(values, node.values, fields, strict=True)
    )


def lookup(evaluation: Evaluation, node: ir.Lookup) -> Value:
    """The value for a key; a failure where that is none of the map."""
    mapping, key = evaluation.value(node.mapping), evaluation.value(node.key)
    domain = node.mapping.domain
    assert isinstance(mapping, Table)
    assert isinstance(domain, MapDomain)
    if not is_within(node.key.domain, domain.key):
        evaluation.fails(negated(within(key, domain.key)))
    return picked([(same(key, constant(name)), value) for name, value in mapping.values.items()])


def make_map(evaluation: Evaluation, node: ir.MakeMap) -> Table:
    """A total map, its body evaluated for each key in turn."""
    values: dict[Any, Value] = {}
    for key in listed(node.key, str(node.place)):
        evaluation.slots[node.slot] = constant(key)
        values[key] = evaluation.value(node.body)
    return Table(values)


def contains(evaluation: Evaluation, node: ir.Contains) -> Truth:
    """Whether an item is in a set, a sequence or a bag."""
    item, collection = evaluation.value(node.item), evaluation.value(node.collection)
    match collection:
        case Members(items):
            return any_of(
                all_of((held, same(item, constant(value)))) for value, held in items.items()
            )
        case Items(length, parts):
            return any_of(
                all_of((compare("<", place, length), same(item, part)))
                for place, part in enumerate(parts)
            )
    raise TypeError(f"{collection!r} is no collection")


def size(evaluation: Evaluation, node: ir.Size) -> Number:
    """How many items a collection has."""
    collection = evaluation.value(node.collection)
    match collection:
        case Members(items):
            count: Number = 0
            for held in items.values():
                count = arithmetic("+", count, either(held, 1, 0))
            return count
        case Items(length, _):
            return length
        case Table(values):
            return len(values)
    raise TypeError(f"{collection!r} has no size")


def subset(evaluation: Evaluation, node: ir.Subset) -> Truth:
    """Whether a set lies in another."""
    left, right = _items_of_both(evaluation, node)
    inside = all_of(implies(held, right.get(item, False)) for item, held in left.items())
    if not node.strict:
        return inside
    more = any_of(all_of((held, negated(left.get(item, False)))) for item, held in right.items())
    return all_of((inside, more))


def set_operation(evaluation: Evaluation, node: ir.SetOperation) -> Members:
    """Union, intersection, difference, or what is in one of two sets alone."""
    left, right = _items_of_both(evaluation, node)
    items: dict[Any, Truth] = {}
    for item in {**left, **right}:
        one, other = left.get(item, False), right.get(item, False)
        match node.operator:
            case "|":
                items[item] = any_of((one, other))
            case "&":
                items[item] = all_of((one, other))
            case "-":
                items[item] = all_of((one, negated(other)))
            case _:
                items[item] = negated(equals(one, other))
    return Members(items)


def make_set(evaluation: Evaluation, node: ir.MakeSet) -> Members:
    """The set of some values."""
    items: dict[Any, Truth] = {}
    for item in node.items:
        include(items, True, evaluation.value(item), item.domain, str(node.place))
    return Members(items)


def _items_of_both(
    evaluation: Evaluation, node: ir.Subset | ir.SetOperation
) -> tuple[Mapping[Any, Truth], Mapping[Any, Truth]]:
    left, right = evaluation.value(node.left), evaluation.value(node.right)
    assert isinstance(left, Members)
    assert isinstance(right, Members)
    return left.items, right.items


def item(evaluation: Evaluation, node: ir.Item) -> Value:
    """The item at an index; a failure where there is none."""
    sequence, index = _items(evaluation, node.sequence), evaluation.number(node.index)
    negative = isinstance(index, int) and index < 0
    place = sequence.length + index if negative else index
    if not node.certain:
        inside = all_of((compare(">=", place, 0), compare("<", place, sequence.length)))
        evaluation.fails(negated(inside))
    return at(sequence.items, place) if sequence.items else nothing(node.domain)


def stretch(evaluation: Evaluation, node: ir.Slice) -> Items:
    """A stretch of a sequence, its ends cut off as Python does."""
    sequence = _items(evaluation, node.sequence)

    def end(limit: ir.Expression | None, default: Number) -> Number:
        if limit is None:
            return default
        place = evaluation.number(limit)
        if isinstance(place, int) and place < 0:
            place = sequence.length + place
        capped = either(compare("<", place, sequence.length), place, sequence.length)
        return either(compare("<", place, 0), 0, capped)

    start, stop = end(node.start, 0), end(node.stop, sequence.length)
    length = either(compare("<", start, stop), arithmetic("-", stop, start), 0)
    shifted = tuple(
        at(sequence.items, arithmetic("+", start, place)) for place in range(len(sequence.items))
    )
    return Items(length, shifted)


def make_sequence(evaluation: Evaluation, node: ir.MakeSequence) -> Items:
    """The sequence of some values."""
    return Items(len(node.items), tuple(evaluation.value(part) for part in node.items))


def at(items: tuple[Value, ...], place: Number) -> Value:
    """The item at a place; some item where there is none."""
    if isinstance(place, int):
        return items[max(0, min(place, len(items) - 1))]
    return picked([(equals(place, number), part) for number, part in enumerate(items)])


def joined(left: Items, right: Items) -> Items:
    """One sequence after another."""
    length = arithmetic("+", left.length, right.length)
    parts: list[Value] = []
    for place in range(len(left.items) + len(right.items)):
        after = arithmetic("-", place, left.length)
        second = at(right.items, after) if right.items else None
        if place >= len(left.items):
            assert second is not None
            parts.append(second)
        elif second is None:
            parts.append(left.items[place])
        else:
            parts.append(choose(compare("<", place, left.length), left.items[place], second))
    return Items(length, tuple(parts))


def appended(sequence: Items, condition: Truth, value: Value) -> Items:
    """A sequence with one more item if a condition holds."""
    if condition is False:
        return sequence
    more = either(condition, arithmetic("+", sequence.length, 1), sequence.length)
    items = [
        choose(all_of((condition, equals(sequence.length, place))), value, part)
        for place, part in enumerate(sequence.items)
    ]
    return Items(more, (*items, value))


def _items(evaluation: Evaluation, node: ir.Expression) -> Items:
    items = evaluation.value(node)
    assert isinstance(items, Items)
    return items


STRUCTURES: Mapping[type[ir.Expression], Callable[[Evaluation, Any], Value]] = {
    ir.Unwrap: unwrap,
    ir.IsNone: is_none,
    ir.MakeRecord: make_record,
    ir.Lookup: lookup,
    ir.MakeMap: make_map,
    ir.Contains: contains,
    ir.Size: size,
    ir.Subset: subset,
    ir.SetOperation: set_operation,
    ir.MakeSet: make_set,
    ir.Item: item,
    ir.Slice: stretch,
    ir.MakeSequence: make_sequence,
}
"""How each kind of expression of structures is evaluated."""
