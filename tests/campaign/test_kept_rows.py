"""The table of results: whatever kills a process, what was kept before is there."""

import json
from pathlib import Path

import pytest

from lockstep.answers.answer import Answer
from lockstep.campaign.campaign import KeptRows
from lockstep.campaign.task import answer_to
from lockstep.errors import LockstepError
from tests.campaign.works import task


def row(seed: int, states: int = 0) -> Answer:
    asked = task("holds", seed)
    return answer_to(asked, verdict="holds", states=states, task=asked.digest)


def states_in(file: Path) -> list[int]:
    return [kept.states for kept in KeptRows.open(file).rows.values()]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "results.jsonl"
    kept = KeptRows.open(file)
    first = row(1)
    first.constants = {"WIDE": 2**200, "NAMES": ["a", "\ud800", "ü"]}
    kept.add(first)
    kept.add(row(2, states=5))
    assert list(KeptRows.open(file).rows.values()) == [first, row(2, states=5)]
    assert [json.loads(line)["seed"] for line in file.read_text().splitlines()] == [1, 2]


@pytest.mark.parametrize("bytes_left", [1, 50, 200])
def test_a_row_that_was_not_finished_is_reported_and_the_next_one_is_whole(
    tmp_path: Path, bytes_left: int
) -> None:
    file = tmp_path / "results.jsonl"
    kept = KeptRows.open(file)
    kept.add(row(1, states=1))
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:bytes_left])
    kept.add(row(3, states=3))  # as another process does that goes on
    again = KeptRows.open(file)
    assert again.damaged == [2]
    assert [kept.states for kept in again.rows.values()] == [1, 3]
    assert KeptRows.open(file).damaged == []


def test_of_each_task_the_last_row_counts(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    kept = KeptRows.open(file)
    for seed, states in ((1, 10), (2, 20), (1, 11)):
        kept.add(row(seed, states))
    assert len(file.read_text().splitlines()) == 3
    assert states_in(file) == [20, 11]
    assert len(file.read_text().splitlines()) == 2


def test_rows_of_another_process_stay_where_the_file_is_rewritten(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    one = KeptRows.open(file)
    one.add(row(1, 1))
    one.add(row(1, 2))
    KeptRows.open(file)  # puts a new file in its place
    one.add(row(2, 3))
    assert states_in(file) == [2, 3]


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not mine\n{}\n")
    with pytest.raises(LockstepError, match="no table of results"):
        KeptRows.open(file)
    assert file.read_text() == "not mine\n{}\n"


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LockstepError, match="cannot be written"):
        KeptRows.open(tmp_path / "file" / "results.jsonl")


def test_without_a_file_nothing_is_kept() -> None:
    kept = KeptRows(None)
    kept.add(row(1, states=3))
    assert [one.states for one in kept.rows.values()] == [3]
