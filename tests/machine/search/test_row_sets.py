"""Rows as sets: what is distinct, what is left of them, and what is merged."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.machine.search.interface import Array
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.visited import (
    Gathered,
    distinct,
    hashes,
    merged,
    subtract,
    union,
    without,
)

NUMBERS = st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1))


def states(words: int) -> st.SearchStrategy[list[tuple[int, ...]]]:
    """Some states, few of them different."""
    return st.lists(st.tuples(*[NUMBERS] * words), max_size=30)


def rows_of(numbers: list[tuple[int, ...]], words: int) -> Array:
    return np.array(numbers, np.uint64).reshape(-1, words).reshape(-1)


def parts_of(numbers: list[tuple[int, ...]], words: int, size: int) -> list[Array]:
    rows = rows_of(numbers, words)
    return [rows[at : at + size * words] for at in range(0, len(rows), size * words)]


def tuples(rows: Array, words: int) -> list[tuple[int, ...]]:
    return [tuple(row) for row in rows.reshape(-1, words).tolist()]


@pytest.mark.parametrize("words", [1, 2, 3])
@given(data=st.data())
def test_distinct_rows_are_a_set_in_order(words: int, data: st.DataObject) -> None:
    numbers = data.draw(states(words))
    rows = distinct(parts_of(numbers, words, 7), words)
    assert tuples(rows, words) == sorted(set(numbers))
    assert loops_for("runs", words).ascends(rows, len(rows) // words)


@pytest.mark.parametrize("words", [1, 2, 3])
@given(data=st.data())
def test_what_a_run_has_is_subtracted(words: int, data: st.DataObject) -> None:
    numbers, other = data.draw(states(words)), data.draw(states(words))
    rows = rows_of(sorted(set(numbers)), words)
    rest = subtract(rows, parts_of(sorted(set(other)), words, 4), words)
    assert tuples(rest, words) == sorted(set(numbers) - set(other))


@pytest.mark.parametrize("words", [1, 2, 3])
@given(data=st.data())
def test_the_union_of_rows_in_order_is_in_order(words: int, data: st.DataObject) -> None:
    sets = data.draw(st.lists(states(words), max_size=5))
    parts = [rows_of(sorted(set(numbers)), words) for numbers in sets]
    rows = union(parts, words)
    assert tuples(rows, words) == sorted(set().union(*sets))


@pytest.mark.parametrize("words", [1, 2, 3])
@given(data=st.data())
def test_merged_runs_are_their_union(words: int, data: st.DataObject) -> None:
    runs = data.draw(st.lists(states(words), max_size=5))
    parts = [iter(parts_of(sorted(set(run)), words, 4)) for run in runs]
    rows = list(merged(parts, words))
    expected = sorted(set().union(*runs))
    assert [row for part in rows for row in tuples(part, words)] == expected


@pytest.mark.parametrize("words", [1, 2, 3])
@given(data=st.data())
def test_what_runs_have_is_left_out_part_by_part(words: int, data: st.DataObject) -> None:
    numbers = data.draw(states(words))
    runs = data.draw(st.lists(states(words), max_size=3))
    parts = parts_of(sorted(set(numbers)), words, 5)
    read = [iter(parts_of(sorted(set(run)), words, 3)) for run in runs]
    rows = [row for part in without(parts, read, words) for row in tuples(part, words)]
    assert rows == sorted(set(numbers).difference(*runs))
    assert [list(rest) for rest in read] == [[] for _ in runs], "a run was not read to its end"


@pytest.mark.parametrize("words", [1, 3])
@given(data=st.data())
def test_what_waits_in_files_is_in_order_again(words: int, data: st.DataObject) -> None:
    runs = data.draw(st.lists(states(words), max_size=6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "lockstep.machine.search.visited.MOST_WAITING", data.draw(st.integers(1, 999))
        )
        gathered = Gathered(words)
        for run in runs:
            gathered.add(rows_of(sorted(set(run)), words))
        rows = [row for part in gathered.parts() for row in tuples(part, words)]
    assert rows == sorted(set().union(*runs))
    assert gathered.is_empty == (not runs)


def test_the_sum_of_hashes_has_no_order() -> None:
    rows = np.arange(40, dtype=np.uint64)
    turned = rows.reshape(-1, 2)[::-1].copy().reshape(-1)
    assert hashes(rows, 2).sum() == hashes(turned, 2).sum()
    for place, next_place in pairwise(range(40)):
        changed = rows.copy()
        changed[place] = rows[next_place]
        assert hashes(changed, 2).sum() != hashes(rows, 2).sum()
