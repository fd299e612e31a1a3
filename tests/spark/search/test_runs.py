"""A run is what the manifest says of it, or what is wrong with it is reported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from lockstep.spark.search.runs import (
    Run,
    RunFolder,
    Unreadable,
    dated,
    of_level,
    packed,
    unpacked,
)
from lockstep.system.sealed import Damaged
from tests.spark.search.cases import rows_of

WORDS = st.integers(0, 2**64 - 1)
STATES = rows_of([(3, 9), (3, 10), (4, 0), (2**63, 2**64 - 1)], 2)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path, 2)


def written(folder: RunFolder) -> Run:
    run = folder.write(0, [dated(STATES[:4], 2, 5), dated(STATES[4:], 2, 6)], 5, 6)
    assert run is not None
    return run


def damage(folder: RunFolder, run: Run) -> str:
    with pytest.raises(Damaged) as raised:
        list(folder.read(run))
    with pytest.raises(Damaged):
        list(folder.read(run, dated=True))
    assert raised.value.file == (folder.path / run.file)
    return raised.value.why


def test_states_and_levels_come_back(folder: RunFolder) -> None:
    run = written(folder)
    assert (run.states, run.first, run.last) == (4, 5, 6)
    assert np.concatenate(list(folder.read(run))).tolist() == STATES.tolist()
    rows = np.concatenate(list(folder.read(run, dated=True)))
    assert of_level(rows, 2, 5).tolist() == STATES[:4].tolist()
    assert of_level(rows, 2, 6).tolist() == STATES[4:].tolist()
    assert of_level(rows, 2, 7).tolist() == []


def test_the_same_work_twice_leaves_two_files(folder: RunFolder) -> None:
    first, second = written(folder), written(folder)
    assert first.file != second.file
    assert replace(first, file="") == replace(second, file="")


def test_every_changed_byte_is_reported(folder: RunFolder) -> None:
    run = written(folder)
    content = (folder.path / run.file).read_bytes()
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        (folder.path / run.file).write_bytes(changed)
        assert damage(folder, run) == "its bytes are not those that were written"


def test_a_file_that_is_lost_or_cut_off_is_reported(folder: RunFolder) -> None:
    run = written(folder)
    (folder.path / run.file).write_bytes((folder.path / run.file).read_bytes()[:-1])
    assert damage(folder, run) == "its bytes are not those that were written"
    (folder.path / run.file).unlink()
    assert damage(folder, run) == "it is missing"


def test_a_whole_file_with_other_states_is_reported(folder: RunFolder) -> None:
    """The writer of the file believed in it: the sum of the hashes is what the manifest has."""
    run = written(folder)
    assert damage(folder, replace(run, states=5)) == "it has 4 states instead of 5"
    assert damage(folder, replace(run, checksum=run.checksum ^ 1)) == "its checksum is wrong"
    turned = folder.write(0, [dated(STATES[4:], 2, 6), dated(STATES[:4], 2, 5)], 5, 6)
    assert turned is not None
    assert turned.checksum == run.checksum
    assert damage(folder, turned) == "its states are not in order"
    other = RunFolder((folder.path / run.file).parent, 3)
    assert damage(other, run) == "it cannot be read: it has no column w2"


@given(words=st.integers(1, 4), data=st.data())
def test_states_come_back(words: int, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.lists(WORDS, min_size=words, max_size=words), max_size=20))
    states = np.array(rows, np.uint64).reshape(-1)
    assert unpacked(packed(states, words), words).tolist() == states.tolist()


def test_sorted_states_take_few_bytes() -> None:
    states = np.uint64(2**63) + np.arange(2**17, dtype=np.uint64) * np.uint64(300)
    assert len(packed(states, 1)) < 2 * len(states)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 and some more that is no file PAR1"])
def test_something_else_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable):
        unpacked(content, 1)


def test_states_of_fewer_words_are_refused() -> None:
    with pytest.raises(Unreadable, match="no column w1"):
        unpacked(packed(np.ones(4, np.uint64), 1), 2)
