"""What the threads of a search write to, and how they share work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.machine.code.program import Program
from lockstep.machine.search.findings import Findings
from lockstep.machine.search.interface import AHEAD, REPORT, SHARDS
from lockstep.machine.search.memory import Array

BUFFER = 32768
"""Candidates that a buffer usually holds, one buffer a thread and shard."""

_FIRST_BLOCK = 64
_LARGEST_BLOCK = 1 << 15
"""States that a block of new states has room for, unless more may come at a time."""

Stretch: TypeAlias = tuple[Array, int, int]
"""Some states of an array: from where to where."""


@dataclass
class Worker:
    """What one thread writes to.

    `fired` counts by action, `marks` tells by property whether it was applied or reached, `report`
    counts as `interface` says. `buffers` has one part after the other for each shard,
    `filled[shard]` states of it taken, and `fullest[shard]` the most so far, so that memory which
    the system has not given yet can be told. The loops may use `pair` and `scratch` as they like.
    """

    findings: Findings
    successors: Array
    fired: NDArray[np.int64]
    marks: NDArray[np.int64]
    buffers: Array
    filled: NDArray[np.int64]
    fullest: NDArray[np.int64]
    report: NDArray[np.int64]
    pair: Array
    scratch: NDArray[np.int64]

    @property
    def capacity(self) -> int:
        """How many candidates the buffer for one shard holds."""
        return len(self.buffers) // SHARDS // (len(self.pair) // 2)

    def sent_to(self, shard: int) -> Array:
        """The part of the buffers for a shard."""
        size = len(self.buffers) // SHARDS
        return self.buffers[shard * size : (shard + 1) * size]

    def empty(self) -> None:
        """The candidates in the buffers were taken in."""
        np.maximum(self.fullest, self.filled, out=self.fullest)
        self.filled[:] = 0

    def untouched(self, buffer: int) -> int:
        """Bytes of the buffers, as far as they usually fill, that nothing was written to yet."""
        places = np.maximum(buffer - self.fullest, 0).sum()
        return int(places) * 8 * (len(self.pair) // 2)

    @classmethod
    def of(cls, program: Program, buffer: int = BUFFER) -> Worker:
        """A worker for a program, with nothing done yet.

        Its buffers fill up to `buffer` candidates, and by the successors of one state beyond that.
        """
        words, most = program.layout.words, max(1, program.most_successors)
        return cls(
            Findings.none(words),
            np.zeros(most * words, np.uint64),
            np.zeros(len(program.model.actions), np.int64),
            np.zeros(max(1, len(program.model.properties)), np.int64),
            np.zeros(SHARDS * (buffer + most) * words, np.uint64),
            np.zeros(SHARDS, np.int64),
            np.zeros(SHARDS, np.int64),
            np.zeros(REPORT, np.int64),
            np.zeros(2 * words, np.uint64),
            np.zeros(AHEAD, np.int64),
        )


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


class Stretches:
    """The states of a level, which threads take in stretches."""

    def __init__(self, stretches: Iterator[Stretch]) -> None:
        self._stretches = stretches
        self._returned: list[Stretch] = []
        self._lock = Lock()
        self.is_done = False

    def take(self) -> Stretch | None:
        """The next stretch, None when there is no more."""
        with self._lock:
            if self._returned:
                return self._returned.pop()
            found = next(self._stretches, None)
            self.is_done = found is None
            return found

    def give_back(self, stretch: Stretch) -> None:
        """What is left of a stretch, to be taken again."""
        with self._lock:
            self._returned.append(stretch)
            self.is_done = False


class Shards:
    """The numbers of some shards, which threads take one by one."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._left = list(numbers)

    def take(self) -> int | None:
        """The next number, None when there is no more."""
        try:
            return self._left.pop()
        except IndexError:
            return None
