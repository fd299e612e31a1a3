"""A run is what the manifest says of it, or it is told what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from lockstep.spark.search.runs import Run, RunFolder, dated, of_level
from lockstep.system.sealed import Damaged
from tests.spark.search.cases import rows_of

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


def test_every_changed_byte_is_told(folder: RunFolder) -> None:
    run = written(folder)
    content = (folder.path / run.file).read_bytes()
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        (folder.path / run.file).write_bytes(changed)
        assert damage(folder, run) == "its bytes are not those that were written"


def test_a_file_that_is_lost_or_cut_off_is_told(folder: RunFolder) -> None:
    run = written(folder)
    (folder.path / run.file).write_bytes((folder.path / run.file).read_bytes()[:-1])
    assert damage(folder, run) == "its bytes are not those that were written"
    (folder.path / run.file).unlink()
    assert damage(folder, run) == "it is missing"


def test_a_whole_file_with_other_states_is_told(folder: RunFolder) -> None:
    """Whoever wrote the file believed in it: the sum of the hashes is what the manifest has."""
    run = written(folder)
    assert damage(folder, replace(run, states=5)) == "it has 4 states instead of 5"
    assert damage(folder, replace(run, checksum=run.checksum ^ 1)) == "its checksum is wrong"
    turned = folder.write(0, [dated(STATES[4:], 2, 6), dated(STATES[:4], 2, 5)], 5, 6)
    assert turned is not None
    assert turned.checksum == run.checksum
    assert damage(folder, turned) == "its states are not in order"
    other = RunFolder((folder.path / run.file).parent, 3)
    assert damage(other, run) == "it cannot be read: it has no column w2"
