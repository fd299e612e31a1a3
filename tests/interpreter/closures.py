"""Expressions of the IR as Python closures over a frame."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from lockstep.language import ir
from lockstep.language.domains import MapDomain
from lockstep.language.notation import State
from lockstep.language.source import Place
from lockstep.language.values import NotInDomain


class Frame:
    """What an evaluation reads: the state before, the state after (or None), and the slots."""

    __slots__ = ("after", "before", "slots")

    def __init__(self, before: State, after: State | None, slots: int) -> None:
        self.before = before
        self.after = after
        self.slots: list[Any] = [None] * slots


Evaluator: TypeAlias = Callable[[Frame], Any]


class Undefined(Exception):
    """An expression has no value in this state."""

    def __init__(self, place: Place, reason: str) -> None:
        super().__init__(reason)
        self.place = place
        self.reason = reason


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ExpressionCompiler:
    """Turns expressions into closures; `positions` says where each variable is in a state."""

    def __init__(self, positions: dict[str, int]) -> None:
        self._positions = positions

    def expression(self, node: ir.Expression) -> Evaluator:
        """A closure that gives the node's value in a frame."""
        match node:
            case ir.Literal():
                return self._literal(node)
            case ir.Read():
                return self._read(node)
            case ir.Local():
                return self._local(node)
            case ir.Let():
                return self._let(node)
            case ir.Field():
                return self._field(node)
            case ir.Lookup():
                return self._lookup(node)
            case ir.Item():
                return self._item(node)
            case ir.Slice():
                return self._slice(node)
            case ir.Unwrap():
                return self._unwrap(node)
            case ir.IsNone():
                return self._is_none(node)
            case ir.Arithmetic():
                return self._arithmetic(node)
            case ir.Negate():
                return self._negate(node)
            case ir.Extremum():
                return self._extremum(node)
            case ir.Compare() | ir.SetOperation() | ir.Concatenate():
                return self._operator(node)
            case ir.Contains():
                return self._contains(node)
            case ir.Subset():
                return self._subset(node)
            case ir.Not():
                return self._not(node)
            case ir.And():
                return self._and(node)
            case ir.Or():
                return self._or(node)
            case ir.Conditional():
                return self._conditional(node)
            case ir.MakeRecord():
                return self._make_record(node)
            case ir.MakeSet():
                return self._make_set(node)
            case ir.MakeSequence():
                return self._make_sequence(node)
            case ir.MakeMap():
                return self._make_map(node)
            case ir.Size():
                return self._size(node)
            case ir.Comprehension():
                return self._comprehension(node)
        raise TypeError(f"{type(node).__name__} is no expression of the IR")

    def _literal(self, node: ir.Literal) -> Evaluator:
        value = node.value
        return lambda frame: value

    def _read(self, node: ir.Read) -> Evaluator:
        position = self._positions[node.variable]
        if node.after:
            return lambda frame: tuple.__getitem__(frame.after or frame.before, position)
        return lambda frame: tuple.__getitem__(frame.before, position)

    def _local(self, node: ir.Local) -> Evaluator:
        slot = node.slot
        return lambda frame: frame.slots[slot]

    def _let(self, node: ir.Let) -> Evaluator:
        slot, value, body = node.slot, self.expression(node.value), self.expression(node.body)

        def evaluate(frame: Frame) -> Any:
            frame.slots[slot] = value(frame)
            return body(frame)

        return evaluate

    def _field(self, node: ir.Field) -> Evaluator:
        record, position = self.expression(node.record), node.position
        return lambda frame: tuple.__getitem__(record(frame), position)

    def _lookup(self, node: ir.Lookup) -> Evaluator:
        mapping, key, place = self.expression(node.mapping), self.expression(node.key), node.place

        def evaluate(frame: Frame) -> Any:
            whole, wanted = mapping(frame), key(frame)
            try:
                return whole[wanted]
            except KeyError:
                raise Undefined(place, f"{wanted!r} is no key of this map") from None

        return evaluate

    def _item(self, node: ir.Item) -> Evaluator:
        sequence, index, place = (
            self.expression(node.sequence),
            self.expression(node.index),
            node.place,
        )

        def evaluate(frame: Frame) -> Any:
            whole, wanted = sequence(frame), index(frame)
            if not -len(whole) <= wanted < len(whole):
                raise Undefined(place, f"there is no item {wanted} in a sequence of {len(whole)}")
            return whole[wanted]

        return evaluate

    def _slice(self, node: ir.Slice) -> Evaluator:
        sequence = self.expression(node.sequence)
        start = None if node.start is None else self.expression(node.start)
        stop = None if node.stop is None else self.expression(node.stop)
        return lambda frame: sequence(frame)[
            None if start is None else start(frame) : None if stop is None else stop(frame)
        ]

    def _unwrap(self, node: ir.Unwrap) -> Evaluator:
        option, place = self.expression(node.option), node.place
        if node.certain:
            return option

        def evaluate(frame: Frame) -> Any:
            value = option(frame)
            if value is None:
                raise Undefined(place, "this is None here")
            return value

        return evaluate

    def _is_none(self, node: ir.IsNone) -> Evaluator:
        option = self.expression(node.option)
        return lambda frame: option(frame) is None

    def _arithmetic(self, node: ir.Arithmetic) -> Evaluator:
        left, right, place = self.expression(node.left), self.expression(node.right), node.place
        apply = _BINARY[node.operator]

        def evaluate(frame: Frame) -> Any:
            try:
                return apply(left(frame), right(frame))
            except ZeroDivisionError:
                raise Undefined(place, "division by zero") from None

        return evaluate

    def _negate(self, node: ir.Negate) -> Evaluator:
        operand = self.expression(node.operand)
        return lambda frame: -operand(frame)

    def _extremum(self, node: ir.Extremum) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        pick = max if node.largest else min
        return lambda frame: pick(item(frame) for item in items)

    def _operator(self, node: ir.Compare | ir.SetOperation | ir.Concatenate) -> Evaluator:
        left, right = self.expression(node.left), self.expression(node.right)
        apply = _BINARY["+" if isinstance(node, ir.Concatenate) else node.operator]
        return lambda frame: apply(left(frame), right(frame))

    def _contains(self, node: ir.Contains) -> Evaluator:
        item, collection = self.expression(node.item), self.expression(node.collection)

        def evaluate(frame: Frame) -> bool:
            wanted = item(frame)
            return wanted in collection(frame)

        return evaluate

    def _subset(self, node: ir.Subset) -> Evaluator:
        left, right = self.expression(node.left), self.expression(node.right)
        if node.strict:
            return lambda frame: left(frame) < right(frame)
        return lambda frame: left(frame) <= right(frame)

    def _not(self, node: ir.Not) -> Evaluator:
        operand = self.expression(node.operand)
        return lambda frame: not operand(frame)

    def _and(self, node: ir.And) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: all(item(frame) for item in items)

    def _or(self, node: ir.Or) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: any(item(frame) for item in items)

    def _conditional(self, node: ir.Conditional) -> Evaluator:
        test, then = self.expression(node.test), self.expression(node.then)
        otherwise = self.expression(node.otherwise)
        return lambda frame: then(frame) if test(frame) else otherwise(frame)

    def _make_record(self, node: ir.MakeRecord) -> Evaluator:
        parts = [
            (self.expression(value), domain, name)
            for value, (name, domain) in zip(node.values, node.record.fields.items(), strict=True)
        ]
        record, place = node.record, node.place

        def evaluate(frame: Frame) -> Any:
            values = [(value(frame), domain, name) for value, domain, name in parts]
            try:
                return record.of(
                    domain.coerce(value, f"{record.__name__}.{name}")
                    for value, domain, name in values
                )
            except NotInDomain as error:
                raise Undefined(place, str(error)) from None

        return evaluate

    def _make_set(self, node: ir.MakeSet) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: frozenset(item(frame) for item in items)

    def _make_sequence(self, node: ir.MakeSequence) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: tuple(item(frame) for item in items)

    def _make_map(self, node: ir.MakeMap) -> Evaluator:
        slot, body = node.slot, self.expression(node.body)
        domain = node.domain
        assert isinstance(domain, MapDomain)
        keys = tuple(node.key)

        def values(frame: Frame) -> Iterator[Any]:
            for key in keys:
                frame.slots[slot] = key
                yield body(frame)

        return lambda frame: domain.of(values(frame))

    def _size(self, node: ir.Size) -> Evaluator:
        collection = self.expression(node.collection)
        return lambda frame: len(collection(frame))

    def _comprehension(self, node: ir.Comprehension) -> Evaluator:
        rounds = self._rounds(node.generators)
        body, place = self.expression(node.body), node.place

        def values(frame: Frame) -> Iterator[Any]:
            return (body(frame) for _ in rounds(frame))

        match node.gather:
            case ir.Gather.ALL:
                return lambda frame: all(values(frame))
            case ir.Gather.ANY:
                return lambda frame: any(values(frame))
            case ir.Gather.SUM:
                return lambda frame: sum(values(frame))
            case ir.Gather.SET:
                return lambda frame: frozenset(values(frame))
            case ir.Gather.SEQUENCE:
                return lambda frame: tuple(values(frame))
            case ir.Gather.MIN | ir.Gather.MAX:
                pick = min if node.gather is ir.Gather.MIN else max
                default = None if node.default is None else self.expression(node.default)

                def evaluate(frame: Frame) -> Any:
                    numbers = list(values(frame))
                    fallback = None if default is None else default(frame)
                    if not numbers and default is None:
                        raise Undefined(place, f"{pick.__name__} of nothing")
                    return pick(numbers) if numbers else fallback

                return evaluate

    def _rounds(self, generators: tuple[ir.Generator, ...]) -> Callable[[Frame], Iterator[None]]:
        """Bind the iteration variables to each combination in turn that meets the conditions."""
        if not generators:
            return lambda frame: iter((None,))
        first, rest = generators[0], self._rounds(generators[1:])
        source = self._source(first.source)
        tests = [self.expression(test) for test in first.conditions]
        slot = first.slot

        def rounds(frame: Frame) -> Iterator[None]:
            for item in source(frame):
                frame.slots[slot] = item
                if all(test(frame) for test in tests):
                    yield from rest(frame)

        return rounds

    def _source(self, source: ir.Source) -> Evaluator:
        match source:
            case ir.OverDomain(domain):
                return lambda frame: domain
            case ir.OverCollection(collection):
                return self.expression(collection)
            case ir.OverRange(start, stop):
                low, high = self.expression(start), self.expression(stop)
                return lambda frame: range(low(frame), high(frame))
