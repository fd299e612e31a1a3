"""From states to the candidates for the next level, by owner.

Duplicates are dropped whenever many candidates wait, so that few are sent to their owners.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from lockstep.machine.search.interface import SHARDS
from lockstep.machine.search.memory import Array
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.merging import MOST_WAITING, distinct, union
from lockstep.spark.search.owners import places_by_owner

_BUFFER = 16384
"""Candidates that wait for one shard before they are put in order."""


class Expansion:
    """Expands states, and has their distinct successors by owner; `worker` counts."""

    def __init__(self, machine: Machine, owners: int) -> None:
        self.worker = machine.worker(_BUFFER)
        self._machine = machine
        self._owners = owners
        self._shards: list[list[Array]] = [[] for _ in range(SHARDS)]
        self._waiting = 0

    def expand(self, parts: Iterable[Array]) -> Iterator[tuple[int, Array]]:
        """All candidates with their owners, of whom each may be named several times."""
        words = self._machine.words
        for part in parts:
            begin, count = 0, len(part) // words
            while begin < count:
                begin = self._machine.loops.expand(self.worker.packed, part, begin, count)
                if begin < count:
                    self._order(words)
                if self._waiting > MOST_WAITING:
                    yield from self._sent(words)
        self._order(words)
        yield from self._sent(words)

    def _order(self, words: int) -> None:
        """Put the candidates of each buffer in order: while they are few, that is cheap."""
        for shard in np.flatnonzero(self.worker.filled).tolist():
            states = distinct([self.worker.candidates(shard)], words)
            self._shards[shard].append(states)
            self._waiting += states.nbytes
        self.worker.empty()

    def _sent(self, words: int) -> Iterator[tuple[int, Array]]:
        per_owner = max(1, SHARDS // self._owners)
        for first in range(0, SHARDS, per_owner):
            states = union(chain(*self._shards[first : first + per_owner]), words)
            if self._owners <= SHARDS and len(states):
                yield first // per_owner, states
            elif len(states):
                rows = states.reshape(-1, words)
                for owner, places in places_by_owner(states, words, self._owners):
                    yield owner, rows[places].reshape(-1)
        self._shards = [[] for _ in range(SHARDS)]
        self._waiting = 0
