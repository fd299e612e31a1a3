"""Each state has one owner, and it is the same for every engine and every task."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.machine.search.interface import SHARD_BITS
from lockstep.machine.search.loops import loops_for
from lockstep.spark.search.owners import hashes, owners_for, places_by_owner

STATES = st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=60, unique=True)


@pytest.mark.parametrize("words", [1, 2, 3])
@given(numbers=STATES)
def test_numpy_and_the_kernels_have_the_same_hash(words: int, numbers: list[int]) -> None:
    states = np.array(numbers[: len(numbers) // words * words], np.uint64)
    values = hashes(states, words) >> np.uint64(64 - SHARD_BITS)
    loops = loops_for(words)
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
