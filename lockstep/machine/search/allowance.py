"""How a search shares out the memory that it may take."""

from __future__ import annotations

from collections.abc import Sequence

from lockstep.machine.search.interface import SHARDS
from lockstep.machine.search.workers import BUFFER, Worker
from lockstep.system.resident import ResidentBound

_FEWEST = 256
"""Candidates that a buffer holds, however little memory there is."""
_MOST_UNWRITTEN = 64 * 2**20
"""Bytes of new states that wait for the end of their level, where levels are on disk."""


class Allowance:
    """What a search by some threads may take of a bound, for states of so many words.

    `room` is all of it in bytes, `buffer` how many candidates a worker's buffer fills up to, and
    `unwritten` how many bytes of new states are written to disk before their level ends.
    """

    def __init__(self, bound: ResidentBound, threads: int, words: int) -> None:
        self._bound = bound
        self.room = bound.bound - bound.before
        # All buffers together take an eighth at most.
        places = threads * SHARDS * words * 8
        self.buffer = max(_FEWEST, min(BUFFER, self.room // 8 // places))
        self._used = bound.before + self.buffer * places
        self.unwritten = min(_MOST_UNWRITTEN, self.room // 16)

    def allows(self, size: int, workers: Sequence[Worker]) -> bool:
        """Whether so many bytes more are within the bound; they count as taken from then on.

        The system is asked only when all that may have been taken since would be too much. What it
        has not given the workers' buffers yet is kept for them.
        """
        if self._used + size > self._bound.bound:
            untouched = sum(worker.untouched(self.buffer) for worker in workers)
            self._used = self._bound.used + untouched
        fits = self._used + size <= self._bound.bound
        self._used += size if fits else 0
        return fits
