"""The set of known states, in shards that grow one at a time."""

from __future__ import annotations

import numpy as np

from lockstep.explore.parallel import kernels
from lockstep.explore.parallel.memory import Array, zeros

_FIRST_PLACES = 1 << 6
_FULL = 0.8
"""How much of a table may be taken: beyond, linear probing becomes slow."""
_GROWTH = 2.0
"""By how much a table grows while all of them are small."""
_LATE_GROWTH = 1.25
"""By how much it grows once memory counts: tables are then on average nine tenths as full as they
may be, for more copying."""


class KnownStates:
    """An exact set of packed states, `words` words each.

    `counts[shard]` states are in a shard. A shard is used by one thread at a time.
    """

    def __init__(self, words: int, memory: int) -> None:
        """An empty set of states of so many words, for a search that may take `memory` bytes."""
        self.words = words
        self._ample = memory // 8
        self.tables: list[Array] = [
            np.zeros(_FIRST_PLACES * words, np.uint64) for _ in range(kernels.SHARDS)
        ]
        self.counts = [0] * kernels.SHARDS

    def __len__(self) -> int:
        return sum(self.counts)

    @property
    def bytes(self) -> int:
        """The size of all tables."""
        return sum(table.nbytes for table in self.tables)

    def lacking(self, shard: int, more: int) -> int:
        """How many bytes a larger table for `more` states takes; 0 if the present one will do."""
        places = len(self.tables[shard]) // self.words
        if self.counts[shard] + more <= places * _FULL:
            return 0
        small = places * self.words * 8 * len(self.tables) < self._ample
        growth = _GROWTH if small else _LATE_GROWTH
        needed = max(int((self.counts[shard] + more) / _FULL) + 1, int(places * growth))
        return needed * self.words * 8

    def make_room(self, shard: int, more: int) -> None:
        """Let a shard take `more` states: it moves into a larger table if it must."""
        size = self.lacking(shard, more)
        if size:
            table = zeros(size // 8)
            kernels.move(self.tables[shard], table, self.words)
            self.tables[shard] = table
