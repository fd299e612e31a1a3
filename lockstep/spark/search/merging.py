"""Sorting rows, and making one run of several.

Runs are merged when there are as many of about one size as `FANOUT`. So an owner of n states has
fewer than FANOUT runs for each power of FANOUT up to n, and a state is written again at most as
often as there are such powers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lockstep.machine.search.interface import DIGIT_BITS
from lockstep.machine.search.loops import Loops
from lockstep.machine.search.memory import Array
from lockstep.spark.search.runs import Run

FANOUT = 8
"""How many runs of about one size become one."""


def distinct(parts: Iterable[Array], words: int, loops: Loops) -> Array:
    """The rows of some arrays in order, each once."""
    rows = np.concatenate([np.empty(0, np.uint64), *parts])
    count = len(rows) // words
    if words == 1:
        rows.sort()
    elif count > 1:
        spare = np.empty_like(rows)
        if loops.sort(rows, spare, count, np.empty(1 << DIGIT_BITS, np.int64)):
            rows = spare
    return rows[: loops.unique(rows, count) * words]


def union(parts: Iterable[Array], words: int, loops: Loops) -> Array:
    """The rows of some arrays, each of them in order, in order and each once."""
    if words == 1:
        return distinct(parts, words, loops)  # to sort them anew takes less time than one round
    rest = list(parts) or [np.empty(0, np.uint64)]
    while len(rest) > 1:
        pairs = zip(rest[::2], rest[1::2], strict=False)
        odd = rest[len(rest) // 2 * 2 :]
        rest = [_united(one, two, words, loops) for one, two in pairs] + odd
    return rest[0]


def subtract(rows: Array, run: Iterable[Array], words: int, loops: Loops) -> Array:
    """The rows, in order, that are not in a run, which is read to its end."""
    count = len(rows) // words
    cursor = np.array([0, 0, count], np.int64)
    for part in run:
        loops.subtract(rows, part, len(part) // words, cursor)
    read, kept, _ = cursor.tolist()
    rest = rows[read * words :]
    if read != kept:
        rows[kept * words : kept * words + len(rest)] = rest.copy()
    return rows[: kept * words + len(rest)]


def merged(runs: Sequence[Iterator[Array]], words: int, loops: Loops) -> Iterator[Array]:
    """The rows of several runs in order, a part of each in memory at a time."""
    heads = [_Head(run, words) for run in runs]
    while heads := [head for head in heads if head.refill()]:
        horizon = min(head.last for head in heads)
        yield union([head.take(horizon) for head in heads], words, loops)


def _united(one: Array, two: Array, words: int, loops: Loops) -> Array:
    both = np.empty(len(one) + len(two), np.uint64)
    total = loops.unite(one, len(one) // words, two, len(two) // words, both)
    return both[: total * words]


class _Head:
    """The part of a run that is in memory."""

    def __init__(self, run: Iterator[Array], words: int) -> None:
        self._run, self._words = run, words
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

    def take(self, horizon: list[int]) -> Array:
        """The rows up to the horizon."""
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


def due(runs: Sequence[Run]) -> list[Run]:
    """The runs that are to become one now; none while there are few of each size."""
    sizes: dict[int, list[Run]] = {}
    for run in runs:
        sizes.setdefault(_power(run.states), []).append(run)
    for power in sorted(sizes):
        if len(sizes[power]) >= FANOUT:
            return sizes[power]
    return []


def _power(states: int) -> int:
    """How often FANOUT goes into a number."""
    return max(0, states.bit_length() - 1) // (FANOUT.bit_length() - 1)
