"""The kernels of the search, in Python that numba understands, as an LLVM module.

The set of known states is split into shards by the highest bits of a state's hash. A shard is an
open-addressing table with linear probing: a state's place grows with its hash, so that a table is
copied into a larger one in order. A row of zeros is a free place: the first word of a state is
never zero.

Threads never write to the same array: one expands a part of the level into buffers, one a shard;
then, all having finished, one inserts the candidates of a shard.

numba is needed once for each number of words: `loops` keeps the machine code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lockstep.machine.search.interface import AHEAD, BROKEN, DEADLOCKED, FAILED, FINE
from lockstep.machine.search.kernel_parts import (
    address,
    call,
    copy,
    counts_at,
    expanded,
    hash_of,
    is_less,
    is_stuck,
    judge,
    next_random,
    place_of,
    prefetch,
    same,
    shard_of,
    states_at,
)


def _walk_kernel(words: int) -> Callable[..., Any]:
    """The kernel for states of so many words."""

    def walk(worker: Any, walk: Any, number: Any) -> Any:
        """One random walk of up to `walk.steps` steps: its length, its states in `walk.path`.

        `ended` says how and, if not FINE, the rank of what is wrong at the end of the path.
        `worker.fired` counts by action the steps taken.
        """
        initial, path = states_at(walk.initial), states_at(walk.path)
        enabled, ended, actions = counts_at(walk.enabled), counts_at(walk.ended), walk.actions
        successors, taken = states_at(worker.successors), counts_at(worker.fired)
        ranks, marks_at = counts_at(worker.ranks), worker.marks
        labels, owners = counts_at(worker.labels), counts_at(worker.owners)
        mixed = (np.uint64(walk.seed) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= (np.uint64(number) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
        random = mixed | np.uint64(1)
        for _ in range(8):
            random = next_random(random)
        copy(initial, 0, path, 0, words)
        ended[0], ended[1] = FINE, 0
        length = 0
        while True:
            here = address(path, length * words)
            answer = 0
            if length > 0 and worker.check_step_at != 0:
                answer = call(worker.check_step_at, here - words * 8, here, marks_at)
            if worker.check_state_at != 0:
                of_state = call(worker.check_state_at, here, marks_at, marks_at)
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
            if length == walk.steps:
                return length
            for action in range(actions):
                enabled[action] = 0
            count = call(worker.expand_at, here, address(successors, 0), address(labels, 0))
            if count < 0:
                ended[0], ended[1] = FAILED, ranks[-1 - count]
                return length
            for index in range(count):
                enabled[owners[labels[index]]] += 1
            stop_at_deadlock = worker.stop_at_deadlock != 0
            if stop_at_deadlock and is_stuck(path, length * words, successors, count, words):
                ended[0] = DEADLOCKED
                return length
            if count == 0:
                return length
            choices = 0
            for action in range(actions):
                choices += enabled[action] > 0
            random = next_random(random)
            wanted = np.int64((random >> np.uint64(11)) % np.uint64(choices))
            action, first = -1, 0
            while wanted >= 0:
                action += 1
                if enabled[action] > 0:
                    wanted -= 1
                if wanted >= 0:
                    first += enabled[action]
            random = next_random(random)
            chosen = first + np.int64((random >> np.uint64(11)) % np.uint64(enabled[action]))
            copy(successors, chosen * words, path, (length + 1) * words, words)
            taken[action] += 1
            length += 1

    return walk


def search_kernels(words: int) -> dict[str, Callable[..., Any]]:
    """The kernels for states of so many words, by which the innermost loops are straight code."""

    def expand(worker: Any, level: Any, begin: Any, end: Any) -> Any:
        """Expand the states `begin` to `end` of a level into one buffer a shard.

        Stops early when a buffer might not hold the successors of the next state; returns the state
        that it stopped at.
        """
        canonical_at, successors = worker.canonical_at, states_at(worker.successors)
        buffers, capacity = states_at(worker.buffers), worker.capacity
        filled, scratch = counts_at(worker.filled), counts_at(worker.scratch)
        roomy = capacity - worker.most
        fullest = 0
        for number in range(begin, end):
            if fullest > roomy:
                return number
            count = expanded(worker, level, number * words, words)
            if canonical_at != 0:
                scratch[0] = count
                held_there = address(scratch, 0)
                call(canonical_at, address(successors, 0), held_there, held_there)
            for index in range(count):
                there = index * words
                value = hash_of(successors, there, words)
                shard = shard_of(value)
                held = filled[shard]
                copy(successors, there, buffers, (shard * capacity + held) * words, words)
                filled[shard] = held + 1
                fullest = max(fullest, held + 1)
        return end

    def distribute(worker: Any, level: Any, begin: Any, end: Any) -> Any:
        """Put states into one buffer a shard, from `begin` on until one is full; where it ends."""
        buffers, capacity = states_at(worker.buffers), worker.capacity
        filled = counts_at(worker.filled)
        for number in range(begin, end):
            shard = shard_of(hash_of(level, number * words, words))
            if filled[shard] == capacity:
                return number
            copy(level, number * words, buffers, (shard * capacity + filled[shard]) * words, words)
            filled[shard] += 1
        return end

    def insert(worker: Any, candidates: Any, count: Any, shard: Any, checked: Any) -> Any:
        """Put the states that a shard does not know yet into its table and after its new ones.

        The table and `new` must have room. The new states are checked if `checked` is not zero.
        Returns how many new states there are then.
        """
        table, size = states_at(shard.table), shard.size
        new, total = states_at(shard.new), shard.count
        check_state_at = worker.check_state_at if checked != 0 else 0
        places = counts_at(worker.scratch)
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
            copy(candidates, at, new, total * words, words)
            if check_state_at != 0:
                judge(worker, check_state_at, new, total * words, words)
            total += 1
        return total

    def check(worker: Any, states: Any, count: Any) -> Any:
        """Check states that are known to be new."""
        check_state_at = worker.check_state_at
        for index in range(count if check_state_at != 0 else 0):
            judge(worker, check_state_at, states, index * words, words)
        return count

    def move(old: Any, old_size: Any, table: Any, size: Any) -> Any:
        """Put every state of one table into an empty larger one."""
        for at in range(0, old_size * words, words):
            if old[at] == 0:
                continue
            place = place_of(hash_of(old, at, words), size)
            while table[place * words] != 0:
                place += 1
                if place == size:
                    place = 0
            copy(old, at, table, place * words, words)
        return 0

    def predecessor(worker: Any, level: Any, count: Any, target: Any) -> Any:
        """The position in a level of the smallest state with a step to `target`, or -1."""
        successors, scratch = states_at(worker.successors), counts_at(worker.scratch)
        smallest = -1
        for number in range(count):
            at = number * words
            steps = call(
                worker.expand_at, address(level, at), address(successors, 0), worker.labels
            )
            if worker.canonical_at != 0 and steps > 0:
                scratch[0] = steps
                held_there = address(scratch, 0)
                call(worker.canonical_at, address(successors, 0), held_there, held_there)
            for index in range(steps):
                if same(successors, index * words, target, 0, words):
                    if smallest < 0 or is_less(level, at, level, smallest * words, words):
                        smallest = number
                    break
        return smallest

    def shard_of_state(state: Any) -> Any:
        """The shard of a state."""
        return shard_of(hash_of(state, 0, words))

    return {
        "expand": expand,
        "distribute": distribute,
        "insert": insert,
        "check": check,
        "move": move,
        "predecessor": predecessor,
        "shard_of_state": shard_of_state,
        "walk": _walk_kernel(words),
    }
