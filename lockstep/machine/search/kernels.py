"""The loops of the search, in Python that numba understands, as an LLVM module.

States are rows of `words` 64-bit words in flat arrays. The set of known states is split into
shards by the highest bits of a state's hash. A shard is an open-addressing table with linear
probing: a state's place grows with its hash, so that a table is copied into a larger one in order.
A row of zeros is a free place: the first word of a state is never zero.

Threads never write to the same array: one expands a part of the level into buffers, one a shard;
then, all having finished, one inserts the candidates of a shard.

numba is needed once for each number of words: `loops` keeps the machine code. So these functions
know pointers and 64-bit numbers only, and neither allocate nor raise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from llvmlite import binding
from numba import cfunc, njit, types

from lockstep.machine.search.interface import (
    AHEAD,
    BROKEN,
    DEADLOCKED,
    DEADLOCKS,
    FAILED,
    FINE,
    KERNELS,
    SHARD_BITS,
    TRANSITIONS,
)
from lockstep.machine.search.intrinsics import address, call, prefetch

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


def module_text(words: int) -> str:
    """The loops for states of so many words as the text of an LLVM module.

    Its functions have the names and parameters of `KERNELS`, after two pointers: to where the
    answer goes, and to a word that is not used. A constant number of words makes the innermost
    loops straight code.
    """
    return linked(_loops(words))


def linked(loops: Mapping[str, Callable[..., Any]]) -> str:
    """Some loops by their names in `KERNELS` as the text of one LLVM module."""
    module = None
    for name, function in loops.items():
        part = binding.parse_assembly(_text(name, function))
        if module is None:
            module = part
        else:
            module.link_in(part)
    return str(module)


def _text(name: str, function: Callable[..., Any]) -> str:
    """One loop as LLVM text."""
    pointer = {"states": types.CPointer(types.uint64), "counts": types.CPointer(types.int64)}
    parameters = [
        pointer.get(kind, types.int64)
        for kind in (part.partition(":")[2] for part in KERNELS[name].split())
    ]
    made = cfunc(types.int64(*parameters), error_model="numpy")(function)
    module = binding.parse_assembly(made.inspect_llvm())
    for each in module.functions:
        # What Python would call reports exceptions; there are none.
        if each.name.startswith("cfunc."):
            inner = each.name.removeprefix("cfunc.")
            each.linkage = "internal"
    module.get_function(inner).name = name
    return str(module)


def _loops(words: int) -> dict[str, Callable[..., Any]]:

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
        most: Any,
        fired: Any,
        marks: Any,
        buffers: Any,
        capacity: Any,
        filled: Any,
        report: Any,
        broken: Any,
        broken_step: Any,
        failed: Any,
        failed_step: Any,
        pair: Any,
        scratch: Any,
    ) -> Any:
        """Expand the states `begin` to `end` of a level into one buffer a shard.

        Stops early when a buffer might not hold the successors of the next state; returns the state
        that it stopped at.
        """
        fullest = 0
        for number in range(begin, end):
            if fullest + most > capacity:
                return number
            at = number * words
            count = call(expand_at, address(level, at), address(successors, 0), address(fired, 0))
            if count < 0:
                copy(level, at, pair, 0, words)
                copy(level, at, pair, words, words)
                note(failed, failed_step, ranks[-1 - count], pair, 0, 2 * words)
                continue
            report[TRANSITIONS] += count
            if is_stuck(level, at, successors, count, words):
                report[DEADLOCKS] += 1
                if stop_at_deadlock != 0:
                    copy(level, at, pair, 0, words)
                    copy(level, at, pair, words, words)
                    note(broken, broken_step, 0, pair, 0, 2 * words)
            for index in range(count if check_step_at != 0 else 0):
                there = index * words
                answer = call(
                    check_step_at,
                    address(level, at),
                    address(successors, there),
                    address(marks, 0),
                )
                if answer != 0:
                    copy(level, at, pair, 0, words)
                    copy(successors, there, pair, words, words)
                    if answer < 0:
                        note(failed, failed_step, ranks[-1 - answer], pair, 0, 2 * words)
                    else:
                        note(broken, broken_step, answer, pair, 0, 2 * words)
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

    def distribute(
        level: Any,
        begin: Any,
        end: Any,
        buffers: Any,
        capacity: Any,
        filled: Any,
    ) -> Any:
        """Put states into one buffer a shard, from `begin` on until one is full; where it ends."""
        for number in range(begin, end):
            shard = shard_of(hash_of(level, number * words, words))
            if filled[shard] == capacity:
                return number
            copy(level, number * words, buffers, (shard * capacity + filled[shard]) * words, words)
            filled[shard] += 1
        return end

    def insert(
        candidates: Any,
        count: Any,
        table: Any,
        size: Any,
        new: Any,
        known: Any,
        check_state_at: Any,
        ranks: Any,
        marks: Any,
        broken: Any,
        broken_state: Any,
        failed: Any,
        failed_state: Any,
        scratch: Any,
    ) -> Any:
        """Put the states of one shard that are not known yet into its table and after `new[known]`.

        The table and `new` must have room. Returns how many new states there are then.
        """
        places = scratch
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
                    address(new, known * words),
                    address(marks, 0),
                    address(marks, 0),
                )
                if answer < 0:
                    note(failed, failed_state, ranks[-1 - answer], new, known * words, words)
                elif answer > 0:
                    note(broken, broken_state, answer, new, known * words, words)
            known += 1
        return known

    def move(
        old: Any,
        old_size: Any,
        table: Any,
        size: Any,
    ) -> Any:
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

    def predecessor(
        level: Any,
        count: Any,
        expand_at: Any,
        canonical_at: Any,
        target: Any,
        successors: Any,
        ignored: Any,
        scratch: Any,
    ) -> Any:
        """The position in a level of the smallest state with a step to `target`, or -1."""
        found = -1
        for number in range(count):
            at = number * words
            steps = call(expand_at, address(level, at), address(successors, 0), address(ignored, 0))
            if canonical_at != 0 and steps > 0:
                scratch[0] = steps
                held_there = address(scratch, 0)
                call(canonical_at, address(successors, 0), held_there, held_there)
            for index in range(steps):
                if same(successors, index * words, target, 0, words):
                    if found < 0 or is_less(level, at, level, found * words, words):
                        found = number
                    break
        return found

    def initial_shard(
        state: Any,
    ) -> Any:
        """The shard of a state."""
        return shard_of(hash_of(state, 0, words))

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
        actions: Any,
        taken: Any,
        marks: Any,
        path: Any,
        ended: Any,
    ) -> Any:
        """One random walk of up to `steps` steps: its length, its states in `path`.

        `ended` tells how and, if not FINE, the rank of what is wrong at the end of the path.
        `taken` counts by action the steps taken.
        """
        mixed = (np.uint64(seed) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
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
            if length > 0 and check_step_at != 0:
                answer = call(check_step_at, here - words * 8, here, address(marks, 0))
            if check_state_at != 0:
                of_state = call(check_state_at, here, address(marks, 0), address(marks, 0))
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
            for action in range(actions):
                fired[action] = 0
            count = call(expand_at, here, address(successors, 0), address(fired, 0))
            if count < 0:
                ended[0], ended[1] = FAILED, ranks[-1 - count]
                return length
            if stop_at_deadlock != 0 and is_stuck(path, length * words, successors, count, words):
                ended[0] = DEADLOCKED
                return length
            if count == 0:
                return length
            enabled = 0
            for action in range(actions):
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

    return {
        "expand": expand,
        "distribute": distribute,
        "insert": insert,
        "move": move,
        "predecessor": predecessor,
        "initial_shard": initial_shard,
        "walk": walk,
    }
