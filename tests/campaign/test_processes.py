"""Processes that do tasks: each task has an answer, whatever becomes of its process."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from lockstep.answers.answer import Answer, decode, encode
from lockstep.campaign.processes import Lost, Processes, Share
from lockstep.campaign.task import Outcome, Task
from tests.campaign.works import task, work
from tests.processes import Started, started_program

ROOT = Path(__file__).parents[2]


def rows_of(processes: Processes, tasks: Sequence[Task]) -> dict[int, Answer | Lost]:
    with processes.answers([encode(one) for one in tasks]) as answers:
        return {
            number: answer if isinstance(answer, Lost) else decode(answer, Outcome).row
            for number, answer in answers
        }


def test_every_task_is_done_once_by_one_of_them(tmp_path: Path) -> None:
    processes = Processes(work, tmp_path, 2, Share(memory=2**31))
    rows = rows_of(processes, [task("holds", seed) for seed in range(9)])
    assert sorted(rows) == list(range(9))
    assert [row.seed for _, row in sorted(rows.items()) if isinstance(row, Answer)] == list(
        range(9)
    )
    workers = {row.depth for row in rows.values() if isinstance(row, Answer)}
    assert os.getpid() not in workers
    assert 1 <= len(workers) <= 2
    assert {row.states for row in rows.values() if isinstance(row, Answer)} == {2**30}
    assert multiprocessing.active_children() == []


def test_a_process_that_dies_loses_its_own_task_and_no_other(tmp_path: Path) -> None:
    names = ["holds", "dies", "holds", "exits", "holds", "holds"]
    processes = Processes(work, tmp_path, 2, Share(memory=2**31))
    rows = rows_of(processes, [task(name, seed) for seed, name in enumerate(names)])
    lost = {number: row for number, row in rows.items() if isinstance(row, Lost)}
    assert lost == {
        1: Lost("its process ended by SIGKILL"),
        3: Lost("its process ended with exit code 7"),
    }
    assert sorted(rows) == list(range(6))


def test_processes_end_when_nobody_waits_for_answers(tmp_path: Path) -> None:
    processes = Processes(work, tmp_path, 2, Share(memory=2**31))
    tasks = [encode(one) for one in (task("sleeps"), task("holds"), task("sleeps", 1))]
    with processes.answers(tasks) as answers:
        assert next(answers)[0] == 1
        assert len(multiprocessing.active_children()) == 2
    assert multiprocessing.active_children() == []


SCRIPT = """\
from pathlib import Path
from lockstep.campaign.processes import Share
from lockstep.campaign.processes import Processes
from lockstep.campaign.task import encode
from tests.campaign.works import task, work

print("begun")
tasks = [encode(task({model!r}, seed)) for seed in range(2)]
with Processes(work, Path({folder!r}), 2, Share(memory=2**31)).answers(tasks) as answers:
    print(len(list(answers)))
"""


def script(folder: Path, model: str) -> AbstractContextManager[Started]:
    file = folder / "script.py"
    file.write_text(SCRIPT.format(model=model, folder=str(folder)))
    return started_program([sys.executable, str(file)], changed={"PYTHONPATH": str(ROOT)})


def test_a_script_is_not_run_again_by_the_processes_that_it_starts(tmp_path: Path) -> None:
    with script(tmp_path, "holds") as process:
        assert process.ended()[:2] == (0, "begun\n2\n")


def test_no_process_outlives_one_that_is_killed(tmp_path: Path) -> None:
    with script(tmp_path, "sleeps") as process:
        await_files(tmp_path, "sleeps-*", 2)
        assert len(process.below()) >= 2
        process.send(signal.SIGKILL)
        process.ended()


def await_files(folder: Path, pattern: str, count: int) -> None:
    end = time.monotonic() + 60
    while len(list(folder.glob(pattern))) < count:
        assert time.monotonic() < end, "the tasks do not begin"
        time.sleep(0.05)
