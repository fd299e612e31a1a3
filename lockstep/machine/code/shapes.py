"""Taking values apart and putting them together, in words.

Inside expressions an atom is one word: an integer itself, or the position of an enum member, a
truth value or a name in its domain. Everything else has the words of its layout. Packed, as a
part of something larger, an integer too is a position.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir as llvm

from lockstep.language.domains import Domain, OptionDomain, RangeDomain
from lockstep.machine.code.body import I64, Bit, Body, Word, Words, word
from lockstep.machine.code.cells import Cells, Layout, Place, mask
from lockstep.machine.code.layout import (
    MapLayout,
    NotCompiled,
    OptionLayout,
    ScalarLayout,
    SequenceLayout,
    SetLayout,
    layout_of,
)

MAX_VALUES = 2**20
"""The most values that a domain with parts may have to be enumerated."""


class Shapes:
    """Emits access to the parts of values into a body."""

    def __init__(self, body: Body, tables: dict[tuple[int, ...], llvm.GlobalVariable]) -> None:
        """`tables` are the constant tables that the module has already."""
        self.body = body
        self.builder = body.builder
        self._tables = tables

    def pack(self, domain: Domain, value: Words) -> Words:
        """A value as a part of something larger."""
        if isinstance(domain, RangeDomain) and domain.low:
            return [self.builder.sub(value[0], word(domain.low))]
        return value

    def unpack(self, domain: Domain, value: Words) -> Words:
        """What `pack` made, as a value again."""
        if isinstance(domain, RangeDomain) and domain.low:
            return [self.builder.add(value[0], word(domain.low))]
        return value

    def zero(self, domain: Domain) -> Words:
        """The first value of a domain, for where none is needed; of a collection the empty one."""
        if isinstance(domain, RangeDomain):
            return [word(domain.low)]
        return [word(0)] * len(layout_of(domain).widths)

    def constant(self, domain: Domain, value: object) -> Words:
        """A value known now."""
        if isinstance(domain, RangeDomain):
            assert isinstance(value, int)
            return [word(value)]
        return [word(part) for part in layout_of(domain).encode(value)]

    def nth(self, domain: Domain, index: Word) -> Words:
        """The value of a domain that has this number in its order, from 0."""
        if isinstance(layout_of(domain), ScalarLayout):
            return self.unpack(domain, [index])
        if domain.size() > MAX_VALUES:
            raise NotCompiled(f"{domain} has {domain.size():,} values: too many to try each")
        codes = [layout_of(domain).encode(value) for value in domain]
        return [self.table(column, index) for column in zip(*codes, strict=True)]

    def part(self, value: Sequence[Word], layout: Layout, place: Place) -> Words:
        """The packed words of a part at a fixed place."""
        if not layout.is_flat:
            # The last of its words may have other parts beside it.
            return [
                self.body.bits_at(value[place.word + offset], 0, width)
                for offset, width in enumerate(layout.widths)
            ]
        return [self.body.bits_at(value[place.word], place.shift, layout.bits)]

    def with_part(
        self, value: Sequence[Word], layout: Layout, place: Place, part: Sequence[Word]
    ) -> Words:
        """A value with one part, packed, replaced."""
        result = list(value)
        if not layout.is_flat:
            for offset, width in enumerate(layout.widths):
                at = place.word + offset
                result[at] = self._with_bits(value[at], word(0), width, part[offset])
            return result
        result[place.word] = self._with_bits(
            value[place.word], word(place.shift), layout.bits, part[0]
        )
        return result

    def _with_bits(self, whole: Word, shift: Word, width: int, part: Word) -> Word:
        if width == 64:
            return part
        if width == 0:
            return whole
        builder = self.builder
        hole = builder.not_(builder.shl(word(mask(width)), shift))
        return builder.or_(builder.and_(whole, hole), builder.shl(part, shift))

    def is_none(self, domain: OptionDomain, value: Words) -> Bit:
        """Whether an option is None."""
        layout = layout_of(domain)
        assert isinstance(layout, OptionLayout)
        place = layout.presence
        if place is None:
            return self.builder.icmp_unsigned("==", value[0], word(0))
        present = self.body.bits_at(value[place.word], place.shift, 1)
        return self.builder.icmp_unsigned("==", present, word(0))

    def unwrap(self, domain: OptionDomain, value: Words) -> Words:
        """What is inside an option that is not None."""
        layout = layout_of(domain)
        assert isinstance(layout, OptionLayout)
        place = layout.presence
        if place is None:
            return self.unpack(domain.some, [self.builder.sub(value[0], word(1))])
        inside = list(value)
        inside[place.word] = self.builder.and_(
            value[place.word], word(~(1 << place.shift) & mask(64))
        )
        return inside[: len(layout.some.widths)]

    def wrap(self, domain: OptionDomain, value: Words) -> Words:
        """A value as an option."""
        layout = layout_of(domain)
        assert isinstance(layout, OptionLayout)
        place = layout.presence
        if place is None:
            return [self.builder.add(self.pack(domain.some, value)[0], word(1))]
        words = [*value, *[word(0)] * (len(layout.widths) - len(value))]
        words[place.word] = self.builder.or_(words[place.word], word(1 << place.shift))
        return words

    def cell(self, cells: Cells, value: Sequence[Word], index: Word) -> Words:
        """The packed words of one cell; the index must be within the cells."""
        if cells.count == 0:
            return [word(0)] * len(cells.item.widths)
        if isinstance(index, llvm.Constant):
            return self.part(value, cells.item, cells.place(index.constant))
        if not cells.item.is_flat:
            wide = len(cells.item.widths)
            options = [
                list(value[start : start + wide])
                for start in range(cells.first_word, cells.first_word + cells.count * wide, wide)
            ]
            return self._pick(options, index)
        within, whole = self._locate(cells, value, index)
        moved = self.builder.lshr(whole, within)
        return [self.body.bits_at(moved, 0, cells.item.bits)]

    def with_cell(
        self, cells: Cells, value: Sequence[Word], index: Word, part: Sequence[Word]
    ) -> Words:
        """A value with one cell, packed, replaced."""
        if cells.count == 0:
            return list(value)
        if isinstance(index, llvm.Constant):
            return self.with_part(value, cells.item, cells.place(index.constant), part)
        result = list(value)
        if not cells.item.is_flat:
            wide = len(cells.item.widths)
            for number in range(cells.count):
                here = self.builder.icmp_unsigned("==", index, word(number))
                start = cells.first_word + number * wide
                result[start : start + wide] = self.body.select(
                    here, part, result[start : start + wide]
                )
            return result
        within, whole = self._locate(cells, value, index)
        changed = self._with_bits(whole, within, cells.item.bits, part[0])
        if cells.in_first_word or len(value) == cells.first_word + 1:
            result[cells.first_word] = changed
            return result
        number = self._word_number(cells, index)
        for at in range(cells.first_word, len(value)):
            here = self.builder.icmp_unsigned("==", number, word(at - cells.first_word))
            result[at] = self.builder.select(here, changed, result[at])
        return result

    def _word_number(self, cells: Cells, index: Word) -> Word:
        """In which of the cells' words a flat cell is."""
        if cells.in_a_word == 1:
            return index
        return self.builder.udiv(index, word(cells.in_a_word))

    def _locate(self, cells: Cells, value: Sequence[Word], index: Word) -> tuple[Word, Word]:
        """The shift of a flat cell, and the word that it is in."""
        builder, bits = self.builder, cells.item.bits
        if cells.in_first_word:
            shift = builder.mul(index, word(bits))
            return (builder.add(shift, word(cells.start)) if cells.start else shift), value[0]
        words = list(value[cells.first_word :])
        if len(words) == 1:
            return builder.mul(index, word(bits)), words[0]
        number = self._word_number(cells, index)
        offset = builder.sub(index, builder.mul(number, word(cells.in_a_word)))
        return builder.mul(offset, word(bits)), self._pick([[w] for w in words], number)[0]

    def _pick(self, options: Sequence[Words], index: Word) -> Words:
        """The option of that number, by comparisons."""
        result = options[-1]
        for number in reversed(range(len(options) - 1)):
            here = self.builder.icmp_unsigned("==", index, word(number))
            result = self.body.select(here, options[number], result)
        return result

    def table(self, numbers: Sequence[int], index: Word) -> Word:
        """A number out of a constant table."""
        place = self.builder.gep(self.constant_table(numbers), [word(0), index], inbounds=True)
        return self.builder.load(place)

    def constant_table(self, numbers: Sequence[int]) -> llvm.GlobalVariable:
        """A constant table of words in the module."""
        key = tuple(numbers)
        if key not in self._tables:
            kind = llvm.ArrayType(I64, len(key))
            table = llvm.GlobalVariable(
                self.body.function.module, kind, f"table{len(self._tables)}"
            )
            table.initializer = llvm.Constant(kind, [llvm.Constant(I64, number) for number in key])
            table.linkage = "internal"
            table.global_constant = True
            self._tables[key] = table
        return self._tables[key]

    def map_cells(self, domain: Domain) -> Cells:
        """The cells of a map."""
        layout = layout_of(domain)
        assert isinstance(layout, MapLayout)
        return layout.cells

    def items(self, domain: Domain) -> SequenceLayout:
        """The layout of a sequence."""
        layout = layout_of(domain)
        assert isinstance(layout, SequenceLayout)
        return layout

    def length(self, domain: Domain, value: Sequence[Word]) -> Word:
        """How many items a sequence has."""
        return self.body.bits_at(value[0], 0, self.items(domain).length_bits)

    def with_length(self, domain: Domain, value: Sequence[Word], length: Word) -> Words:
        """A sequence with its length set."""
        result = list(value)
        bits = self.items(domain).length_bits
        result[0] = self._with_bits(value[0], word(0), bits, length)
        return result

    def position(self, domain: Domain, packed: Sequence[Word]) -> Word:
        """The position of an item, packed, in the sets of `domain`."""
        layout = layout_of(domain)
        assert isinstance(layout, SetLayout)
        if layout.codes is None:
            return packed[0]
        return self._search(layout.codes, packed[0])

    def item_at(self, domain: Domain, position: Word) -> Words:
        """The packed item that has a position in the sets of `domain`."""
        layout = layout_of(domain)
        assert isinstance(layout, SetLayout)
        return [position if layout.codes is None else self.table(layout.codes, position)]

    def _search(self, codes: Sequence[int], code: Word) -> Word:
        """The position of a code in an ascending table that has it, by halving."""
        builder = self.builder
        table = self.constant_table(codes)
        low = word(0)
        step = 1 << max(0, (len(codes) - 1).bit_length() - 1)
        while step and len(codes) > 1:
            middle = builder.add(low, word(step))
            inside = builder.icmp_unsigned("<", middle, word(len(codes)))
            safe = builder.select(inside, middle, word(0))
            held = builder.load(builder.gep(table, [word(0), safe], inbounds=True))
            right = builder.and_(inside, builder.icmp_unsigned("<=", held, code))
            low = builder.select(right, middle, low)
            step >>= 1
        return low

    def has_position(self, value: Sequence[Word], position: Word) -> Bit:
        """Whether a set has the item of a position."""
        if len(value) == 1:
            moved = self.builder.lshr(value[0], position)
        else:
            number = self.builder.lshr(position, word(6))
            whole = self._pick([[part] for part in value], number)[0]
            moved = self.builder.lshr(whole, self.builder.and_(position, word(63)))
        return self.builder.trunc(moved, llvm.IntType(1))

    def with_position(self, value: Sequence[Word], position: Word) -> Words:
        """A set with the item of a position."""
        builder = self.builder
        if len(value) == 1:
            return [builder.or_(value[0], builder.shl(word(1), position))]
        number = builder.lshr(position, word(6))
        added = builder.shl(word(1), builder.and_(position, word(63)))
        result = []
        for at, part in enumerate(value):
            here = builder.icmp_unsigned("==", number, word(at))
            result.append(builder.or_(part, builder.select(here, added, word(0))))
        return result
