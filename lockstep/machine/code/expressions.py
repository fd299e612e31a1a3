"""Expressions of the IR as LLVM instructions.

Evaluation is strict and left to right, as the IR says. `And`, `Or` and `Conditional` become
branches: what Python does not evaluate may have no value. LLVM turns those that are harmless into
straight code again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lockstep.language import ir
from lockstep.language.domains import (
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.source import Place
from lockstep.language.types import NothingDomain, join
from lockstep.machine.code.body import Bit, Word, Words, bit, word
from lockstep.machine.code.coercion import Evaluation, number
from lockstep.machine.code.comprehensions import Comprehensions
from lockstep.machine.code.layout import NotCompiled, RecordLayout, layout_of
from lockstep.machine.code.shapes import Shapes

_LARGEST = 2**62
"""Integers and sums of two of them stay within a word."""


class Expressions(Evaluation):
    """Emits every kind of expression."""

    def __init__(
        self,
        shapes: Shapes,
        read: Callable[[str, bool], Words],
        site: Callable[[Place], int],
    ) -> None:
        """`read` gives a state variable (before or after), `site` the number of a place."""
        super().__init__(shapes, site)
        self._read = read
        self._comprehensions = Comprehensions(self)

    def value(self, node: ir.Expression) -> Words:
        domain = node.domain
        if (
            isinstance(domain, RangeDomain)
            and not -_LARGEST <= domain.low <= domain.high < _LARGEST
        ):
            raise NotCompiled(f"{node.place}: integers in {domain} do not fit a word")
        match node:
            case ir.Literal():
                return self.shapes.constant(domain, node.value)
            case ir.Read():
                return self._read(node.variable, node.after)
            case ir.Local():
                return self.bound(node)
            case ir.Let():
                self.bind(node.slot, self.value(node.value), node.value.domain)
                return self.as_(node.body, domain)
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
            case ir.Arithmetic() | ir.Negate() | ir.Extremum():
                return number(self, node)
            case ir.Compare():
                return self._compare(node)
            case ir.Contains():
                return [self.body.word_of(self._contains(node))]
            case ir.Subset() | ir.SetOperation() | ir.MakeSet():
                return set_value(self, node)
            case ir.Not():
                return [self.builder.xor(self.value(node.operand)[0], word(1))]
            case ir.And():
                return self._short(node.items, wanted=True)
            case ir.Or():
                return self._short(node.items, wanted=False)
            case ir.Conditional():
                test = self.truth(node.test)
                return self.body.choose(
                    test,
                    lambda: self.as_(node.then, domain),
                    lambda: self.as_(node.otherwise, domain),
                )
            case ir.MakeRecord():
                return self._make_record(node)
            case ir.MakeMap():
                return self._make_map(node)
            case ir.Concatenate() | ir.MakeSequence():
                return self._sequences(node)
            case ir.Size():
                return self._size(node)
            case ir.Comprehension():
                return self._comprehensions.value(node)
        raise TypeError(f"{type(node).__name__} is no expression of the IR")

    def _field(self, node: ir.Field) -> Words:
        layout = layout_of(node.record.domain)
        assert isinstance(layout, RecordLayout)
        part, place = layout.parts[node.position]
        field = layout.domain.record.fields[node.name]
        packed = self.shapes.part(self.value(node.record), part, place)
        return self.coercion.to(self.shapes.unpack(field, packed), field, node.domain)[0]

    def _lookup(self, node: ir.Lookup) -> Words:
        domain = node.mapping.domain
        assert isinstance(domain, MapDomain)
        mapping = self.value(node.mapping)
        key = self.packed(node.key, domain.key, node.place)
        cell = self.shapes.cell(self.shapes.map_cells(domain), mapping, key[0])
        return self.coercion.to(self.shapes.unpack(domain.value, cell), domain.value, node.domain)[
            0
        ]

    def _item(self, node: ir.Item) -> Words:
        domain = node.sequence.domain
        assert isinstance(domain, SequenceDomain)
        sequence, index = self.value(node.sequence), self.value(node.index)[0]
        length = self.shapes.length(domain, sequence)
        if isinstance(node.index, ir.Literal) and node.index.value < 0:
            index = self.builder.add(length, index)
        inside = self.builder.icmp_unsigned("<", index, length)
        if node.certain:
            # What cannot fail may stand before the guard by which it cannot: some item will do.
            index = self.builder.select(inside, index, word(0))
        else:
            self.fail_unless(inside, node.place)
        cell = self.shapes.cell(self.shapes.items(domain).cells, sequence, index)
        return self.coercion.to(self.shapes.unpack(domain.item, cell), domain.item, node.domain)[0]

    def _slice(self, node: ir.Slice) -> Words:
        source, target = node.sequence.domain, node.domain
        assert isinstance(source, SequenceDomain)
        assert isinstance(target, SequenceDomain)
        sequence = self.value(node.sequence)
        length = self.shapes.length(source, sequence)
        start = word(0) if node.start is None else self._end(node.start, length)
        stop = length if node.stop is None else self._end(node.stop, length)
        result = self.body.variables(self.shapes.zero(target))
        count = self.builder.sub(stop, start)
        some = self.builder.icmp_signed(">", count, word(0))
        if source.capacity and target.capacity:
            with self.body.loop(self.builder.select(some, count, word(0))) as loop:
                at = self.builder.add(start, loop.index)
                self.add_item(target, result, source.item, self._packed_item(source, sequence, at))
        return self.body.load(result)

    def _end(self, node: ir.Expression, length: Word) -> Word:
        """An end of a slice, cut off as Python does."""
        end, zero = self.value(node)[0], word(0)
        if isinstance(node, ir.Literal) and node.value < 0:
            end = self.builder.add(length, end)
        if not isinstance(node.domain, RangeDomain) or node.domain.low < 0:
            end = self.builder.select(self.builder.icmp_signed("<", end, zero), zero, end)
        return self.builder.select(self.builder.icmp_signed("<", end, length), end, length)

    def _packed_item(self, domain: SequenceDomain, value: Words, index: Word) -> Words:
        return self.shapes.cell(self.shapes.items(domain).cells, value, index)

    def _unwrap(self, node: ir.Unwrap) -> Words:
        source = node.option.domain
        value = self.value(node.option)
        if not isinstance(source, OptionDomain):
            return self.coercion.to(value, source, node.domain)[0]
        if not node.certain:
            present = self.builder.not_(self.shapes.is_none(source, value))
            self.fail_unless(present, node.place)
        if isinstance(source.some, NothingDomain):
            return self.shapes.zero(node.domain)
        return self.coercion.to(self.shapes.unwrap(source, value), source.some, node.domain)[0]

    def _is_none(self, node: ir.IsNone) -> Words:
        value = self.value(node.option)
        if not isinstance(node.option.domain, OptionDomain):
            return [word(int(isinstance(node.option.domain, NothingDomain)))]
        return [self.body.word_of(self.shapes.is_none(node.option.domain, value))]

    def _compare(self, node: ir.Compare) -> Words:
        if node.operator not in ("==", "!="):
            left, right = self.value(node.left)[0], self.value(node.right)[0]
            return [self.body.word_of(self.builder.icmp_signed(node.operator, left, right))]
        domain = join(node.left.domain, node.right.domain)
        assert domain is not None
        one, other = self.as_(node.left, domain), self.as_(node.right, domain)
        same = self.body.equal(one, other)
        return [self.body.word_of(same if node.operator == "==" else self.builder.not_(same))]

    def _contains(self, node: ir.Contains) -> Bit:
        domain = node.collection.domain
        item, collection = self.value(node.item), self.value(node.collection)
        assert isinstance(domain, SetDomain | SequenceDomain)
        if isinstance(domain.item, NothingDomain):
            return bit(False)
        moved, ok = self.coercion.to(item, node.item.domain, domain.item)
        packed = self.shapes.pack(domain.item, moved)
        if isinstance(domain, SetDomain):
            position = self.shapes.position(domain, packed)
            is_there = self.shapes.has_position(collection, position)
        else:
            is_there = self.body.bit_of(self._count(domain, collection, packed))
        return is_there if ok is None else self.builder.and_(is_there, ok)

    def _count(self, domain: SequenceDomain, value: Words, packed: Words) -> Word:
        """How often a sequence has a packed item."""
        total = self.body.variable(word(0))
        if domain.capacity:
            with self.body.loop(self.shapes.length(domain, value)) as loop:
                same = self.body.equal(self._packed_item(domain, value, loop.index), packed)
                more = self.builder.add(self.builder.load(total), self.body.word_of(same))
                self.builder.store(more, total)
        return self.builder.load(total)

    def _short(self, items: Sequence[ir.Expression], *, wanted: bool) -> Words:
        """Conjunction (`wanted`) or disjunction, up to the first item that decides it."""
        first = self.value(items[0])
        if len(items) == 1:
            return first
        test = self.body.bit_of(first[0])
        if wanted:
            return self.body.choose(
                test, lambda: self._short(items[1:], wanted=True), lambda: [word(0)]
            )
        return self.body.choose(
            test, lambda: [word(1)], lambda: self._short(items[1:], wanted=False)
        )

    def _make_record(self, node: ir.MakeRecord) -> Words:
        domain = RecordDomain(node.record)
        layout = layout_of(domain)
        assert isinstance(layout, RecordLayout)
        values = [self.value(value) for value in node.values]
        result = self.shapes.zero(domain)
        for value, part, field, (inner, place) in zip(
            values, node.values, node.record.fields.values(), layout.parts, strict=True
        ):
            moved, ok = self.coercion.to(value, part.domain, field)
            self.fail_unless(ok, node.place)
            packed = self.shapes.pack(field, moved)
            result = self.shapes.with_part(result, inner, place, packed)
        return result

    def _make_map(self, node: ir.MakeMap) -> Words:
        domain = node.domain
        assert isinstance(domain, MapDomain)
        cells = self.shapes.map_cells(domain)
        result = self.body.variables(self.shapes.zero(domain))
        with self.body.loop(word(node.key.size())) as loop:
            self.bind(node.slot, self.shapes.unpack(node.key, [loop.index]), node.key)
            packed = self.packed(node.body, domain.value)
            changed = self.shapes.with_cell(cells, self.body.load(result), loop.index, packed)
            self.body.store(changed, result)
        return self.body.load(result)

    def _sequences(self, node: ir.Concatenate | ir.MakeSequence) -> Words:
        domain = node.domain
        assert isinstance(domain, SequenceDomain)
        result = self.body.variables(self.shapes.zero(domain))
        if isinstance(node, ir.MakeSequence):
            for item in node.items:
                self.add_item(domain, result, domain.item, self.packed(item, domain.item))
            return self.body.load(result)
        for part, value in [(side, self.value(side)) for side in (node.left, node.right)]:
            source = part.domain
            assert isinstance(source, SequenceDomain)
            if source.capacity:
                with self.body.loop(self.shapes.length(source, value)) as loop:
                    packed = self._packed_item(source, value, loop.index)
                    self.add_item(domain, result, source.item, packed)
        return self.body.load(result)

    def _size(self, node: ir.Size) -> Words:
        domain = node.collection.domain
        value = self.value(node.collection)
        if isinstance(domain, MapDomain):
            return [word(domain.key.size())]
        if not isinstance(domain, SetDomain):
            return [self.shapes.length(domain, value)]
        total = word(0)
        for part in value:
            total = self.builder.add(total, self.builder.ctpop(part))
        return [total]


def set_value(evaluation: Evaluation, node: ir.Subset | ir.SetOperation | ir.MakeSet) -> Words:
    """The set of some values, of an operation on two sets, or whether one lies in the other."""
    if isinstance(node, ir.MakeSet):
        return _set_of_items(evaluation, node)
    builder, body = evaluation.builder, evaluation.body
    domain = join(node.left.domain, node.right.domain)
    assert domain is not None
    left, right = evaluation.as_(node.left, domain), evaluation.as_(node.right, domain)
    pairs = list(zip(left, right, strict=True))
    if isinstance(node, ir.Subset):
        outside = [builder.and_(one, builder.not_(other)) for one, other in pairs]
        within = body.equal(outside, [word(0)] * len(outside))
        if node.strict:
            within = builder.and_(within, builder.not_(body.equal(left, right)))
        return [body.word_of(within)]
    match node.operator:
        case "|":
            words = [builder.or_(one, other) for one, other in pairs]
        case "&":
            words = [builder.and_(one, other) for one, other in pairs]
        case "-":
            words = [builder.and_(one, builder.not_(other)) for one, other in pairs]
        case _:
            words = [builder.xor(one, other) for one, other in pairs]
    return evaluation.coercion.to(words, domain, node.domain)[0]


def _set_of_items(evaluation: Evaluation, node: ir.MakeSet) -> Words:
    assert isinstance(node.domain, SetDomain)
    shapes = evaluation.shapes
    words = shapes.zero(node.domain)
    for item in node.items:
        position = shapes.position(node.domain, evaluation.packed(item, node.domain.item))
        words = shapes.with_position(words, position)
    return words
