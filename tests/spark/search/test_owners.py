"""Each state has one owner, and it is the same for every engine and every task."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.machine.search.interface import SHARD_BITS
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.visited import hashes
from lockstep.spark.search.owners import FANOUT, due, owners_for, places_by_owner
from lockstep.spark.search.runs import Run

STATES = st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=60, unique=True)


@pytest.mark.parametrize("words", [1, 2, 3])
@given(numbers=STATES)
def test_the_highest_bits_of_a_hash_are_the_shard_of_a_search(
    words: int, numbers: list[int]
) -> None:
    states = np.array(numbers[: len(numbers) // words * words], np.uint64)
    values = hashes(states, words) >> np.uint64(64 - SHARD_BITS)
    loops = loops_for("search", words)
    rows = [row.copy() for row in states.reshape(-1, words)]
    assert values.tolist() == [loops.shard_of_state(row) for row in rows]


@pytest.mark.parametrize("owners", [1, 2, 16, 64, 128, 4096])
@given(numbers=STATES)
def test_owners_share_out_the_hashes_in_order(owners: int, numbers: list[int]) -> None:
    states = np.array(numbers, np.uint64)
    owner_of = {
        int(state): owner
        for owner, places in places_by_owner(states, 1, owners)
        for state in states[places]
    }
    assert len(owner_of) == len(numbers)
    assert all(0 <= owner < owners for owner in owner_of.values())
    for state, value in zip(numbers, hashes(states, 1).tolist(), strict=True):
        assert owner_of[state] == value * owners >> 64


def test_there_are_some_owners_to_each_task() -> None:
    assert [owners_for(tasks) for tasks in (1, 2, 3, 16, 10**6)] == [4, 8, 16, 64, 65536]


@given(sizes=st.lists(st.integers(1, 10**6), max_size=200))
def test_few_runs_are_left_and_few_are_written_again(sizes: list[int]) -> None:
    runs: list[Run] = []
    written = 0
    for number, size in enumerate(sizes):
        runs.append(Run(str(number), size, 0, number, number, ""))
        while old := due(runs):
            size_of_all = sum(run.states for run in old)
            runs = [run for run in runs if run not in old]
            runs.append(Run(f"{number} merged {len(runs)}", size_of_all, 0, 0, number, ""))
            written += size_of_all
    total = sum(sizes)
    powers = 1 + max(0, total.bit_length() - 1) // (FANOUT.bit_length() - 1)
    assert sum(run.states for run in runs) == total
    assert len(runs) < FANOUT * powers
    assert written <= total * powers
