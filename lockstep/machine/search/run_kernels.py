"""The kernels for runs, and for ways back from a violation, in Python that numba understands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lockstep.machine.search.interface import DIGIT_BITS
from lockstep.machine.search.kernel_parts import (
    address,
    call,
    copy,
    counts_at,
    fill,
    hash_of,
    is_less,
    is_stuck,
    place_in,
    place_of,
    same,
    states_at,
)

_DIGITS = (64 + DIGIT_BITS - 1) // DIGIT_BITS
"""Digits of a word."""
_BUCKETS = 1 << DIGIT_BITS


def run_kernels(words: int) -> dict[str, Callable[..., Any]]:
    """The kernels for runs.

    A run is rows of `words` 64-bit words in ascending order, no two of them the same. The order
    is that of the first word, then of the next one.
    """

    def sort(rows: Any, spare: Any, count: Any, buckets: Any) -> Any:
        """Sort rows by their digits, the least significant first; 1 if they are in `spare` then.

        A digit that all rows share takes one look, and most do: a state rarely fills its words.
        """
        source, target, moved = rows, spare, 0
        for word in range(words - 1, -1, -1):
            for digit in range(_DIGITS):
                shift = np.uint64(digit * DIGIT_BITS)
                for bucket in range(_BUCKETS):
                    buckets[bucket] = 0
                for number in range(count):
                    value = source[number * words + word] >> shift
                    buckets[np.int64(value & np.uint64(_BUCKETS - 1))] += 1
                shared = source[word] >> shift
                if buckets[np.int64(shared & np.uint64(_BUCKETS - 1))] == count:
                    continue
                total = 0
                for bucket in range(_BUCKETS):
                    size = buckets[bucket]
                    buckets[bucket] = total
                    total += size
                for number in range(count):
                    value = source[number * words + word] >> shift
                    place = np.int64(value & np.uint64(_BUCKETS - 1))
                    copy(source, number * words, target, buckets[place] * words, words)
                    buckets[place] += 1
                source, target = target, source
                moved = 1 - moved
        return moved

    def unique(rows: Any, count: Any) -> Any:
        """Keep one of equal rows, which stand side by side; returns how many are left."""
        kept = min(count, 1)
        for number in range(1, count):
            if not same(rows, number * words, rows, (kept - 1) * words, words):
                copy(rows, number * words, rows, kept * words, words)
                kept += 1
        return kept

    def subtract(rows: Any, run: Any, count: Any, cursor: Any) -> Any:
        """Leave out the rows that are in a part of a run; the next part goes on at the cursor.

        `cursor` has how many rows were read, how many of those were kept, at the beginning, and how
        many there are.
        """
        read, kept, total = cursor[0], cursor[1], cursor[2]
        for number in range(count):
            at = number * words
            while read < total and is_less(rows, read * words, run, at, words):
                copy(rows, read * words, rows, kept * words, words)
                kept += 1
                read += 1
            if read < total and same(rows, read * words, run, at, words):
                read += 1
        cursor[0], cursor[1] = read, kept
        return 0

    def unite(one: Any, ones: Any, two: Any, twos: Any, union: Any) -> Any:
        """Write the rows of two runs as one; returns how many these are."""
        left, right, total = 0, 0, 0
        while left < ones and right < twos:
            if same(one, left * words, two, right * words, words):
                right += 1
            elif is_less(one, left * words, two, right * words, words):
                copy(one, left * words, union, total * words, words)
                left += 1
                total += 1
            else:
                copy(two, right * words, union, total * words, words)
                right += 1
                total += 1
        while left < ones:
            copy(one, left * words, union, total * words, words)
            left += 1
            total += 1
        while right < twos:
            copy(two, right * words, union, total * words, words)
            right += 1
            total += 1
        return total

    def hashes(rows: Any, count: Any, values: Any) -> Any:
        """Write the hash of each row."""
        for number in range(count):
            values[number] = hash_of(rows, number * words, words)
        return count

    def ascends(rows: Any, count: Any) -> Any:
        """1 if each row comes after the one before, else 0."""
        for number in range(1, count):
            if not is_less(rows, (number - 1) * words, rows, number * words, words):
                return 0
        return 1

    return {
        "sort": sort,
        "unique": unique,
        "subtract": subtract,
        "unite": unite,
        "hashes": hashes,
        "ascends": ascends,
    }


def way_kernels(words: int) -> dict[str, Callable[..., Any]]:
    """The kernels that go back from a violation.

    Of each state of a level they say how many disturbances there are at least on the shortest
    ways from it to the violation, or -1 where there is none. `following` are the states of the
    next level from which there is one, and `held` says the same of them. The table has the
    number of each.
    """

    def judge_ends(worker: Any, ways: Any, begin: Any, end: Any) -> Any:
        """Which states of the last level are violations: by the rank, 0 for a deadlock."""
        level, fewest = states_at(ways.level), counts_at(ways.fewest)
        successors = states_at(worker.successors)
        for number in range(begin, end):
            at = number * words
            fewest[number] = -1
            if ways.rank == 0:
                count = call(
                    worker.expand_at, address(level, at), address(successors, 0), worker.labels
                )
                if count >= 0 and is_stuck(level, at, successors, count, words):
                    fewest[number] = 0
            elif (
                call(worker.check_state_at, address(level, at), worker.marks, worker.marks)
                == ways.rank
            ):
                fewest[number] = 0
        return end

    def lead_on(worker: Any, ways: Any, begin: Any, end: Any) -> Any:
        """How many disturbances there are from each state on; without a table a step ends it."""
        level, fewest = states_at(ways.level), counts_at(ways.fewest)
        prices, labels, owners = (
            counts_at(ways.prices),
            counts_at(worker.labels),
            counts_at(worker.owners),
        )
        table, held, size = counts_at(ways.table), counts_at(ways.held), ways.size
        following = states_at(ways.following)
        successors = states_at(worker.successors)
        for number in range(begin, end):
            at = number * words
            least = -1
            count = call(
                worker.expand_at, address(level, at), address(successors, 0), worker.labels
            )
            for index in range(count):
                there = index * words
                price = prices[owners[labels[index]]]
                if size == 0:
                    if (
                        call(
                            worker.check_step_at,
                            address(level, at),
                            address(successors, there),
                            worker.marks,
                        )
                        != ways.rank
                    ):
                        continue
                else:
                    place = place_of(hash_of(successors, there, words), size)
                    place = place_in(table, size, place, following, successors, there, words)
                    if table[place] == 0:
                        continue
                    price += held[table[place] - 1]
                if least < 0 or price < least:
                    least = price
            fewest[number] = least
        return end

    def fill_ways(ways: Any) -> Any:
        """Put the numbers of the states that follow into an empty table."""
        fill(counts_at(ways.table), ways.size, states_at(ways.following), ways.known, words)
        return 0

    return {"judge_ends": judge_ends, "lead_on": lead_on, "fill_ways": fill_ways}
