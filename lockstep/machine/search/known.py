"""The set of known states, in shards that grow one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest

from lockstep.machine.search.interface import SHARDS
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.memory import Array, zeros
from lockstep.machine.search.spill import Spill, is_on_disk

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


class KnownStates:
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
        self._move = loops_for(words).move
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
            self._move(old, len(old) // self.words, table, len(table) // self.words)
            self.tables[shard] = table
