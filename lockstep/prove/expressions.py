"""Expressions of the IR as terms.

`And`, `Or`, `Conditional` and comprehensions stop early as Python does: what they do not evaluate
does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import RangeDomain
from lockstep.language.totality import may_fail
from lockstep.prove.evaluation import Evaluation
from lockstep.prove.structures import STRUCTURES, appended, include, joined
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
    MOST_LISTED,
    Items,
    Members,
    NotProvable,
    Table,
    Value,
    choose,
    constant,
    listed,
    same,
)


class Expressions(Evaluation):
    """The expressions of one function on one state, or on the two of a step."""

    def value(self, node: ir.Expression) -> Value:
        match node:
            case ir.Literal():
                return constant(node.value)
            case ir.Read():
                return (self.after if node.after else self.before)[node.variable]
            case ir.Local():
                return self.slots[node.slot]
            case ir.Let():
                self.slots[node.slot] = self.value(node.value)
                return self.value(node.body)
            case ir.Not():
                return negated(self.truth(node.operand))
            case ir.And():
                return self.until(node.items, stop=False)
            case ir.Or():
                return self.until(node.items, stop=True)
            case ir.Conditional():
                return self._conditional(node)
            case ir.Compare():
                return self._compare(node)
            case ir.Negate():
                return arithmetic("-", 0, self.number(node.operand))
            case ir.Arithmetic():
                return self._arithmetic(node)
            case ir.Extremum():
                return self._extremum(node)
            case ir.Field():
                return self.value(node.record)[node.position]
            case ir.Concatenate():
                return joined(self.value(node.left), self.value(node.right))
            case ir.Comprehension():
                return comprehension(self, node)
        if (structure := STRUCTURES.get(type(node))) is not None:
            return structure(self, node)
        raise TypeError(f"{type(node).__name__} is no expression of the IR")

    def _conditional(self, node: ir.Conditional) -> Value:
        test = self.truth(node.test)
        if isinstance(test, bool):
            return self.value(node.then if test else node.otherwise)
        with self.under(test):
            then = self.value(node.then)
        with self.under(negated(test)):
            otherwise = self.value(node.otherwise)
        return choose(test, then, otherwise)

    def _compare(self, node: ir.Compare) -> Truth:
        left, right = self.value(node.left), self.value(node.right)
        match node.operator:
            case "==":
                return same(left, right)
            case "!=":
                return negated(same(left, right))
        return compare(node.operator, left, right)

    def _arithmetic(self, node: ir.Arithmetic) -> Number:
        left, right = self.number(node.left), self.number(node.right)
        if node.operator in ("//", "%"):
            divisor = node.right.domain
            if not isinstance(divisor, RangeDomain) or divisor.low <= 0 <= divisor.high:
                self.fails(equals(right, 0))
            if isinstance(right, int) and right == 0:
                return 0
        return arithmetic(node.operator, left, right)

    def _extremum(self, node: ir.Extremum) -> Number:
        best, *others = [self.number(item) for item in node.items]
        for other in others:
            best = either(compare(">" if node.largest else "<", other, best), other, best)
        return best


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
        evaluation.fails(negated(some))
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
    """Each value that is enumerated, and the condition under which it is one of them."""
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
