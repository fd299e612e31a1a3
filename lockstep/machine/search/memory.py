"""Large arrays of words, zeroed, on huge pages where the system gives them."""

from __future__ import annotations

import mmap
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
