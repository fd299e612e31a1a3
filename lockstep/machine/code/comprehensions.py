"""Comprehensions as nested loops."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir as llvm

from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.machine.code.body import Words, word
from lockstep.machine.code.coercion import Evaluation, better


class Comprehensions:
    """Emits comprehensions, and all that is inside by way of `evaluation`."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._shapes = evaluation.shapes
        self._body = evaluation.body
        self._builder = evaluation.builder

    def value(self, node: ir.Comprehension) -> Words:
        """A comprehension's value, as one of `node.domain`."""
        match node.gather:
            case ir.Gather.ALL | ir.Gather.ANY:
                return self._quantified(node)
            case ir.Gather.SUM:
                return self._sum(node)
            case ir.Gather.MIN | ir.Gather.MAX:
                return self._extreme(node)
            case ir.Gather.SET:
                return self._set(node)
            case ir.Gather.SEQUENCE:
                return self._sequence(node)

    def _quantified(self, node: ir.Comprehension) -> Words:
        wanted = node.gather is ir.Gather.ALL
        result = self._body.variable(word(int(wanted)))
        done = self._body.block("decided")

        def test() -> None:
            holds = self._evaluation.truth(node.body)
            decided, going_on = self._body.block("deciding"), self._body.block("")
            yes, no = (going_on, decided) if wanted else (decided, going_on)
            self._builder.cbranch(holds, yes, no)
            self._body.enter(decided)
            self._builder.store(word(int(not wanted)), result)
            self._builder.branch(done)
            self._body.enter(going_on)

        self._rounds(node.generators, test)
        self._builder.branch(done)
        self._body.enter(done)
        return [self._builder.load(result)]

    def _sum(self, node: ir.Comprehension) -> Words:
        total = self._body.variable(word(0))

        def add() -> None:
            value = self._evaluation.value(node.body)[0]
            self._builder.store(self._builder.add(self._builder.load(total), value), total)

        self._rounds(node.generators, add)
        return [self._builder.load(total)]

    def _extreme(self, node: ir.Comprehension) -> Words:
        largest = node.gather is ir.Gather.MAX
        best, some = self._body.variable(word(0)), self._body.variable(word(0))

        def compare() -> None:
            value = self._evaluation.value(node.body)[0]
            first = self._builder.not_(self._body.bit_of(self._builder.load(some)))
            extreme = better(self._builder, largest, self._builder.load(best), value)
            self._builder.store(self._builder.select(first, value, extreme), best)
            self._builder.store(word(1), some)

        self._rounds(node.generators, compare)
        default = None if node.default is None else self._evaluation.value(node.default)[0]
        is_set = self._body.bit_of(self._builder.load(some))
        if default is None:
            self._evaluation.fail_unless(is_set, node.place)
            return [self._builder.load(best)]
        return [self._builder.select(is_set, self._builder.load(best), default)]

    def _set(self, node: ir.Comprehension) -> Words:
        domain = node.domain
        assert isinstance(domain, SetDomain)
        result = self._body.variables(self._shapes.zero(domain))

        def add() -> None:
            packed = self._evaluation.packed(node.body, domain.item)
            position = self._shapes.position(domain, packed)
            words = self._shapes.with_position(self._body.load(result), position)
            self._body.store(words, result)

        self._rounds(node.generators, add)
        return self._body.load(result)

    def _sequence(self, node: ir.Comprehension) -> Words:
        domain = node.domain
        assert isinstance(domain, SequenceDomain)
        result = self._body.variables(self._shapes.zero(domain))

        def add() -> None:
            packed = self._evaluation.packed(node.body, domain.item)
            self._evaluation.add_item(domain, result, domain.item, packed)

        self._rounds(node.generators, add)
        return self._body.load(result)

    def _rounds(self, generators: tuple[ir.Generator, ...], inside: Callable[[], None]) -> None:
        """Emit `inside` for each combination of the iteration variables that is meant."""
        if not generators:
            inside()
            return
        first, rest = generators[0], generators[1:]

        def one(value: Words, domain: Domain, following: llvm.Block) -> None:
            self._evaluation.bind(first.slot, value, domain)
            for condition in first.conditions:
                holds = self._evaluation.truth(condition)
                self._body.leave_if(self._builder.not_(holds), following)
            self._rounds(rest, inside)

        match first.source:
            case ir.OverDomain(domain):
                self._over_domain(domain, one)
            case ir.OverRange(start, stop):
                self._over_range(start, stop, one)
            case ir.OverCollection(collection):
                self._over_collection(collection, one)

    def _over_domain(
        self, domain: Domain, one: Callable[[Words, Domain, llvm.Block], None]
    ) -> None:
        with self._body.loop(word(domain.size())) as loop:
            one(self._shapes.nth(domain, loop.index), domain, loop.next)

    def _over_range(
        self,
        start: ir.Expression,
        stop: ir.Expression,
        one: Callable[[Words, Domain, llvm.Block], None],
    ) -> None:
        low, high = self._evaluation.value(start)[0], self._evaluation.value(stop)[0]
        some = self._builder.icmp_signed(">", high, low)
        count = self._builder.select(some, self._builder.sub(high, low), word(0))
        assert isinstance(start.domain, RangeDomain)
        assert isinstance(stop.domain, RangeDomain)
        lowest = start.domain.low
        domain = RangeDomain(lowest, max(lowest, stop.domain.high - 1))
        with self._body.loop(count) as loop:
            one([self._builder.add(low, loop.index)], domain, loop.next)

    def _over_collection(
        self, collection: ir.Expression, one: Callable[[Words, Domain, llvm.Block], None]
    ) -> None:
        domain = collection.domain
        shapes, body = self._shapes, self._body
        value = self._evaluation.value(collection)
        match domain:
            case SetDomain():
                with body.loop(word(domain.item.size())) as loop:
                    missing = self._builder.not_(shapes.has_position(value, loop.index))
                    body.leave_if(missing, loop.next)
                    item = shapes.unpack(domain.item, shapes.item_at(domain, loop.index))
                    one(item, domain.item, loop.next)
            case MapDomain():
                self._over_domain(domain.key, one)
            case SequenceDomain() if domain.capacity:
                cells = shapes.items(domain).cells
                with body.loop(shapes.length(domain, value)) as loop:
                    packed = shapes.cell(cells, value, loop.index)
                    one(shapes.unpack(domain.item, packed), domain.item, loop.next)
