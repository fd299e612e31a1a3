"""How a value is laid out in 64-bit words.

Two values of a domain are equal exactly when their words are: each has one form, and unused bits
are zero. A domain of at most 64 bits takes one word; parts of larger ones never straddle words.

| domain | form |
|---|---|
| integers, enums, booleans, names | the position in the domain's order |
| option of such an atom | 0 for None, else one more than the atom |
| other options | the value, and one bit that says that there is one; None is all zeros |
| record | its fields, each in the next word with room |
| map, sequence | cells of one size; a sequence has its length before them |
| set | one bit an item, in the order of the items' codes |

A word is a Python integer from 0 to 2**64 - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.types import NothingDomain
from lockstep.machine.code.cells import WORD, Cells, Layout, Place, mask, put, take

MAX_SET_ITEMS = 4096
"""The most items that the domain of a set may have: each takes a bit in every set."""


class NotCompiled(Exception):
    """The model uses something that has no machine form in this scope; the text says what."""


@dataclass(frozen=True)
class ScalarLayout(Layout):
    """Integers, enum members, booleans and names: their position in the domain."""

    domain: Domain

    @cached_property
    def widths(self) -> tuple[int, ...]:  # type: ignore[override]
        bits = (max(1, self.domain.size()) - 1).bit_length()
        if bits > WORD - 1:
            raise NotCompiled(f"{self.domain} has values beyond 63 bits")
        return (bits,)

    @cached_property
    def _positions(self) -> dict[object, int]:
        return {value: index for index, value in enumerate(self.domain)}

    @cached_property
    def _values(self) -> list[object]:
        return list(self.domain)

    def encode(self, value: Any) -> list[int]:
        if isinstance(self.domain, RangeDomain):
            return [value - self.domain.low]
        return [self._positions[value]]

    def decode(self, words: Sequence[int]) -> Any:
        if isinstance(self.domain, RangeDomain):
            return words[0] + self.domain.low
        return self._values[words[0]]


@dataclass(frozen=True)
class OptionLayout(Layout):
    """None, or a value. One bit says which, but of atoms, whose code does."""

    some: Layout

    @cached_property
    def presence(self) -> Place | None:
        """Where the bit is that says that there is a value; None for atoms."""
        if isinstance(self.some, ScalarLayout):
            return None
        for word, width in enumerate(self.some.widths):
            if width < WORD:
                return Place(word, width)
        return Place(len(self.some.widths), 0)

    @cached_property
    def widths(self) -> tuple[int, ...]:  # type: ignore[override]
        if isinstance(self.some, ScalarLayout):
            return (self.some.domain.size().bit_length(),)
        place = self.presence
        assert place is not None
        widths = [*self.some.widths, 0][: max(len(self.some.widths), place.word + 1)]
        widths[place.word] += 1
        return tuple(widths)

    def encode(self, value: Any) -> list[int]:
        if value is None:
            return [0] * len(self.widths)
        words = self.some.encode(value)
        place = self.presence
        if place is None:
            return [words[0] + 1]
        words += [0] * (len(self.widths) - len(words))
        words[place.word] |= 1 << place.shift
        return words

    def decode(self, words: Sequence[int]) -> Any:
        place = self.presence
        if place is None:
            return None if words[0] == 0 else self.some.decode([words[0] - 1])
        if not words[place.word] >> place.shift & 1:
            return None
        inside = list(words)
        inside[place.word] &= ~(1 << place.shift)
        return self.some.decode(inside[: len(self.some.widths)])


@dataclass(frozen=True)
class RecordLayout(Layout):
    """Fields one after the other; one that does not fit the rest of a word begins the next."""

    domain: RecordDomain

    @cached_property
    def parts(self) -> tuple[tuple[Layout, Place], ...]:
        """Layout and first place of each field. A field of several words begins at shift 0."""
        return self._placed[0]

    @cached_property
    def widths(self) -> tuple[int, ...]:  # type: ignore[override]
        return self._placed[1]

    @cached_property
    def _placed(self) -> tuple[tuple[tuple[Layout, Place], ...], tuple[int, ...]]:
        parts: list[tuple[Layout, Place]] = []
        widths = [0]
        for field in self.domain.record.fields.values():
            layout = layout_of(field)
            if layout.is_flat and widths[-1] + layout.bits <= WORD:
                parts.append((layout, Place(len(widths) - 1, widths[-1])))
                widths[-1] += layout.bits
                continue
            if widths == [0]:
                widths = []
            parts.append((layout, Place(len(widths), 0)))
            widths += layout.widths
        return tuple(parts), tuple(widths)

    def encode(self, value: Any) -> list[int]:
        words = [0] * len(self.widths)
        for (layout, place), part in zip(self.parts, value, strict=True):
            put(words, layout, place, layout.encode(part))
        return words

    def decode(self, words: Sequence[int]) -> Any:
        return self.domain.record.of(
            layout.decode(take(words, layout, place)) for layout, place in self.parts
        )


@dataclass(frozen=True)
class MapLayout(Layout):
    """A cell a key, in the keys' order."""

    domain: MapDomain

    @cached_property
    def cells(self) -> Cells:
        """The values."""
        return Cells(layout_of(self.domain.value), self.domain.key.size(), 0)

    @cached_property
    def widths(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.cells.widths or (0,)

    def encode(self, value: Any) -> list[int]:
        words = [0] * len(self.widths)
        for index, part in enumerate(value.values()):
            put(words, self.cells.item, self.cells.place(index), self.cells.item.encode(part))
        return words

    def decode(self, words: Sequence[int]) -> Any:
        cells = self.cells
        return self.domain.of(
            cells.item.decode(take(words, cells.item, cells.place(index)))
            for index in range(cells.count)
        )


@dataclass(frozen=True)
class SequenceLayout(Layout):
    """The length, then a cell an item."""

    domain: SequenceDomain

    @cached_property
    def cells(self) -> Cells:
        """The items, and cells of zeros after them."""
        return Cells(layout_of(self.domain.item), self.domain.capacity, self.length_bits)

    @cached_property
    def length_bits(self) -> int:
        """The bits of the length, the lowest of the first word."""
        return self.domain.capacity.bit_length()

    @cached_property
    def widths(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.cells.widths or (0,)

    def encode(self, value: Any) -> list[int]:
        item = self.cells.item
        words = [0] * len(self.widths)
        words[0] = len(value)
        for index, part in enumerate(value):
            put(words, item, self.cells.place(index), item.encode(part))
        return words

    def decode(self, words: Sequence[int]) -> Any:
        length = words[0] & mask(self.length_bits)
        item = self.cells.item
        return tuple(
            item.decode(take(words, item, self.cells.place(index))) for index in range(length)
        )


@dataclass(frozen=True)
class SetLayout(Layout):
    """One bit an item."""

    domain: SetDomain

    @cached_property
    def codes(self) -> tuple[int, ...] | None:
        """The codes of the items in ascending order; None when they are 0, 1, 2 and so on."""
        item = layout_of(self.domain.item)
        if isinstance(item, ScalarLayout):
            return None
        if not item.is_flat:
            raise NotCompiled(f"the items of {self.domain} take more than 64 bits each")
        return tuple(sorted(item.encode(value)[0] for value in self.domain.item))

    @cached_property
    def widths(self) -> tuple[int, ...]:  # type: ignore[override]
        size = self.domain.item.size()
        if size > MAX_SET_ITEMS:
            raise NotCompiled(
                f"{self.domain} is a set out of {size:,} items, each of which takes a bit"
            )
        full, rest = divmod(size, WORD)
        return (*[WORD] * full, *[rest] * (rest > 0)) or (0,)

    @cached_property
    def _positions(self) -> dict[int, int]:
        codes = self.codes
        return {} if codes is None else {code: position for position, code in enumerate(codes)}

    def encode(self, value: Any) -> list[int]:
        item = layout_of(self.domain.item)
        words = [0] * len(self.widths)
        for part in value:
            code = item.encode(part)[0]
            position = code if self.codes is None else self._positions[code]
            words[position // WORD] |= 1 << position % WORD
        return words

    def decode(self, words: Sequence[int]) -> Any:
        item = layout_of(self.domain.item)
        whole = sum(word << WORD * index for index, word in enumerate(words))
        items = []
        while whole:
            position = (whole & -whole).bit_length() - 1
            whole &= whole - 1
            items.append(item.decode([self.codes[position] if self.codes else position]))
        return frozenset(items)


@cache
def layout_of(domain: Domain) -> Layout:
    """The layout of a domain's values; `NotCompiled` when it has none."""
    match domain:
        case OptionDomain():
            return OptionLayout(layout_of(domain.some))
        case RecordDomain():
            return RecordLayout(domain)
        case MapDomain():
            return MapLayout(domain)
        case SequenceDomain():
            return SequenceLayout(domain)
        case SetDomain():
            return SetLayout(domain)
        case NothingDomain():
            return ScalarLayout(domain)
    if domain.is_scalar:
        return ScalarLayout(domain)
    raise NotCompiled(f"{domain} has no machine form")
