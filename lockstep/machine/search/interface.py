"""What the kernels of the search and those who call them agree on, and the memory they share."""

from __future__ import annotations

import mmap
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.system.resident import ResidentBound, available_memory, resident_memory

SHARD_BITS = 6
SHARDS = 1 << SHARD_BITS
"""Parts of the set of known states, by the highest bits of the hash."""

DIGIT_BITS = 11
"""Bits that rows are sorted by at a time."""

AHEAD = 12
"""How many candidates ahead a table's place is brought near."""

BATCH = 128
"""How many steps wait, at least, until a table is asked for the numbers of what they lead to."""

NOTHING_NOTED = 2**64 - 1
"""The first word of a finding, which is its rank, before anything is noted there."""

# What `expand` reports, by position in its `report` array.
TRANSITIONS = 0
DEADLOCKS = 1
REPORT = 2

# How a walk ended.
FINE = 0
DEADLOCKED = 1
BROKEN = 2
FAILED = 3

MOVE = 5
"""The numbers of a move: word, shift and mask in a state, word and shift in a view."""

# What `follow` has no room for.
ENOUGH = 0
PAIRS = 1
SETS = 2
MEMBERS = 3
SUCCESSORS = 4
SCRATCH = 5

RECORDS = {
    "worker": (
        "expand_at check_step_at check_state_at canonical_at stop_at_deadlock ranks:counts "
        "successors:states most labels:counts owners:counts fired:counts marks:counts "
        "buffers:states capacity filled:counts report:counts broken_step:states "
        "broken_state:states failed_step:states failed_state:states pair:states scratch:counts"
    ),
    "shard": "table:states size new:states count",
    "ways": (
        "level:states rank prices:counts following:states known table:counts size "
        "held:counts fewest:counts"
    ),
    "walk": "initial:states seed steps actions enabled:counts path:states ended:counts",
    "graph": "states:states table:numbers size numbered positions:numbers used",
    "reached": (
        "places:counts targets:numbers labels:numbers ends:numbers capacity steps "
        "new:states new_at:numbers news"
    ),
    "pair": (
        "states:states expand_at other_at one:states other:states labels:counts "
        "other_labels:counts changes"
    ),
    "questions": "states:states pledges_at bindings premises:counts goals:counts",
    "parts": (
        "first:counts targets:numbers labels:numbers keeps:states strong:states starts:numbers "
        "order:numbers again:numbers parts:numbers stack:numbers own:numbers cursor:counts "
        "size visited found"
    ),
    "shown": (
        "moves:counts moved state_words row:states rows:states table:numbers size views:numbers "
        "first count"
    ),
    "inclusion": (
        "first:counts targets:numbers views:numbers "
        "other_first:counts other_targets:numbers other_views:numbers others hides:states "
        "newest:numbers state_of:numbers set_of:numbers older:numbers before:numbers edge:numbers "
        "pairs pairs_room done "
        "starts:counts successors_from:counts successors_to:counts sets sets_room "
        "table:numbers size members:numbers members_room "
        "next_views:numbers next_sets:numbers successors successors_room "
        "scratch:counts scratch_room marks:numbers mark short"
    ),
}
"""Each record's fields: addresses of states, counts or short numbers, and numbers of 64 bits."""

KERNELS = {
    "expand": "worker:worker level:states begin end",
    "distribute": "worker:worker level:states begin end",
    "insert": "worker:worker candidates:states count shard:shard checked",
    "check": "worker:worker states:states count",
    "move": "old:states old_size table:states size",
    "predecessor": "worker:worker level:states count target:states",
    "shard_of_state": "state:states",
    "judge_ends": "worker:worker ways:ways begin end",
    "lead_on": "worker:worker ways:ways begin end",
    "fill_ways": "ways:ways",
    "walk": "worker:worker walk:walk number",
    "reach": "worker:worker graph:graph reached:reached begin end",
    "number_new": "graph:graph reached:reached",
    "number_of": "graph:graph target:states",
    "fill_table": "graph:graph",
    "judge_states": "questions:questions begin end",
    "first_difference": "pair:pair begin end",
    "find_parts": "parts:parts begin end",
    "number_views": "shown:shown states:states begin end",
    "mark_hiding": "inclusion:inclusion",
    "follow": "inclusion:inclusion end",
    "fill_sets": "inclusion:inclusion",
    "sort": "rows:states spare:states count buckets:counts",
    "unique": "rows:states count",
    "subtract": "rows:states run:states count cursor:counts",
    "unite": "one:states ones two:states twos union:states",
    "hashes": "rows:states count values:states",
    "ascends": "rows:states count",
}
"""Each kernel's parameters: pointers to states, counts, short numbers or a record, and numbers."""


def kinds(declaration: str) -> dict[str, str]:
    """The names that a declaration gives, each with what it points to; of a number, nothing."""
    parts = (part.partition(":") for part in declaration.split())
    return {name: kind for name, _, kind in parts}


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
