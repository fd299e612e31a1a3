"""The loops of the search, compiled once for all models.

States are rows of `words` 64-bit words in flat arrays. The set of known states is split into
shards by the highest bits of a state's hash. A shard is an open-addressing table with linear
probing: a state's place grows with its hash, so that a table is copied into a larger one in order.
A row of zeros is a free place: the first word of a state is never zero.

Threads never write to the same array: one expands a part of the level into buffers, one a shard;
then, all having finished, one inserts the candidates of a shard.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import njit

from lockstep.explore.parallel.intrinsics import call, prefetch

SHARD_BITS = 6
SHARDS = 1 << SHARD_BITS
AHEAD = 12
"""How many candidates ahead a table's place is asked for."""

# What `expand` reports, by position in its `report` array.
TRANSITIONS = 0
DEADLOCKS = 1
REPORT = 2

# How a walk ended.
FINE = 0
DEADLOCKED = 1
BROKEN = 2
FAILED = 3

_compiled: Any = njit(nogil=True, cache=True, boundscheck=False)
_inlined: Any = njit(nogil=True, inline="always", boundscheck=False)


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
def note(found: Any, first: Any, rank: Any, state: Any, at: Any, words: Any) -> Any:
    """Keep a finding if it ranks before the one kept, or the same with a smaller state.

    `found` is one word, -1 for none; `first` is the state, or the states before and after.
    """
    as_good = found[0] == -1 or rank <= found[0]
    if as_good and (rank != found[0] or is_less(state, at, first, 0, words)):
        found[0] = rank
        copy(state, at, first, 0, words)


@_inlined
def next_random(number: Any) -> Any:
    """The next state of a xorshift generator; never 0 after a number that is not."""
    number ^= number << np.uint64(13)
    number ^= number >> np.uint64(7)
    return number ^ (number << np.uint64(17))


@cache
def kernels_for(words: int) -> Any:
    """The loops for states of so many words, as attributes: for each number they are compiled anew.

    A constant number of words makes the innermost loops straight code.
    """

    @_compiled
    def expand(
        level: Any,
        begin: Any,
        end: Any,
        expand_at: Any,
        check_step_at: Any,
        canonical_at: Any,
        stop_at_deadlock: Any,
        ranks: Any,
        successors: Any,
        fired: Any,
        marks: Any,
        buffers: Any,
        filled: Any,
        report: Any,
        broken: Any,
        broken_step: Any,
        failed: Any,
        failed_step: Any,
    ) -> Any:
        """Expand the states `begin` to `end` of a level into one buffer a shard.

        Stops early when a buffer might not hold the successors of the next state; returns the state
        that it stopped at.
        """
        capacity = buffers.shape[0] // words // SHARDS
        most = successors.shape[0] // words
        pair = np.empty(2 * words, np.uint64)
        counted = np.empty(1, np.int64)
        fullest = 0
        for number in range(begin, end):
            if fullest + most > capacity:
                return number
            at = number * words
            count = call(
                expand_at, level.ctypes.data + at * 8, successors.ctypes.data, fired.ctypes.data
            )
            if count < 0:
                copy(level, at, pair, 0, words)
                copy(level, at, pair, words, words)
                note(failed, failed_step, ranks[-1 - count], pair, 0, 2 * words)
                continue
            report[TRANSITIONS] += count
            if count == 0:
                report[DEADLOCKS] += 1
                if stop_at_deadlock:
                    copy(level, at, pair, 0, words)
                    copy(level, at, pair, words, words)
                    note(broken, broken_step, 0, pair, 0, 2 * words)
            for index in range(count if check_step_at != 0 else 0):
                there = index * words
                answer = call(
                    check_step_at,
                    level.ctypes.data + at * 8,
                    successors.ctypes.data + there * 8,
                    marks.ctypes.data,
                )
                if answer != 0:
                    copy(level, at, pair, 0, words)
                    copy(successors, there, pair, words, words)
                    if answer < 0:
                        note(failed, failed_step, ranks[-1 - answer], pair, 0, 2 * words)
                    else:
                        note(broken, broken_step, answer, pair, 0, 2 * words)
            if canonical_at != 0:
                counted[0] = count
                call(canonical_at, successors.ctypes.data, counted.ctypes.data, counted.ctypes.data)
            for index in range(count):
                there = index * words
                value = hash_of(successors, there, words)
                shard = shard_of(value)
                held = filled[shard]
                copy(successors, there, buffers, (shard * capacity + held) * words, words)
                filled[shard] = held + 1
                fullest = max(fullest, held + 1)
        return end

    @_compiled
    def distribute(level: Any, begin: Any, end: Any, buffers: Any, filled: Any) -> Any:
        """Put states into one buffer a shard, from `begin` on until one is full; where it ends."""
        capacity = buffers.shape[0] // words // SHARDS
        for number in range(begin, end):
            shard = shard_of(hash_of(level, number * words, words))
            if filled[shard] == capacity:
                return number
            copy(level, number * words, buffers, (shard * capacity + filled[shard]) * words, words)
            filled[shard] += 1
        return end

    @_compiled
    def insert(
        candidates: Any,
        count: Any,
        table: Any,
        new: Any,
        known: Any,
        check_state_at: Any,
        ranks: Any,
        marks: Any,
        broken: Any,
        broken_state: Any,
        failed: Any,
        failed_state: Any,
    ) -> Any:
        """Put the states of one shard that are not known yet into its table and after `new[known]`.

        The table and `new` must have room. Returns how many new states there are then.
        """
        size = table.shape[0] // words
        places = np.empty(AHEAD, np.int64)
        for index in range(min(AHEAD, count)):
            places[index] = place_of(hash_of(candidates, index * words, words), size)
            prefetch(table, places[index] * words)
        turn = 0
        for index in range(count):
            at = index * words
            place = places[turn]
            if index + AHEAD < count:
                later = place_of(hash_of(candidates, at + AHEAD * words, words), size)
                places[turn] = later
                prefetch(table, later * words)
            turn += 1
            if turn == AHEAD:
                turn = 0
            while table[place * words] != 0 and not same(
                table, place * words, candidates, at, words
            ):
                place += 1
                if place == size:
                    place = 0
            if table[place * words] != 0:
                continue
            copy(candidates, at, table, place * words, words)
            copy(candidates, at, new, known * words, words)
            if check_state_at != 0:
                answer = call(
                    check_state_at,
                    new.ctypes.data + known * words * 8,
                    marks.ctypes.data,
                    marks.ctypes.data,
                )
                if answer < 0:
                    note(failed, failed_state, ranks[-1 - answer], new, known * words, words)
                elif answer > 0:
                    note(broken, broken_state, answer, new, known * words, words)
            known += 1
        return known

    @_compiled
    def move(old: Any, table: Any) -> Any:
        """Put every state of one table into an empty larger one."""
        size = table.shape[0] // words
        for at in range(0, old.shape[0], words):
            if old[at] == 0:
                continue
            place = place_of(hash_of(old, at, words), size)
            while table[place * words] != 0:
                place += 1
                if place == size:
                    place = 0
            copy(old, at, table, place * words, words)

    @_compiled
    def predecessor(
        level: Any,
        count: Any,
        expand_at: Any,
        canonical_at: Any,
        target: Any,
        successors: Any,
        ignored: Any,
    ) -> Any:
        """The position in a level of the smallest state with a step to `target`, or -1."""
        found = -1
        counted = np.empty(1, np.int64)
        for number in range(count):
            at = number * words
            steps = call(
                expand_at, level.ctypes.data + at * 8, successors.ctypes.data, ignored.ctypes.data
            )
            if canonical_at != 0 and steps > 0:
                counted[0] = steps
                call(canonical_at, successors.ctypes.data, counted.ctypes.data, counted.ctypes.data)
            for index in range(steps):
                if same(successors, index * words, target, 0, words):
                    if found < 0 or is_less(level, at, level, found * words, words):
                        found = number
                    break
        return found

    @_compiled
    def initial_shard(state: Any) -> Any:
        """The shard of a state."""
        return shard_of(hash_of(state, 0, words))

    @_compiled
    def walk(
        initial: Any,
        seed: Any,
        number: Any,
        steps: Any,
        expand_at: Any,
        check_step_at: Any,
        check_state_at: Any,
        stop_at_deadlock: Any,
        ranks: Any,
        successors: Any,
        fired: Any,
        taken: Any,
        marks: Any,
        path: Any,
        ended: Any,
    ) -> Any:
        """One random walk of up to `steps` steps: its length, its states in `path`.

        `ended` tells how and, if not FINE, the rank of what is wrong at the end of the path.
        `taken` counts by action the steps taken.
        """
        mixed = (seed + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= (number + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
        random = mixed | np.uint64(1)
        for _ in range(8):
            random = next_random(random)
        copy(initial, 0, path, 0, words)
        ended[0], ended[1] = FINE, 0
        length = 0
        while True:
            here = path.ctypes.data + length * words * 8
            answer = 0
            if length > 0 and check_step_at != 0:
                answer = call(check_step_at, here - words * 8, here, marks.ctypes.data)
            if check_state_at != 0:
                of_state = call(check_state_at, here, marks.ctypes.data, marks.ctypes.data)
                if answer <= 0 and of_state != 0 and (answer == 0 or of_state > 0):
                    answer = of_state
                elif answer > 0 and of_state > 0:
                    answer = min(answer, of_state)
            if answer > 0:
                ended[0], ended[1] = BROKEN, answer
                return length
            if answer < 0:
                ended[0], ended[1] = FAILED, ranks[-1 - answer]
                return length
            if length == steps:
                return length
            fired[:] = 0
            count = call(expand_at, here, successors.ctypes.data, fired.ctypes.data)
            if count < 0:
                ended[0], ended[1] = FAILED, ranks[-1 - count]
                return length
            if count == 0:
                if stop_at_deadlock:
                    ended[0] = DEADLOCKED
                return length
            enabled = 0
            for action in range(len(fired)):
                enabled += fired[action] > 0
            random = next_random(random)
            wanted = np.int64((random >> np.uint64(11)) % np.uint64(enabled))
            action, first = -1, 0
            while wanted >= 0:
                action += 1
                if fired[action] > 0:
                    wanted -= 1
                if wanted >= 0:
                    first += fired[action]
            random = next_random(random)
            chosen = first + np.int64((random >> np.uint64(11)) % np.uint64(fired[action]))
            copy(successors, chosen * words, path, (length + 1) * words, words)
            taken[action] += 1
            length += 1

    return SimpleNamespace(
        expand=expand,
        distribute=distribute,
        insert=insert,
        move=move,
        predecessor=predecessor,
        initial_shard=initial_shard,
        walk=walk,
    )
