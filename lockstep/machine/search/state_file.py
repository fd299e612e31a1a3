"""States in one file that only grows.

It is read by position, never mapped: however many levels there are, they take one descriptor and no
address space, and what is read is memory like any other.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lockstep.errors import LockstepError
from lockstep.machine.search.interface import Array

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


class Spill:
    """Arrays in nameless files of a folder: however the process ends, nothing is left of them.

    Nameless files are of one process alone, so that any number of searches may share the folder.
    Raises LockstepError when the folder cannot be used, and OSError when it has no more room.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: list[StateFile] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise LockstepError(
                f"no states can be kept in {folder}: {error.strerror}", cure="name another folder"
            ) from None

    def close(self) -> None:
        """Close the files of states; arrays of zeros stay as long as they are referred to."""
        for file in self._files:
            file.close()
        self._files = []

    def zeros(self, words: int) -> Array:
        """An array of zeros, all of whose room is taken at once."""
        with tempfile.TemporaryFile(dir=self._folder) as file:
            # A file with holes would end the process, not the call, where the disk is full.
            os.posix_fallocate(file.fileno(), 0, 8 * words)
            return np.memmap(file, np.uint64, "r+", shape=(words,))

    def states(self, words: int) -> StateFile:
        """An empty file for states of so many words."""
        with tempfile.TemporaryFile(dir=self._folder) as file:
            self._files.append(StateFile(os.dup(file.fileno()), words))
        return self._files[-1]


def is_on_disk(array: Array) -> bool:
    """Whether an array is part of a file."""
    return isinstance(array, np.memmap)
