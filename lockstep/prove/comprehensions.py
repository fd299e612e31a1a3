"""Comprehensions of the IR as terms: `all`, `any`, `sum`, `min`, `max`, sets and tuples.

What is gone through is written out, each round under the condition that there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import RangeDomain
from lockstep.language.totality import may_fail
from lockstep.prove.evaluation import Evaluation
from lockstep.prove.sequences import appended
from lockstep.prove.structures import include
from lockstep.prove.terms import (
    Number,
    Truth,
    all_of,
    any_of,
    arithmetic,
    compare,
    either,
    implies,
    negated,
)
from lockstep.prove.values import (
    MOST_LISTED,
    Items,
    Members,
    NotProvable,
    Table,
    Value,
    constant,
    listed,
)


def _always() -> Truth:
    return True


def comprehension(evaluation: Evaluation, node: ir.Comprehension) -> Value:
    """What is gathered; where that has no value, the evaluation notes it."""
    match node.gather:
        case ir.Gather.ALL | ir.Gather.ANY:
            return _quantified(evaluation, node)
        case ir.Gather.MIN | ir.Gather.MAX:
            return _extreme(evaluation, node)
        case ir.Gather.SUM:
            return _sum(evaluation, node)
        case ir.Gather.SET:
            return _set(evaluation, node)
        case ir.Gather.SEQUENCE:
            return _sequence(evaluation, node)


def _values(evaluation: Evaluation, node: ir.Comprehension) -> Iterator[tuple[Truth, Value]]:
    """Each value of the body, and the condition under which it is one."""
    for condition in _rounds(evaluation, node.generators):
        yield condition, evaluation.value(node.body)


def _quantified(evaluation: Evaluation, node: ir.Comprehension) -> Truth:
    is_all = node.gather is ir.Gather.ALL
    outcomes: list[Truth] = []

    def going_on() -> Truth:
        return all_of(outcome if is_all else negated(outcome) for outcome in outcomes)

    for condition in _rounds(evaluation, node.generators, going_on if may_fail(node) else _always):
        body = evaluation.truth(node.body)
        outcomes.append(implies(condition, body) if is_all else all_of((condition, body)))
    return all_of(outcomes) if is_all else any_of(outcomes)


def _extreme(evaluation: Evaluation, node: ir.Comprehension) -> Number:
    best: Number = 0
    some: Truth = False
    for condition, value in _values(evaluation, node):
        better = compare(">" if node.gather is ir.Gather.MAX else "<", value, best)
        best = either(all_of((condition, any_of((negated(some), better)))), value, best)
        some = any_of((some, condition))
    if node.default is None:
        evaluation.fails(negated(some), node.place, "the least or greatest of nothing")
        return best
    return either(some, best, evaluation.number(node.default))


def _sum(evaluation: Evaluation, node: ir.Comprehension) -> Number:
    total: Number = 0
    for condition, value in _values(evaluation, node):
        total = arithmetic("+", total, either(condition, value, 0))
    return total


def _set(evaluation: Evaluation, node: ir.Comprehension) -> Members:
    items: dict[Any, Truth] = {}
    for condition, value in _values(evaluation, node):
        include(items, condition, value, node.body.domain, str(node.place))
    return Members(items)


def _sequence(evaluation: Evaluation, node: ir.Comprehension) -> Items:
    sequence = Items(0, ())
    for condition, value in _values(evaluation, node):
        sequence = appended(sequence, condition, value)
    return sequence


def _rounds(
    evaluation: Evaluation,
    generators: tuple[ir.Generator, ...],
    going_on: Callable[[], Truth] = _always,
) -> Iterator[Truth]:
    """Bind the iteration variables in turn; each time, the condition that they are bound so.

    What is evaluated between two rounds is evaluated under that condition, and only if the
    iteration is then `going_on`.
    """
    if not generators:
        yield True
        return
    first, rest = generators[0], generators[1:]
    for among, item in _source(evaluation, first.source):
        if among is False:
            continue
        evaluation.slots[first.slot] = item
        with evaluation.under(among), evaluation.under(going_on()):
            meets = evaluation.until(first.conditions, stop=False)
            if meets is False:
                continue
            with evaluation.under(meets):
                for inner in _rounds(evaluation, rest, going_on):
                    yield all_of((among, meets, inner))


def _source(evaluation: Evaluation, source: ir.Source) -> Iterator[tuple[Truth, Value]]:
    """Each value that is gone through, and the condition under which it is one of them."""
    match source:
        case ir.OverDomain(domain):
            for value in listed(domain, "a comprehension"):
                yield True, constant(value)
        case ir.OverRange(start, stop):
            yield from _range(evaluation, start, stop)
        case ir.OverCollection(node):
            match evaluation.value(node):
                case Members(items):
                    for value, held in items.items():
                        yield held, constant(value)
                case Items(length, parts):
                    for place, part in enumerate(parts):
                        yield compare("<", place, length), part
                case Table(values):
                    for value in values:
                        yield True, constant(value)


def _range(
    evaluation: Evaluation, start: ir.Expression, stop: ir.Expression
) -> Iterator[tuple[Truth, Value]]:
    low, high = evaluation.number(start), evaluation.number(stop)
    first = low if isinstance(low, int) else _bounds(start).low
    last = high if isinstance(high, int) else _bounds(stop).high
    if last - first > MOST_LISTED:
        raise NotProvable(
            f"{start.place}: range({first}, {last}) would have to be listed, and has more than "
            f"{MOST_LISTED:,} numbers",
            cure="prove it in a scope where it is short",
        )
    for number in range(first, last):
        yield all_of((compare("<=", low, number), compare("<", number, high))), number


def _bounds(node: ir.Expression) -> RangeDomain:
    assert isinstance(node.domain, RangeDomain)
    return node.domain
