"""The two halves of a level: from states to candidates for the next, and from those to new states.

Duplicates are dropped whenever many candidates wait, so that few are sent to their owners; of the
candidates of one owner, those are new that are in none of its runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from lockstep.machine.search.interface import SHARDS
from lockstep.machine.search.memory import Array
from lockstep.spark.search.account import Account
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.merging import distinct, subtract, union
from lockstep.spark.search.owners import by_owner

_BUFFER = 16384
"""Candidates that wait for one shard before they are put in order."""
_WAITING = 1 << 26
"""Bytes of candidates that wait to be sent."""


class Expansion:
    """Expands states, and has their distinct successors by owner."""

    def __init__(self, machine: Machine, owners: int) -> None:
        self._machine = machine
        self._owners = owners
        self._worker = machine.worker(_BUFFER)
        self._shards: list[list[Array]] = [[] for _ in range(SHARDS)]
        self._waiting = 0

    def expand(self, parts: Iterable[Array]) -> Iterator[tuple[int, Array]]:
        """All candidates with their owners, of whom each may be named several times."""
        words = self._machine.words
        for part in parts:
            begin, count = 0, len(part) // words
            while begin < count:
                begin = self._machine.loops.expand(self._worker.packed, part, begin, count)
                if begin < count:
                    self._order()
                if self._waiting > _WAITING:
                    yield from self._sent()
        self._order()
        yield from self._sent()

    @property
    def account(self) -> Account:
        """What was counted and noted."""
        return Account.of(self._worker)

    def _order(self) -> None:
        """Put the candidates of each buffer in order: while they are few, that is cheap."""
        words, runs = self._machine.words, self._machine.runs
        for shard in np.flatnonzero(self._worker.filled).tolist():
            states = distinct([self._worker.candidates(shard)], words, runs)
            self._shards[shard].append(states)
            self._waiting += states.nbytes
        self._worker.empty()

    def _sent(self) -> Iterator[tuple[int, Array]]:
        words = self._machine.words
        per_owner = max(1, SHARDS // self._owners)
        for first in range(0, SHARDS, per_owner):
            group = range(first, first + per_owner)
            parts = [part for shard in group for part in self._shards[shard]]
            if parts:
                states = union(parts, words, self._machine.runs)
                yield from by_owner(states, words, first, self._owners)
        self._shards = [[] for _ in range(SHARDS)]
        self._waiting = 0


@dataclass(frozen=True)
class Settled:
    """New states in order, and what came of checking them."""

    states: Array
    account: Account


def settle(
    machine: Machine, candidates: Iterable[Array], runs: Iterable[Iterable[Array]]
) -> Settled:
    """Take from the candidates, each part in order, what is in a run, and check the rest."""
    states = union(candidates, machine.words, machine.runs)
    for run in runs:
        states = subtract(states, run, machine.words, machine.runs)
    worker = machine.worker(0)
    machine.loops.check(worker.packed, states, len(states) // machine.words)
    return Settled(states, Account.of(worker))
