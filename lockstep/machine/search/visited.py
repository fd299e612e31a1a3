"""The set of known states, in shards that grow one at a time, and those that are new in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest

import numpy as np

from lockstep.machine.search.interface import SHARDS
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.memory import Array, Packed, zeros
from lockstep.machine.search.state_file import Spill, is_on_disk
from lockstep.machine.search.workers import Worker

_FIRST_BLOCK = 64
_LARGEST_BLOCK = 1 << 15
"""States that a block of new states has room for, unless more may come at a time."""
_FIRST_PLACES = 1 << 6
_SPREAD = 1.02
"""By how much the largest shard may be larger than the average one."""
_CANDIDATES = 1 << 15
"""Room in each shard for candidates that may be new, though none of the last ones are."""


@dataclass(frozen=True)
class _Policy:
    """How much of a table may be taken, and by how much it then grows."""

    full: float
    growth: float


_AMPLE = _Policy(full=0.6, growth=2.0)
"""For speed: linear probing slows down with what is taken."""
_TIGHT = _Policy(full=0.8, growth=1.25)
"""For memory, once tables are an eighth of what there is."""


@dataclass
class NewStates:
    """The states of one shard that are new on a level, in blocks.

    `states` is the last block, of which the first `count` places are taken. Blocks are never
    copied into larger ones, which would take the memory twice.
    """

    states: Array = field(default_factory=lambda: np.empty(0, np.uint64))
    count: int = 0
    _full: list[Array] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """The size of all states."""
        return sum(block.nbytes for block in self._full) + self.states.nbytes

    def make_room(self, more: int, words: int) -> None:
        """Let `more` states be written after the first `count` of the last block."""
        if (self.count + more) * words <= len(self.states):
            return
        size = min(_LARGEST_BLOCK, max(_FIRST_BLOCK, 2 * self.count))
        self._seal(words)
        self.states = np.empty(max(more, size) * words, np.uint64)

    def take(self, words: int) -> list[Array]:
        """All states; there are none after that."""
        self._seal(words)
        blocks, self._full = self._full, []
        return blocks

    def _seal(self, words: int) -> None:
        """Cut the last block to what is taken of it."""
        if self.count:
            # In place: nothing else refers to the array.
            self.states.resize(self.count * words, refcheck=False)
            self._full.append(self.states)
        self.states, self.count = np.empty(0, np.uint64), 0


class VisitedStates:
    """An exact set of packed states, `words` words each.

    `counts[shard]` states are in a shard. A shard is used by one thread at a time.
    """

    def __init__(self, words: int, memory: int, expected: int = 0) -> None:
        """An empty set of states of so many words, for a search that may take `memory` bytes.

        The first time that a table grows, it gets room for the `expected` number of states, if that
        is not too much.
        """
        self.words = words
        self._zeros = zeros
        self._ample = memory // 8
        self._loops = loops_for(words)
        share = expected * _SPREAD / SHARDS + (_CANDIDATES if expected else 0)
        roomy = int(share / _AMPLE.full)
        fits = roomy * SHARDS * words * 8 < memory // 2
        self._least_growth = roomy if expected and fits else 0
        self.tables: list[Array] = [zeros(_FIRST_PLACES * words) for _ in range(SHARDS)]
        self.counts = [0] * SHARDS

    def __len__(self) -> int:
        return sum(self.counts)

    @property
    def bytes(self) -> int:
        """The size of all tables in memory."""
        return sum(table.nbytes for table in self.tables if not is_on_disk(table))

    @property
    def is_on_disk(self) -> bool:
        """Whether tables grow in files."""
        return self._zeros is not zeros

    def grow_on_disk(self, spill: Spill) -> None:
        """From now on, whatever table grows moves into a file."""
        self._zeros = spill.zeros

    def lacking(self, shard: int, more: int) -> int:
        """How many bytes a larger table for `more` states takes; 0 if the present one will do."""
        places = len(self.tables[shard]) // self.words
        small = places * self.words * 8 * len(self.tables) < self._ample
        policy = _AMPLE if small else _TIGHT
        if self.counts[shard] + more <= places * policy.full:
            return 0
        least = int((self.counts[shard] + more) / policy.full) + 1
        needed = max(least, int(places * policy.growth), self._least_growth)
        return needed * self.words * 8

    def growth(self, more: Sequence[int], at_once: int) -> int:
        """Bytes that tables take more, at most, while each shard takes in `more[shard]` states.

        A table and the larger one are both there while states move, of `at_once` shards at a time.
        """
        if self.is_on_disk:
            return 0
        larger, present = 0, []
        for shard, count in enumerate(more):
            lacking = self.lacking(shard, count) if count else 0
            if lacking:
                present.append(self.tables[shard].nbytes)
                larger += lacking
        return larger - sum(present) + sum(nlargest(at_once, present))

    def make_room(self, shard: int, more: int) -> None:
        """Let a shard take `more` states: it moves into a larger table if it must."""
        size = self.lacking(shard, more)
        if size:
            table = self._zeros(size // 8)
            old = self.tables[shard]
            self._loops.move(old, len(old) // self.words, table, len(table) // self.words)
            self.tables[shard] = table

    def insert(
        self, shard: int, candidates: Array, new: NewStates, worker: Worker, *, checked: bool
    ) -> None:
        """Take in the candidates that a shard does not know yet; they are `new`, too.

        Both must have room. With `checked` the worker notes what is wrong in them.
        """
        table = self.tables[shard]
        size = len(table) // self.words
        record = Packed("shard", table=table, size=size, new=new.states, count=new.count)
        count = len(candidates) // self.words
        total = self._loops.insert(worker.packed, candidates, count, record, int(checked))
        self.counts[shard] += total - new.count
        new.count = total
