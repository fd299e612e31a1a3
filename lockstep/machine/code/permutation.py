"""States under permutations of interchangeable names, and the one that stands for all of them.

Two states are the same up to symmetry when a permutation takes one to the other. The smallest, by
its words from the first to the last, stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir as llvm

from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.symmetry import Permutation, Symmetry
from lockstep.language.types import parts_of_domain
from lockstep.machine.code.body import I64, POINTER, Body, Word, Words, word
from lockstep.machine.code.coercion import Coercion
from lockstep.machine.code.layout import RecordLayout, layout_of
from lockstep.machine.code.shapes import Shapes
from lockstep.machine.code.state import StateLayout


def emit_canonical(
    module: llvm.Module,
    layout: StateLayout,
    variables: dict[str, Domain],
    symmetry: Symmetry,
    tables: dict[tuple[int, ...], llvm.GlobalVariable],
) -> None:
    """Export `canonical(states, count, _)`: each state becomes the one that stands for it."""
    permuting = _permuting_function(module, layout, variables, symmetry, tables)
    kind = llvm.FunctionType(I64, [POINTER] * 3)
    body = Body(llvm.Function(module, kind, "canonical"))
    states, counted, _ = body.function.args
    builder, size = body.builder, layout.words
    count = builder.load(counted)
    with body.loop(count) as loop:
        first = builder.gep(states, [builder.mul(loop.index, word(size))], inbounds=True)
        places = [builder.gep(first, [word(at)], inbounds=True) for at in range(size)]
        original = body.load(places)
        best = body.variables(original)
        candidate = body.array(size)
        with body.loop(word(symmetry.size - 1)) as other:
            number = builder.add(other.index, word(1))
            builder.call(permuting, [first, candidate, number])
            permuted = [
                builder.load(builder.gep(candidate, [word(at)], inbounds=True))
                for at in range(size)
            ]
            smaller = _is_less(body, permuted, body.load(best))
            body.store(body.select(smaller, permuted, body.load(best)), best)
        body.store(body.load(best), places)
    builder.ret(word(0))
    body.finish()


def _is_less(body: Body, one: Sequence[Word], other: Sequence[Word]) -> llvm.Value:
    builder = body.builder
    result: llvm.Value = llvm.Constant(llvm.IntType(1), 0)
    for mine, theirs in reversed(list(zip(one, other, strict=True))):
        equal = builder.icmp_unsigned("==", mine, theirs)
        result = builder.select(equal, result, builder.icmp_unsigned("<", mine, theirs))
    return result


def _permuting_function(
    module: llvm.Module,
    layout: StateLayout,
    variables: dict[str, Domain],
    symmetry: Symmetry,
    tables: dict[tuple[int, ...], llvm.GlobalVariable],
) -> llvm.Function:
    """`permuted(state, result, number)`: the state under the permutation of that number."""
    kind = llvm.FunctionType(I64, [POINTER, POINTER, I64])
    function = llvm.Function(module, kind, "permuted")
    function.linkage = "internal"
    body = Body(function)
    state, result, number = function.args
    builder = body.builder
    words = [
        builder.load(builder.gep(state, [word(at)], inbounds=True)) for at in range(layout.words)
    ]
    permuter = _Permuter(body, tables, symmetry, number)
    changed = list(words)
    for name, domain in variables.items():
        if not permuter.concerns(domain):
            continue
        places, widths = layout.places[name], layout.layouts[name].widths
        parts = [
            body.bits_at(words[place.word], place.shift, width)
            for place, width in zip(places, widths, strict=True)
        ]
        moved = permuter.packed(domain, parts)
        for part, place, width in zip(moved, places, widths, strict=True):
            if width:
                hole = ~(((1 << width) - 1) << place.shift) & (2**64 - 1)
                kept = builder.and_(changed[place.word], word(hole))
                changed[place.word] = builder.or_(kept, builder.shl(part, word(place.shift)))
    for at, value in enumerate(changed):
        builder.store(value, builder.gep(result, [word(at)], inbounds=True))
    builder.ret(word(0))
    body.finish()
    return function


class _Permuter:
    """Emits packed values under the permutation whose number a function is given."""

    def __init__(
        self,
        body: Body,
        tables: dict[tuple[int, ...], llvm.GlobalVariable],
        symmetry: Symmetry,
        number: Word,
    ) -> None:
        self._body = body
        self._builder = body.builder
        self._shapes = Shapes(body, tables)
        self._coercion = Coercion(self._shapes)
        self._names = symmetry.names
        self._permutations: list[Permutation] = list(symmetry.permutations())
        self._number = number

    def concerns(self, domain: Domain) -> bool:
        """Whether values of a domain change with the names."""
        return any(
            isinstance(part, NameDomain) and not self._names.isdisjoint(part.names)
            for part in parts_of_domain(domain)
        )

    def packed(self, domain: Domain, value: Words) -> Words:
        """A packed value with its names changed."""
        if not self.concerns(domain):
            return value
        match domain:
            case NameDomain():
                return [self._name(domain, value[0])]
            case OptionDomain():
                return self._option(domain, value)
            case RecordDomain():
                return self._record(domain, value)
            case MapDomain():
                return self._map(domain, value)
            case SetDomain():
                return self._set(domain, value)
            case SequenceDomain():
                return self._items(domain, value)
        raise TypeError(f"{domain} has no names")

    def _name(self, domain: NameDomain, position: Word) -> Word:
        positions = {name: at for at, name in enumerate(domain.names)}
        images = [
            positions[permutation.get(name, name)]
            for permutation in self._permutations
            for name in domain.names
        ]
        row = self._builder.mul(self._number, word(len(domain.names)))
        return self._shapes.table(images, self._builder.add(row, position))

    def _option(self, domain: OptionDomain, value: Words) -> Words:
        def inside() -> Words:
            some = self._shapes.pack(domain.some, self._shapes.unwrap(domain, value))
            moved = self.packed(domain.some, some)
            return self._shapes.wrap(domain, self._shapes.unpack(domain.some, moved))

        none = self._shapes.is_none(domain, value)
        return self._body.choose(none, lambda: value, inside)

    def _record(self, domain: RecordDomain, value: Words) -> Words:
        layout = layout_of(domain)
        assert isinstance(layout, RecordLayout)
        result = value
        for field, (part, place) in zip(domain.record.fields.values(), layout.parts, strict=True):
            if self.concerns(field):
                moved = self.packed(field, self._shapes.part(value, part, place))
                result = self._shapes.with_part(result, part, place, moved)
        return result

    def _map(self, domain: MapDomain, value: Words) -> Words:
        shapes, body = self._shapes, self._body
        cells = shapes.map_cells(domain)
        result = body.variables(value)
        with body.loop(word(cells.count)) as loop:
            target = loop.index
            if isinstance(domain.key, NameDomain) and self.concerns(domain.key):
                target = self._name(domain.key, loop.index)
            moved = self.packed(domain.value, shapes.cell(cells, value, loop.index))
            body.store(shapes.with_cell(cells, body.load(result), target, moved), result)
        return body.load(result)

    def _set(self, domain: SetDomain, value: Words) -> Words:
        shapes, body = self._shapes, self._body
        result = body.variables(shapes.zero(domain))
        with body.loop(word(domain.item.size())) as loop:
            body.leave_if(self._builder.not_(shapes.has_position(value, loop.index)), loop.next)
            moved = self.packed(domain.item, shapes.item_at(domain, loop.index))
            position = shapes.position(domain, moved)
            body.store(shapes.with_position(body.load(result), position), result)
        return body.load(result)

    def _items(self, domain: SequenceDomain, value: Words) -> Words:
        shapes, body = self._shapes, self._body
        if not domain.capacity:
            return value
        result = body.variables(shapes.zero(domain))
        with body.loop(shapes.length(domain, value)) as loop:
            packed = shapes.cell(shapes.items(domain).cells, value, loop.index)
            moved = self.packed(domain.item, packed)
            longer = self._coercion.append(domain, body.load(result), moved)
            body.store(longer, result)
        return body.load(result)
