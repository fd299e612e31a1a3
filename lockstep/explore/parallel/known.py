"""The set of known states, in shards that grow one at a time."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.explore.parallel import kernels
from lockstep.explore.parallel.memory import Array, zeros

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

        Tables have room for the `expected` number of states from the start, if that is not too
        much.
        """
        self.words = words
        self._ample = memory // 8
        self._move = kernels.kernels_for(words).move
        share = expected * _SPREAD / kernels.SHARDS + (_CANDIDATES if expected else 0)
        roomy = int(share / _AMPLE.full)
        first = roomy if expected and roomy * kernels.SHARDS * words * 8 < memory // 2 else 0
        self.tables: list[Array] = [
            zeros(max(_FIRST_PLACES, first) * words) for _ in range(kernels.SHARDS)
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
        small = places * self.words * 8 * len(self.tables) < self._ample
        policy = _AMPLE if small else _TIGHT
        if self.counts[shard] + more <= places * policy.full:
            return 0
        least = int((self.counts[shard] + more) / policy.full) + 1
        needed = max(least, int(places * policy.growth))
        return needed * self.words * 8

    def make_room(self, shard: int, more: int) -> None:
        """Let a shard take `more` states: it moves into a larger table if it must."""
        size = self.lacking(shard, more)
        if size:
            table = zeros(size // 8)
            self._move(self.tables[shard], table)
            self.tables[shard] = table
