"""The same value in the form of another domain, and whether it lies in that domain at all."""

from __future__ import annotations

from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
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
