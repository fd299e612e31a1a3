"""A campaign: rows are kept, what is kept is not done again, and no task is lost in silence."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lockstep.answers.answer import Answer
from lockstep.campaign.campaign import Campaign, KeptRows, Planned
from lockstep.campaign.processes import Here, Place, Processes, Share
from lockstep.campaign.task import Task
from tests.campaign.works import PLENTY, task, work


class Sample:
    """A campaign in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.depends = "text"

    @property
    def campaign(self) -> Campaign:
        kept = KeptRows.open(self.folder / "results.jsonl")
        return Campaign(kept, self.depends, self.notes.append)

    def known(self, tasks: Sequence[Task]) -> set[int]:
        return set(self.campaign.known([Planned(one, 1.0) for one in tasks]))

    def rows(self, tasks: Sequence[Task], place: Place | None = None) -> dict[int, Answer]:
        plan = [Planned(one, 1.0) for one in tasks]
        place = place or Here(work, self.folder, Share())
        return dict(self.campaign.rows(place, plan, range(len(plan))))


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return Sample(tmp_path)


def test_what_was_done_is_known_to_the_next_run(sample: Sample) -> None:
    tasks = [task("holds", 1), task("holds", 2), task("violated", 3)]
    assert sample.known(tasks) == set()
    rows = sample.rows(tasks[1:])
    assert sample.known(tasks) == {1, 2}
    assert sample.campaign.known([Planned(tasks[2], 1.0)]) == {0: rows[1]}


def test_a_row_stands_as_long_as_nothing_changes_that_it_depends_on(sample: Sample) -> None:
    tasks = [task("holds", 1)]
    sample.rows(tasks)
    sample.depends = "another text"
    assert sample.known(tasks) == set()
    sample.rows(tasks)
    assert sample.known(tasks) == {0}


def test_a_row_without_its_counterexample_is_made_again(sample: Sample, tmp_path: Path) -> None:
    tasks = [task("violated", 3, save=str(tmp_path / "traces"))]
    row = sample.rows(tasks)[0]
    assert row.trace == str(tmp_path / "traces" / "trace-3.itf.json")
    assert sample.known(tasks) == {0}
    Path(row.trace).unlink()
    assert sample.known(tasks) == set()


def test_a_counterexample_that_cannot_be_saved_is_reported(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    row = sample.rows([task("violated", 3, save=str(tmp_path / "file"))])[0]
    assert (row.verdict, row.exit_code, row.trace) == ("violated", 2, None)
    assert "cannot be written" in row.error


def test_what_could_not_be_explored_is_not_kept(sample: Sample) -> None:
    tasks = [task("broken")]
    assert sample.rows(tasks)[0].error == "it cannot be loaded"
    assert sample.known(tasks) == set()


def processes(folder: Path, memory: int = 2**31) -> Processes:
    return Processes(work, folder, 2, Share(memory=memory))


def test_a_task_whose_process_dies_is_reported_and_done_again(
    sample: Sample, tmp_path: Path
) -> None:
    tasks = [task("dies_once"), task("holds", 1), task("holds", 2)]
    rows = sample.rows(tasks, processes(tmp_path))
    assert [rows[number].verdict for number in range(3)] == ["holds"] * 3
    assert sample.notes == [
        "dies_once small seed 0 is done again by itself: its process ended by SIGKILL"
    ]
    assert sample.known(tasks) == {0, 1, 2}


def test_a_task_whose_process_always_dies_is_reported(sample: Sample, tmp_path: Path) -> None:
    tasks = [task("holds"), task("dies", 1)]
    rows = sample.rows(tasks, processes(tmp_path))
    assert rows[0].verdict == "holds"
    assert (rows[1].verdict, rows[1].exit_code) == ("inconclusive", 3)
    assert rows[1].error == "dies small seed 1 has no result: its process ended by SIGKILL"
    assert sample.known(tasks) == {0}


def test_a_task_whose_share_is_too_small_gets_all_of_it(sample: Sample, tmp_path: Path) -> None:
    tasks = [task("greedy"), task("holds", 1)]
    rows = sample.rows(tasks, processes(tmp_path, memory=PLENTY))
    assert (rows[1].states, rows[0].states) == (PLENTY // 2, PLENTY)
    assert not rows[0].out_of_memory
    assert sample.notes == [
        "greedy small seed 0 is done again by itself: its share of the memory is full"
    ]


def test_what_ends_for_lack_of_all_memory_is_not_kept(sample: Sample, tmp_path: Path) -> None:
    tasks = [task("greedy"), task("holds", 1)]
    rows = sample.rows(tasks, processes(tmp_path, memory=PLENTY // 2))
    assert rows[0].out_of_memory
    assert sample.known(tasks) == {1}
