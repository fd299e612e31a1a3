"""Sets of rows in ascending order, in parts where there may be more of them than memory holds.

A row is so many words. What is done to rows in memory is done by the kernels for runs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from lockstep.machine.search.interface import DIGIT_BITS
from lockstep.machine.search.loops import run_loops_for
from lockstep.machine.search.memory import Array
from lockstep.machine.search.state_file import Extent, Spill, StateFile

MOST_WAITING = 1 << 26
"""Bytes of rows that wait in memory."""


def hashes(states: Array, words: int) -> Array:
    """The hash of each state."""
    count = len(states) // words
    values = np.empty(count, np.uint64)
    run_loops_for(words).hashes(states, count, values)
    return values


def distinct(parts: Iterable[Array], words: int) -> Array:
    """The rows of some arrays in order, each once."""
    rows, loops = np.concatenate([np.empty(0, np.uint64), *parts]), run_loops_for(words)
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
    rest, unite = list(parts) or [np.empty(0, np.uint64)], run_loops_for(words).unite
    while len(rest) > 1:
        one, two = rest.pop(0), rest.pop(0)
        both = np.empty(len(one) + len(two), np.uint64)
        count = unite(one, len(one) // words, two, len(two) // words, both)
        rest.append(both[: count * words])
    return rest[0]


def subtract(rows: Array, run: Iterable[Array], words: int) -> Array:
    """The rows, in order, that are not in a run, which is read to its end."""
    count, loops = len(rows) // words, run_loops_for(words)
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
