"""Sequences of the IR as terms: which item stands where."""

from __future__ import annotations

from lockstep.language import ir
from lockstep.prove.evaluation import Evaluation
from lockstep.prove.structures import nothing, picked
from lockstep.prove.terms import Number, Truth, all_of, arithmetic, compare, either, equals, negated
from lockstep.prove.values import Items, Value, choose


def item(evaluation: Evaluation, node: ir.Item) -> Value:
    """The item at an index; a failure where there is none."""
    sequence, index = _items(evaluation, node.sequence), evaluation.number(node.index)
    negative = isinstance(index, int) and index < 0
    place = sequence.length + index if negative else index
    if not node.certain:
        inside = all_of((compare(">=", place, 0), compare("<", place, sequence.length)))
        evaluation.fails(negated(inside), node.place, "there is no such item in the sequence")
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
