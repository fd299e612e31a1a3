"""States in one file that only grows.

It is read by position, never mapped: however many levels there are, they take one descriptor and no
address space, and what is read is memory like any other.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lockstep.machine.search.memory import Array

_PIECE = 1 << 17
"""Words that are read or written at a time, at most: a mebibyte."""


@dataclass(frozen=True)
class Extent:
    """Where words stand in a file: how many, after how many others; and their CRC-32."""

    begin: int
    words: int
    crc: int


class StateFile:
    """Words of 64 bits, the lowest byte first, in extents one after the other.

    `descriptor` is the file's, which is closed with this. A state has `words` words, and no piece
    of what is read ends within one. Each method raises OSError when the file cannot be read or
    written.
    """

    def __init__(self, descriptor: int, words: int) -> None:
        self._descriptor = descriptor
        self._piece = max(1, _PIECE // words) * words
        self._begin = 0
        self._words = 0
        self._crc = 0

    def append(self, words: Array) -> None:
        """Write words to the end of the last extent."""
        for begin in range(0, len(words), self._piece):
            piece = np.ascontiguousarray(words[begin : begin + self._piece], "<u8")
            data = piece.data.cast("B")
            place = 8 * (self._begin + self._words)
            while data:
                written = os.pwrite(self._descriptor, data, place)
                data, place = data[written:], place + written
            self._crc = zlib.crc32(piece.data, self._crc)
            self._words += len(piece)

    def finish(self) -> Extent:
        """The last extent; another begins after it."""
        extent = Extent(self._begin, self._words, self._crc)
        self._continue_after(extent)
        return extent

    def reopen(self, extents: list[Extent]) -> None:
        """Take these extents for all that the file has, and drop what was written after them."""
        self._continue_after(extents[-1] if extents else Extent(0, 0, 0))
        os.ftruncate(self._descriptor, 8 * self._begin)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return os.fstat(self._descriptor).st_size

    def read(self, extent: Extent, begin: int = 0, words: int | None = None) -> Iterator[Array]:
        """The words of an extent in pieces, from one of them on, so many or all."""
        end = extent.words if words is None else begin + words
        for start in range(begin, end, self._piece):
            yield self._words_at(extent.begin + start, min(self._piece, end - start))

    def sync(self) -> None:
        """See that all that was written is on the disk."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file; it is not used any more."""
        os.close(self._descriptor)

    def _continue_after(self, extent: Extent) -> None:
        self._begin, self._words, self._crc = extent.begin + extent.words, 0, 0

    def _words_at(self, begin: int, words: int) -> Array:
        array = np.empty(words, "<u8")
        data, place = array.data.cast("B"), 8 * begin
        while data:
            count = os.preadv(self._descriptor, [data], place)
            if count == 0:
                raise OSError(0, "a file of states has become shorter")
            data, place = data[count:], place + count
        return array.astype(np.uint64, copy=False)
