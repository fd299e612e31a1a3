"""Where the parts of a value stand in its 64-bit words, and cells of one size side by side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

WORD = 64
"""Bits in a word."""


@dataclass(frozen=True)
class Place:
    """Where a part that fits one word stands in the words of the whole."""

    word: int
    shift: int


class Layout(ABC):
    """The form of the values of one domain. `widths` are the bits used in each word."""

    widths: tuple[int, ...]

    @abstractmethod
    def encode(self, value: Any) -> list[int]:
        """The words of a value of the domain."""

    @abstractmethod
    def decode(self, words: Sequence[int]) -> Any:
        """The value that has these words."""

    @property
    def is_flat(self) -> bool:
        """Whether a value takes one word."""
        return len(self.widths) == 1

    @property
    def bits(self) -> int:
        """The width of a flat value."""
        assert self.is_flat
        return self.widths[0]


def mask(bits: int) -> int:
    """The word with the lowest `bits` set."""
    return (1 << bits) - 1


def put(words: list[int], layout: Layout, place: Place, part: Iterable[int]) -> None:
    """Add the words of a part to those of the whole."""
    for offset, word in enumerate(part):
        words[place.word + offset] |= word << (place.shift if layout.is_flat else 0)


def take(words: Sequence[int], layout: Layout, place: Place) -> list[int]:
    """The words of a part out of those of the whole."""
    return [
        words[place.word + offset] >> (place.shift if layout.is_flat else 0) & mask(width)
        for offset, width in enumerate(layout.widths)
    ]


@dataclass(frozen=True)
class Cells:
    """`count` values of one layout beside each other, beginning at bit `start` of the first word.

    Cells that do not fit the first word beside what is before them begin the next word.
    """

    item: Layout
    count: int
    start: int

    @cached_property
    def in_first_word(self) -> bool:
        """Whether all of them are in the first word."""
        return self.item.is_flat and self.start + self.count * self.item.bits <= WORD

    @cached_property
    def first_word(self) -> int:
        """The word with the first cell."""
        return 0 if self.in_first_word or self.start == 0 else 1

    @cached_property
    def in_a_word(self) -> int:
        """How many cells one word has; 0 when a cell takes several words."""
        if not self.item.is_flat:
            return 0
        return max(1, self.count) if self.in_first_word else WORD // self.item.bits

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The bits used in each word, with what is before the cells."""
        if self.in_first_word:
            return (self.start + self.count * self.item.bits,)
        head = (self.start,) if self.start else ()
        if not self.item.is_flat:
            return (*head, *(self.item.widths * self.count))
        full, rest = divmod(self.count, self.in_a_word)
        bits = self.item.bits
        return (*head, *[self.in_a_word * bits] * full, *[rest * bits] * (rest > 0))

    def place(self, index: int) -> Place:
        """Where a cell begins."""
        if self.in_first_word:
            return Place(0, self.start + index * self.item.bits)
        if not self.item.is_flat:
            return Place(self.first_word + index * len(self.item.widths), 0)
        word, offset = divmod(index, self.in_a_word)
        return Place(self.first_word + word, offset * self.item.bits)
