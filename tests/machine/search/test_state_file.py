"""States in a file come back as they were written, whole, in pieces and one by one."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from lockstep.machine.search import state_file
from lockstep.machine.search.levels import Levels
from lockstep.machine.search.state_file import Extent, StateFile


@pytest.fixture
def states(tmp_path: Path) -> Iterator[Callable[[int], StateFile]]:
    opened: list[StateFile] = []

    def file(words: int) -> StateFile:
        opened.append(StateFile(os.open(tmp_path / "states", os.O_RDWR | os.O_CREAT), words))
        return opened[-1]

    yield file
    for states in opened:
        states.close()


def words(*values: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    return np.array(values, np.uint64)


def test_no_piece_ends_within_a_state(
    states: Callable[[int], StateFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_file, "_PIECE", 7)
    file = states(3)
    file.append(np.arange(30, dtype=np.uint64))
    extent = file.finish()
    parts = [part.tolist() for part in file.read(extent)]
    assert [len(part) for part in parts] == [6] * 5
    assert [word for part in parts for word in part] == list(range(30))


def test_extents_stand_one_after_the_other(states: Callable[[int], StateFile]) -> None:
    file = states(1)
    file.append(words(1, 2))
    file.append(words(3))
    first = file.finish()
    empty = file.finish()
    file.append(words(4))
    assert (first.begin, first.words) == (0, 3)
    assert (empty.begin, empty.words, empty.crc) == (3, 0, 0)
    assert file.finish().begin == 3
    assert [part.tolist() for part in file.read(first)] == [[1, 2, 3]]
    assert list(file.read(empty)) == []


def test_what_comes_after_the_extents_is_dropped(states: Callable[[int], StateFile]) -> None:
    file = states(1)
    file.append(words(1, 2))
    kept = file.finish()
    file.append(words(9, 9, 9))
    again = states(1)
    again.reopen([kept])
    assert again.size == 16
    again.append(words(3))
    assert again.finish() == Extent(2, 1, again_crc(states, 3))


def again_crc(states: Callable[[int], StateFile], value: int) -> int:
    """The checksum of one word does not depend on where it stands."""
    file = states(1)
    file.append(words(value))
    return file.finish().crc


def test_a_file_that_was_cut_is_an_error(states: Callable[[int], StateFile]) -> None:
    file = states(1)
    file.append(words(1, 2))
    with pytest.raises(OSError, match="shorter"):
        list(file.read(Extent(0, 5, 0)))


@pytest.mark.parametrize("on_disk", [False, True])
def test_levels_are_the_same_in_memory_and_on_disk(
    states: Callable[[int], StateFile], on_disk: bool
) -> None:
    levels = Levels(2, states(2) if on_disk else None)
    levels.extend([words(1, 2)])
    levels.finish()
    levels.extend([words(3, 4, 5, 6), words(7, 8)])
    levels.finish()
    levels.finish()
    assert levels.counts == [1, 3, 0]
    assert np.concatenate(list(levels.parts(1))).tolist() == [3, 4, 5, 6, 7, 8]
    assert [levels.state(1, place).tolist() for place in range(3)] == [[3, 4], [5, 6], [7, 8]]
    assert list(levels.parts(2)) == []
    assert levels.bytes == (0 if on_disk else 64)
