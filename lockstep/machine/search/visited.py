"""The set of known states, in shards that grow one at a time, and sets of rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from heapq import nlargest
from pathlib import Path

import numpy as np

from lockstep.machine.search.interface import DIGIT_BITS, SHARDS, Array, Packed, zeros
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.state_file import Extent, Spill, StateFile, is_on_disk
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
        self._loops = loops_for("search", words)
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


MOST_WAITING = 1 << 26
"""Bytes of rows that wait in memory."""


def hashes(states: Array, words: int) -> Array:
    """The hash of each state."""
    count = len(states) // words
    values = np.empty(count, np.uint64)
    loops_for("runs", words).hashes(states, count, values)
    return values


def distinct(parts: Iterable[Array], words: int) -> Array:
    """The rows of some arrays in order, each once."""
    rows, loops = np.concatenate([np.empty(0, np.uint64), *parts]), loops_for("runs", words)
    count = len(rows) // words
    if words == 1:
        rows.sort()
    elif count > 1:
        spare = np.empty_like(rows)
        if loops.sort(rows, spare, count, np.empty(1 << DIGIT_BITS, np.int64)):
            rows = spare
    return rows[: loops.unique(rows, count) * words]


def union(parts: Iterable[Array], words: int) -> Array:
    """The rows of some arrays, each of them in order, in order and each once."""
    if words == 1:
        return distinct(parts, words)  # to sort them again takes less time than one round
    rest, unite = list(parts) or [np.empty(0, np.uint64)], loops_for("runs", words).unite
    while len(rest) > 1:
        one, two = rest.pop(0), rest.pop(0)
        both = np.empty(len(one) + len(two), np.uint64)
        count = unite(one, len(one) // words, two, len(two) // words, both)
        rest.append(both[: count * words])
    return rest[0]


def subtract(rows: Array, run: Iterable[Array], words: int) -> Array:
    """The rows, in order, that are not in a run, which is read to its end."""
    count, loops = len(rows) // words, loops_for("runs", words)
    cursor = np.array([0, 0, count], np.int64)
    for part in run:
        loops.subtract(rows, part, len(part) // words, cursor)
    read, kept, _ = cursor.tolist()
    rest = rows[read * words :]
    if read != kept:
        rows[kept * words : kept * words + len(rest)] = rest.copy()
    return rows[: kept * words + len(rest)]


def merged(runs: Iterable[Iterable[Array]], words: int) -> Iterator[Array]:
    """The rows of several runs in order, each once, a part of each in memory at a time."""
    heads = [_Head(run, words) for run in runs]
    while heads := [head for head in heads if head.refill()]:
        horizon = min(head.last for head in heads)
        yield union([head.take(horizon) for head in heads], words)


def without(parts: Iterable[Array], runs: Iterable[Iterable[Array]], words: int) -> Iterator[Array]:
    """Rows in order, in parts, that are in none of some runs, which are all read to their ends."""
    heads = [_Head(run, words) for run in runs]
    for part in filter(len, parts):
        horizon, rest = part[-words:].tolist(), part
        for head in heads:
            rest = subtract(rest, head.up_to(horizon), words)
        yield rest
    for head in heads:
        while head.refill():
            head.take(head.last)


class Gathered:
    """Sorted parts of which many may come: beyond `MOST_WAITING` they wait in nameless files."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._waiting: list[Array] = []
        self._bytes = 0
        self._spill = Spill(Path(tempfile.gettempdir()))
        self._spilled: list[tuple[StateFile, Extent]] = []

    @property
    def is_empty(self) -> bool:
        """Whether no part came."""
        return not self._waiting

    def add(self, part: Array) -> None:
        """One more part."""
        self._bytes += part.nbytes
        if self._bytes > MOST_WAITING and self._waiting:
            file = self._spill.states(self._words)
            file.append(union(self._waiting, self._words))
            self._spilled.append((file, file.finish()))
            self._waiting, self._bytes = [], part.nbytes
        self._waiting.append(part)

    def parts(self) -> Iterator[Array]:
        """The rows of all parts in order, each once; they can be read once."""
        rest = union(self._waiting, self._words)
        if not self._spilled:
            yield rest
            return
        with closing(self._spill):
            waiting = [file.read(extent) for file, extent in self._spilled]
            yield from merged([*waiting, [rest]], self._words)


class _Head:
    """The part of a run that is in memory."""

    def __init__(self, run: Iterable[Array], words: int) -> None:
        self._run, self._words = iter(run), words
        self._rows: Array = np.empty(0, np.uint64)

    def refill(self) -> bool:
        """Whether there is any row more."""
        while not len(self._rows):
            part = next(self._run, None)
            if part is None:
                return False
            self._rows = part
        return True

    @property
    def last(self) -> list[int]:
        """The last row in memory."""
        words: list[int] = self._rows[-self._words :].tolist()
        return words

    def up_to(self, horizon: list[int]) -> Iterator[Array]:
        """All rows up to the horizon, in parts."""
        while self.refill():
            yield self.take(horizon)
            if len(self._rows):
                return

    def take(self, horizon: list[int]) -> Array:
        """The rows in memory up to the horizon."""
        table = self._rows.reshape(-1, self._words)
        begin, end = 0, len(table)
        for word, value in enumerate(horizon):
            column = table[begin:end, word]
            is_last = word == self._words - 1
            here = begin + int(np.searchsorted(column, np.uint64(value), "left"))
            beyond = begin + int(np.searchsorted(column, np.uint64(value), "right"))
            begin, end = here, beyond
            if is_last or here == beyond:
                break
        rows, self._rows = self._rows[: end * self._words], self._rows[end * self._words :]
        return rows
