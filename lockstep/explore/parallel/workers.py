"""What the threads of a search write to, and how they share work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.compiled.program import Program
from lockstep.explore.parallel.findings import Findings
from lockstep.explore.parallel.interface import AHEAD, REPORT, SHARDS
from lockstep.explore.parallel.memory import Array

BUFFER = 32768
"""Candidates that a buffer holds at least, one buffer a thread and shard."""

Stretch: TypeAlias = tuple[Array, int, int]
"""Some states of an array: from where to where."""


@dataclass
class Worker:
    """What one thread writes to.

    `fired` counts by action, `marks` tells by property whether it was applied or reached, `report`
    counts as `interface` says. `buffers` has one part after the other for each shard,
    `filled[shard]` states of it taken. The loops may use `pair` and `scratch` as they like.
    """

    findings: Findings
    successors: Array
    fired: NDArray[np.int64]
    marks: NDArray[np.int64]
    buffers: Array
    filled: NDArray[np.int64]
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

    @classmethod
    def of(cls, program: Program) -> Worker:
        """A worker for a program, with nothing done yet."""
        words, most = program.layout.words, max(1, program.most_successors)
        return cls(
            Findings.none(words),
            np.zeros(most * words, np.uint64),
            np.zeros(len(program.model.actions), np.int64),
            np.zeros(max(1, len(program.model.properties)), np.int64),
            np.zeros(SHARDS * max(BUFFER, 2 * most) * words, np.uint64),
            np.zeros(SHARDS, np.int64),
            np.zeros(REPORT, np.int64),
            np.zeros(2 * words, np.uint64),
            np.zeros(AHEAD, np.int64),
        )


@dataclass
class NewStates:
    """The states of one shard that are new on a level: the first `count` of the array."""

    states: Array = field(default_factory=lambda: np.empty(0, np.uint64))
    count: int = 0

    def make_room(self, more: int, words: int) -> None:
        """Let `more` states be written after those that there are."""
        size = (self.count + more) * words
        if size > len(self.states):
            larger = np.empty(max(size, 2 * len(self.states)), np.uint64)
            larger[: self.count * words] = self.states[: self.count * words]
            self.states = larger

    def take(self, words: int) -> Array:
        """The states at their exact size; there are none after that."""
        taken = self.states
        # In place: nothing else refers to the array.
        taken.resize(self.count * words, refcheck=False)
        self.states, self.count = np.empty(0, np.uint64), 0
        return taken


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
    """The numbers of the shards, which threads take one by one."""

    def __init__(self) -> None:
        self._left = list(range(SHARDS))

    def take(self) -> int | None:
        """The next number, None when there is no more."""
        try:
            return self._left.pop()
        except IndexError:
            return None
