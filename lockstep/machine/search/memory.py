"""The memory that kernels work on: large arrays, and what one kernel is given side by side."""

from __future__ import annotations

import mmap
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.machine.search.interface import RECORDS, kinds
from lockstep.system.resident import ResidentBound, available_memory, resident_memory

Array: TypeAlias = "NDArray[np.uint64]"

_HUGE = 2 * 1024 * 1024
_PAGE = 4096


def zeros(words: int) -> Array:
    """An array of zeros. A large one is returned to the system when nothing refers to it."""
    size = 8 * words
    if size < 2 * _HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        array = np.zeros(words, np.uint64)
    else:
        region = mmap.mmap(-1, size + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        region.madvise(mmap.MADV_HUGEPAGE)
        whole = np.frombuffer(region, np.uint64)
        skipped = -whole.ctypes.data % _HUGE // 8
        array = whole[skipped : skipped + words]
    # A page that is read before it is written is given twice, the second time with every core
    # interrupted: a fifth of a whole search.
    array[:: _PAGE // 8] = 0
    return array


def memory_bound(memory: int | None) -> ResidentBound:
    """The bound of so many bytes; unless given, nine tenths of what is free are there to be taken.

    `LockstepError` when the process has as much already.
    """
    if memory is None:
        memory = resident_memory() + available_memory() * 9 // 10
    return ResidentBound(memory)


Argument: TypeAlias = "NDArray[np.uint64] | NDArray[np.int64] | NDArray[np.int32] | Packed | int"


class Packed:
    """A record of `interface`: a number or the address of an array in each of its fields.

    Every field is given when the record is made; any may be set again. The arrays live as long as
    they are in it.
    """

    def __init__(self, record: str, **fields: Argument) -> None:
        self._kinds = kinds(RECORDS[record])
        self._places = {name: place for place, name in enumerate(self._kinds)}
        self._words = np.zeros(len(self._kinds), np.int64)
        self._arrays: dict[str, Argument] = {}
        if fields.keys() != self._kinds.keys():
            raise TypeError(f"{record}: {sorted(fields.keys() ^ self._kinds.keys())}")
        self.set(**fields)

    def set(self, **fields: Argument) -> None:
        """Give some of the fields other values."""
        for name, value in fields.items():
            self._words[self._places[name]] = as_word(value, name, self._kinds[name])
            self._arrays[name] = value

    def number(self, name: str) -> int:
        """The number in a field, which a kernel may have changed."""
        return int(self._words[self._places[name]])

    @property
    def address(self) -> int:
        """Where the record is."""
        return self._words.ctypes.data


def as_word(value: Argument, name: str, kind: str) -> int:
    """A value as a kernel takes it; `TypeError` when it is not of its kind."""
    if isinstance(value, Packed):
        fits, word = kind in RECORDS, value.address
    elif isinstance(value, np.ndarray):
        fits, word = _ARRAYS.get(kind) == value.dtype, value.ctypes.data
    else:
        fits, word = kind == "", int(value)
    if not fits:
        raise TypeError(f"{name}: not {type(value).__name__}")
    return word


_ARRAYS = {"states": np.uint64, "counts": np.int64, "numbers": np.int32}
