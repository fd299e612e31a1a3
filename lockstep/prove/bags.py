"""Bags of the IR as terms: how often each item is in one."""

from __future__ import annotations

from lockstep.language import ir
from lockstep.language.types import some_of
from lockstep.prove.evaluation import Evaluation
from lockstep.prove.structures import possible
from lockstep.prove.terms import Number, arithmetic, compare, either
from lockstep.prove.values import Counts, Value, constant, same


def make_bag(evaluation: Evaluation, node: ir.MakeBag) -> Counts:
    """The bag of some values."""
    bag = Counts({})
    for item in node.items:
        bag = _with(bag, evaluation.value(item), item, 1)
    return bag


def bag_count(evaluation: Evaluation, node: ir.BagCount) -> Number:
    """How often a bag has an item."""
    return _count(_bag(evaluation, node.bag), evaluation.value(node.item))


def bag_add(evaluation: Evaluation, node: ir.BagAdd) -> Counts:
    """A bag with one more of an item."""
    return _with(_bag(evaluation, node.bag), evaluation.value(node.item), node.item, 1)


def bag_remove(evaluation: Evaluation, node: ir.BagRemove) -> Counts:
    """A bag with one less of an item; a failure where it has none."""
    bag, item = _bag(evaluation, node.bag), evaluation.value(node.item)
    missing = compare("<=", _count(bag, item), 0)
    evaluation.fails(missing, node.place, "it is not in the bag")
    return _with(bag, item, node.item, -1)


def _bag(evaluation: Evaluation, node: ir.Expression) -> Counts:
    bag = evaluation.value(node)
    assert isinstance(bag, Counts)
    return bag


def _count(bag: Counts, item: Value) -> Number:
    total: Number = 0
    for value, count in bag.items.items():
        total = either(same(item, constant(value)), count, total)
    return total


def _with(bag: Counts, item: Value, node: ir.Expression, more: int) -> Counts:
    items = dict(bag.items)
    for value in possible(item, some_of(node.domain), str(node.place)):
        count = items.get(value, 0)
        is_it = same(item, constant(value))
        items[value] = either(is_it, arithmetic("+", count, more), count)
    return Counts(items)
