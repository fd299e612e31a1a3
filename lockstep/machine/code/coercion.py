"""A value evaluated in the form of another domain, and whether it lies in that domain at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from llvmlite import ir as llvm

from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.source import Place
from lockstep.language.types import NothingDomain, is_within
from lockstep.machine.code.body import Bit, Body, Word, Words, bit, word
from lockstep.machine.code.shapes import Shapes


class Coercion:
    """Emits changes of domain into a body."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._body: Body = shapes.body
        self._builder = shapes.builder

    def to(self, value: Words, source: Domain, target: Domain) -> tuple[Words, Bit | None]:
        """`value` of `source` as one of `target`, and whether it is one; None when it surely is.

        What comes out for a value that is not in `target` is some other value of it: a number out
        of range would make a shift, and with it all that follows, undefined to LLVM.
        """
        if source == target:
            return value, None
        match source, target:
            case NothingDomain(), _:
                return self._shapes.zero(target), None
            case OptionDomain(), OptionDomain():
                return self._option(value, source, target)
            case OptionDomain(), _:
                return self._certain(value, source, target)
            case _, OptionDomain():
                inside, ok = self.to(value, source, target.some)
                return self._shapes.wrap(target, inside), ok
            case RangeDomain(), RangeDomain():
                ok, zero = self._in_range(value[0], source, target), self._shapes.zero(target)
                return value if ok is None else self._body.select(ok, value, zero), ok
            case ((RangeDomain() | NameDomain()), (RangeDomain() | NameDomain())):
                return self._name(value, source, target)
            case SetDomain(), SetDomain():
                return self._set(value, source, target)
            case SequenceDomain(), SequenceDomain():
                return self._sequence(value, source, target)
            case MapDomain(), MapDomain() if set(source.key) == set(target.key):
                return self._map(value, source, target)
        return self._shapes.zero(target), bit(False)

    def _both(self, one: Bit | None, other: Bit | None) -> Bit | None:
        if one is None or other is None:
            return other if one is None else one
        return self._builder.and_(one, other)

    def _option(
        self, value: Words, source: OptionDomain, target: OptionDomain
    ) -> tuple[Words, Bit | None]:
        if isinstance(source.some, NothingDomain):
            return self._shapes.zero(target), None
        none = self._shapes.is_none(source, value)
        fine = self._body.variable(word(1))

        def inside() -> Words:
            some, ok = self.to(self._shapes.unwrap(source, value), source.some, target.some)
            if ok is not None:
                self._builder.store(self._body.word_of(ok), fine)
            return self._shapes.wrap(target, some)

        result = self._body.choose(none, lambda: self._shapes.zero(target), inside)
        if is_within(source.some, target.some):
            return result, None
        return result, self._body.bit_of(self._builder.load(fine))

    def _certain(
        self, value: Words, source: OptionDomain, target: Domain
    ) -> tuple[Words, Bit | None]:
        present = self._builder.not_(self._shapes.is_none(source, value))
        fine = self._body.variable(word(1))

        def inside() -> Words:
            some, ok = self.to(self._shapes.unwrap(source, value), source.some, target)
            if ok is not None:
                self._builder.store(self._body.word_of(ok), fine)
            return some

        result = self._body.choose(present, inside, lambda: self._shapes.zero(target))
        return result, self._both(present, self._body.bit_of(self._builder.load(fine)))

    def _in_range(self, value: Word, source: RangeDomain, target: RangeDomain) -> Bit | None:
        ok: Bit | None = None
        if source.low < target.low:
            ok = self._builder.icmp_signed(">=", value, word(target.low))
        if source.high > target.high:
            ok = self._both(ok, self._builder.icmp_signed("<=", value, word(target.high)))
        return ok

    def _name(
        self, value: Words, source: RangeDomain | NameDomain, target: RangeDomain | NameDomain
    ) -> tuple[Words, Bit | None]:
        """Two names are the same when the Python values that stand for them are."""
        if isinstance(source, NameDomain) and isinstance(target, NameDomain):
            positions_of = {name: position for position, name in enumerate(target.names)}
            positions = [positions_of.get(name, -1) for name in source.names]
            if positions == list(range(len(positions))):
                return value, None
            position = self._shapes.table([position % 2**64 for position in positions], value[0])
            if -1 not in positions:
                return [position], None
            fine = self._builder.icmp_signed(">=", position, word(0))
            return self._body.select(fine, [position], [word(0)]), fine
        pairs: list[tuple[int, int]]
        if isinstance(source, NameDomain):
            assert isinstance(target, RangeDomain)
            pairs = [
                (position, name)
                for position, name in enumerate(source.names)
                if isinstance(name, int) and target.contains(name)
            ]
            sure = len(pairs) == len(source.names)
        else:
            assert isinstance(target, NameDomain)
            pairs = [
                (name, position)
                for position, name in enumerate(target.names)
                if isinstance(name, int) and source.contains(name)
            ]
            sure = len(pairs) == source.size()
        result, fine = self._shapes.zero(target)[0], bit(False)
        for before, after in pairs:
            here = self._builder.icmp_signed("==", value[0], word(before))
            result = self._builder.select(here, word(after), result)
            fine = self._builder.or_(fine, here)
        return [result], None if sure else fine

    def _set(self, value: Words, source: SetDomain, target: SetDomain) -> tuple[Words, Bit | None]:
        shapes, body = self._shapes, self._body
        result = body.variables(shapes.zero(target))
        fine = body.variable(word(1))
        with body.loop(word(source.item.size())) as loop:
            body.leave_if(self._builder.not_(shapes.has_position(value, loop.index)), loop.next)
            item = shapes.unpack(source.item, shapes.item_at(source, loop.index))
            moved, ok = self.to(item, source.item, target.item)
            self._note(fine, ok)
            position = shapes.position(target, shapes.pack(target.item, moved))
            body.store(shapes.with_position(body.load(result), position), result)
        return body.load(result), self._noted(fine, source.item, target.item)

    def _note(self, fine: Word, ok: Bit | None) -> None:
        """Remember that one of several values was not in its domain."""
        if ok is not None:
            before = self._builder.load(fine)
            self._builder.store(self._builder.and_(before, self._body.word_of(ok)), fine)

    def _noted(self, fine: Word, source: Domain, target: Domain) -> Bit | None:
        return None if is_within(source, target) else self._body.bit_of(self._builder.load(fine))

    def append(self, domain: Domain, value: Words, packed: Words) -> Words:
        """A sequence with a packed item at its end; it must have room."""
        cells = self._shapes.items(domain).cells
        length = self._shapes.length(domain, value)
        longer = self._shapes.with_length(domain, value, self._builder.add(length, word(1)))
        return self._shapes.with_cell(cells, longer, length, packed)

    def _sequence(
        self, value: Words, source: SequenceDomain, target: SequenceDomain
    ) -> tuple[Words, Bit | None]:
        shapes, body, builder = self._shapes, self._body, self._builder
        length = shapes.length(source, value)
        fits: Bit | None = None
        kept = length
        if source.capacity > target.capacity:
            fits = builder.icmp_unsigned("<=", length, word(target.capacity))
            kept = builder.select(fits, length, word(0))
        result = body.variables(shapes.zero(target))
        fine = body.variable(word(1))
        if source.capacity and target.capacity:
            with body.loop(kept) as loop:
                packed = shapes.cell(shapes.items(source).cells, value, loop.index)
                item = shapes.unpack(source.item, packed)
                moved, ok = self.to(item, source.item, target.item)
                self._note(fine, ok)
                packed_item = shapes.pack(target.item, moved)
                body.store(self.append(target, body.load(result), packed_item), result)
        return body.load(result), self._both(fits, self._noted(fine, source.item, target.item))

    def _map(self, value: Words, source: MapDomain, target: MapDomain) -> tuple[Words, Bit | None]:
        shapes, body = self._shapes, self._body
        old, new = shapes.map_cells(source), shapes.map_cells(target)
        positions = {key: position for position, key in enumerate(source.key)}
        order = [positions[key] for key in target.key]
        result = body.variables(shapes.zero(target))
        fine = body.variable(word(1))
        with body.loop(word(new.count)) as loop:
            straight = order == list(range(len(order)))
            index = loop.index if straight else shapes.table(order, loop.index)
            item = shapes.unpack(source.value, shapes.cell(old, value, index))
            moved, ok = self.to(item, source.value, target.value)
            self._note(fine, ok)
            packed = shapes.pack(target.value, moved)
            body.store(shapes.with_cell(new, body.load(result), loop.index, packed), result)
        return body.load(result), self._noted(fine, source.value, target.value)


class Evaluation(ABC):
    """Emits expressions into a body; a kind of expression emits its parts by way of `value`."""

    def __init__(self, shapes: Shapes, site: Callable[[Place], int]) -> None:
        """`site` gives the number of a place."""
        self.shapes = shapes
        self.coercion = Coercion(shapes)
        self.body: Body = shapes.body
        self.builder = shapes.builder
        self._site = site
        self._slots: dict[int, tuple[Words, Domain]] = {}

    @abstractmethod
    def value(self, node: ir.Expression) -> Words:
        """An expression's value, as one of `node.domain`."""

    def bind(self, slot: int, value: Words, domain: Domain) -> None:
        """Give a slot a value; it may be read where this place is sure to have been passed."""
        self._slots[slot] = value, domain

    def bound(self, node: ir.Local) -> Words:
        """The value of a slot."""
        value, domain = self._slots[node.slot]
        return self.coercion.to(value, domain, node.domain)[0]

    def truth(self, node: ir.Expression) -> Bit:
        """A condition."""
        return self.body.bit_of(self.value(node)[0])

    def as_(self, node: ir.Expression, target: Domain, place: Place | None = None) -> Words:
        """An expression's value as one of `target`, a failure at `place` if it is not one."""
        value, ok = self.coercion.to(self.value(node), node.domain, target)
        if place is not None:
            self.fail_unless(ok, place)
        return value

    def packed(self, node: ir.Expression, target: Domain, place: Place | None = None) -> Words:
        """As `as_`, as a part of something larger."""
        return self.shapes.pack(target, self.as_(node, target, place))

    def fail_unless(self, ok: Bit | None, place: Place) -> None:
        """A failure at `place` unless the bit is set; None always is."""
        if ok is not None:
            self.body.fail_unless(ok, self._site(place))

    def add_item(
        self, domain: Domain, result: Sequence[Word], source: Domain, packed: Words
    ) -> None:
        """Put one more item, packed as one of `source`, into a sequence in variables."""
        assert isinstance(domain, SequenceDomain)
        item = self.coercion.to(self.shapes.unpack(source, packed), source, domain.item)[0]
        packed_item = self.shapes.pack(domain.item, item)
        self.body.store(self.coercion.append(domain, self.body.load(result), packed_item), result)


def number(evaluation: Evaluation, node: ir.Arithmetic | ir.Negate | ir.Extremum) -> Words:
    """The value of an operation on integers."""
    match node:
        case ir.Negate():
            return [evaluation.builder.neg(evaluation.value(node.operand)[0])]
        case ir.Extremum():
            best, *others = [evaluation.value(item)[0] for item in node.items]
            for other in others:
                best = better(evaluation.builder, node.largest, best, other)
            return [best]
        case ir.Arithmetic():
            return [_arithmetic(evaluation, node)]


def better(builder: llvm.IRBuilder, largest: bool, one: Word, other: Word) -> Word:
    """The larger or smaller of two integers."""
    test = builder.icmp_signed(">" if largest else "<", other, one)
    return builder.select(test, other, one)


def _arithmetic(evaluation: Evaluation, node: ir.Arithmetic) -> Word:
    builder = evaluation.builder
    left, right = evaluation.value(node.left)[0], evaluation.value(node.right)[0]
    match node.operator:
        case "+":
            return builder.add(left, right)
        case "-":
            return builder.sub(left, right)
        case "*":
            return builder.mul(left, right)
    divisor = node.right.domain
    if not isinstance(divisor, RangeDomain) or divisor.low <= 0 <= divisor.high:
        evaluation.fail_unless(builder.icmp_signed("!=", right, word(0)), node.place)
    quotient, rest = builder.sdiv(left, right), builder.srem(left, right)
    # LLVM rounds towards zero, Python down.
    opposite = builder.icmp_signed("<", builder.xor(rest, right), word(0))
    down = builder.and_(evaluation.body.bit_of(rest), opposite)
    if node.operator == "//":
        return builder.sub(quotient, evaluation.body.word_of(down))
    return builder.select(down, builder.add(rest, right), rest)
