"""What the kernels do with states, in Python that numba understands.

States are rows of `words` 64-bit words in flat arrays. These functions know pointers and 64-bit
numbers only, and neither allocate nor raise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.interface import DEADLOCKS, SHARD_BITS, TRANSITIONS
from lockstep.machine.search.intrinsics import address, call, counts_at, states_at

_inlined: Any = njit(inline="always", boundscheck=False)
_compiled: Any = njit(boundscheck=False)


@_inlined
def hash_of(states: Any, at: Any, words: Any) -> Any:
    """A state's hash: multiplied and folded twice a word, so that every bit moves the highest."""
    value = states[at]
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    value = (value ^ (value >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    for index in range(1, words):
        value = (value ^ (value >> np.uint64(31)) ^ states[at + index]) * np.uint64(
            0xD6E8FEB86659FD93
        )
        value = (value ^ (value >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    return value


@_inlined
def shard_of(value: Any) -> Any:
    """The shard of a hash."""
    return np.int64(value >> np.uint64(64 - SHARD_BITS))


@_inlined
def place_of(value: Any, size: Any) -> Any:
    """Where the search for a hash begins in a table of `size` places (less than 2**32)."""
    part = (value << np.uint64(SHARD_BITS)) >> np.uint64(32)
    return np.int64((part * np.uint64(size)) >> np.uint64(32))


@_inlined
def same(one: Any, at: Any, other: Any, there: Any, words: Any) -> Any:
    """Whether two states are equal."""
    for index in range(words):  # noqa: SIM110 - a loop is what numba makes fast
        if one[at + index] != other[there + index]:
            return False
    return True


@_inlined
def place_in(
    table: Any, size: Any, place: Any, known: Any, states: Any, at: Any, words: Any
) -> Any:
    """Where a state stands in a table of numbers of known states, or the free place for it.

    The table has the number of a state plus one, at the first free place from that of its hash on;
    a zero is a free place. The search begins at `place`.
    """
    while table[place] != 0 and not same(known, (table[place] - 1) * words, states, at, words):
        place += 1
        if place == size:
            place = 0
    return place


@_inlined
def fill(table: Any, size: Any, known: Any, count: Any, words: Any) -> Any:
    """Put the numbers of so many known states into an empty table, as `place_in` reads it."""
    for number in range(count):
        place = place_of(hash_of(known, number * words, words), size)
        while table[place] != 0:
            place += 1
            if place == size:
                place = 0
        table[place] = number + 1


@_inlined
def is_stuck(states: Any, at: Any, successors: Any, count: Any, words: Any) -> Any:
    """Whether none of a state's successors is another state."""
    for index in range(count):  # noqa: SIM110 - a loop is what numba makes fast
        if not same(states, at, successors, index * words, words):
            return False
    return True


@_inlined
def copy(source: Any, at: Any, target: Any, there: Any, words: Any) -> Any:
    """Copy a state."""
    for index in range(words):
        target[there + index] = source[at + index]


@_inlined
def is_less(one: Any, at: Any, other: Any, there: Any, words: Any) -> Any:
    """Whether a state comes before another in the order of their words."""
    for index in range(words):
        if one[at + index] != other[there + index]:
            return one[at + index] < other[there + index]
    return False


@_compiled
def note(finding: Any, rank: Any, states: Any, at: Any, words: Any) -> Any:
    """Keep a failure if it ranks before the one noted, or the same with smaller states.

    A finding has its rank, then the words of the state, or of the states before and after.
    """
    rank = np.uint64(rank)
    if rank > finding[0]:
        return
    if rank != finding[0] or is_less(states, at, finding, 1, words):
        finding[0] = rank
        copy(states, at, finding, 1, words)


@_inlined
def judge(worker: Any, check_state_at: Any, states: Any, at: Any, words: Any) -> Any:
    """Check one state, and note what is wrong in it."""
    answer = call(check_state_at, address(states, at), worker.marks, worker.marks)
    if answer < 0:
        rank = counts_at(worker.ranks)[-1 - answer]
        note(states_at(worker.failed_state), rank, states, at, words)
    elif answer > 0:
        note(states_at(worker.broken_state), answer, states, at, words)


@_inlined
def expanded(worker: Any, states: Any, at: Any, words: Any) -> Any:
    """Expand one state, count its steps, and note what is wrong in it and in them; how many.

    Successors and labels are the worker's. It has none where the text has no meaning.
    """
    successors, pair = states_at(worker.successors), states_at(worker.pair)
    broken, failed = states_at(worker.broken_step), states_at(worker.failed_step)
    ranks, report = counts_at(worker.ranks), counts_at(worker.report)
    labels, owners = counts_at(worker.labels), counts_at(worker.owners)
    fired = counts_at(worker.fired)
    count = call(worker.expand_at, address(states, at), address(successors, 0), address(labels, 0))
    if count < 0:
        copy(states, at, pair, 0, words)
        copy(states, at, pair, words, words)
        note(failed, ranks[-1 - count], pair, 0, 2 * words)
        return 0
    report[TRANSITIONS] += count
    for index in range(count):
        fired[owners[labels[index]]] += 1
    if is_stuck(states, at, successors, count, words):
        report[DEADLOCKS] += 1
        if worker.stop_at_deadlock != 0:
            copy(states, at, pair, 0, words)
            copy(states, at, pair, words, words)
            note(broken, 0, pair, 0, 2 * words)
    for index in range(count if worker.check_step_at != 0 else 0):
        there = index * words
        answer = call(
            worker.check_step_at, address(states, at), address(successors, there), worker.marks
        )
        if answer != 0:
            copy(states, at, pair, 0, words)
            copy(successors, there, pair, words, words)
            if answer < 0:
                note(failed, ranks[-1 - answer], pair, 0, 2 * words)
            else:
                note(broken, answer, pair, 0, 2 * words)
    return count


@_inlined
def next_random(number: Any) -> Any:
    """The next state of a xorshift generator; never 0 after a number that is not."""
    number ^= number << np.uint64(13)
    number ^= number >> np.uint64(7)
    return number ^ (number << np.uint64(17))
