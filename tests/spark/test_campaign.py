"""Tasks on Spark: each has an answer, files go along, and what fails leaves the others alone."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.answers.answer import Answer, decode, encode
from lockstep.campaign.campaign import Campaign, KeptRows, Planned
from lockstep.campaign.cluster import Cluster, answers
from lockstep.campaign.processes import Lost, Share
from lockstep.campaign.task import Outcome, Task
from lockstep.requests.campaign import SweepRequest
from lockstep.requests.search import SPARK
from lockstep.spark.session import SparkOptions, spark_session
from lockstep.system.workspace_text import WorkspaceText
from lockstep.verbs.fault_task import explore_fault
from lockstep.verbs.faults import FaultsOfModel, FaultsRequest, faults
from lockstep.verbs.sweep import check_one, sweep
from lockstep.workspace import find_workspace
from tests.campaign.works import task as sample_task
from tests.campaign.works import work
from tests.spark.cluster import cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKSPACE = find_workspace(Path(__file__))
FILES = {"models/one.py": b"text", "specs/one.toml": b"\xff\x00"}


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    with spark_session("test", SparkOptions("local[2]")) as session:
        yield session


def read(workspace: Path, task: bytes) -> bytes:
    """What a task does: it reads its file, or dies."""
    if task == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    return (workspace / task.decode()).read_bytes()


def test_each_task_has_its_answer_and_reads_the_files_that_were_sent(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path))
    tasks = [b"models/one.py", b"specs/one.toml", b"specs/none.toml"] * 2
    results = dict(answers(session, read, WorkspaceText.of_files(FILES), tasks))
    assert sorted(results) == list(range(6))
    assert [results[number] for number in (0, 1, 3, 4)] == [*FILES.values()] * 2
    assert isinstance(results[2], Lost)


def test_a_task_that_dies_leaves_the_others_alone(session: SparkSession) -> None:
    results = dict(
        answers(
            session,
            read,
            WorkspaceText.of_files(FILES),
            [b"die", b"models/one.py", b"models/one.py"],
        )
    )
    assert isinstance(results[0], Lost)
    assert [results[1], results[2]] == [b"text", b"text"]


def test_jobs_that_nobody_waits_for_are_cancelled(session: SparkSession) -> None:
    results = answers(session, read, WorkspaceText.of_files(FILES), [b"models/one.py"] * 20)
    assert next(results)[1] == b"text"
    results.close()
    tracker, ends = session.sparkContext.statusTracker(), time.monotonic() + 60
    while tracker.getActiveJobsIds() and time.monotonic() < ends:
        time.sleep(0.1)  # Spark cancels when it gets there
    assert list(tracker.getActiveJobsIds()) == []


def test_a_fault_on_an_executor_is_the_fault_here(session: SparkSession) -> None:
    fault = Task(
        kind="fault",
        model="fetch_snapshot_response",
        scope="small",
        fault="average_and_no_more",
        engine="python",
    )
    text = WorkspaceText.of(WORKSPACE.root)
    ((_, there),) = answers(session, _explored, text, [encode(fault)])
    assert isinstance(there, bytes)
    here = _explored(WORKSPACE.root, encode(fault))
    rows = [decode(outcome, Outcome).row for outcome in (there, here)]
    for row in rows:
        row.seconds = 0.0
    assert rows[0] == rows[1]
    assert rows[0].violated == "nothing_is_withheld_that_would_fit"
    assert rows[0].states == 217


def test_hypothesis_draws_on_an_executor_what_it_draws_here(session: SparkSession) -> None:
    walks = Task(
        kind="check",
        model="fetch_snapshot_response",
        scope="small",
        fault="average_and_no_more",
        walks=100,
        by_hypothesis=True,
        steps=20,
        seed=7,
    )
    text = WorkspaceText.of(WORKSPACE.root)
    ((_, there),) = answers(session, _checked, text, [encode(walks)])
    assert isinstance(there, bytes)
    here = _checked(WORKSPACE.root, encode(walks))
    outcomes = [decode(outcome, Outcome) for outcome in (there, here)]
    for outcome in outcomes:
        outcome.row.seconds = 0.0
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].row.violated == "nothing_is_withheld_that_would_fit"
    assert outcomes[0].trace_text


def _checked(workspace: Path, task: bytes) -> bytes:
    return check_one(workspace, task, Share(threads=1))


def _explored(workspace: Path, task: bytes) -> bytes:
    return explore_fault(workspace, task, Share(threads=1))


def test_files_are_unpacked_once_and_mended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path))
    text = WorkspaceText.of_files(FILES)
    folder = text.unpacked()
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    before = (folder / "models").stat().st_ino
    assert text.unpacked() == folder
    assert (folder / "models").stat().st_ino == before
    (folder / "models" / "one.py").write_bytes(b"damaged")
    assert (text.unpacked() / "models" / "one.py").read_bytes() == b"text"
    assert [one.name for one in folder.parent.iterdir()] == [folder.name]


@pytest.mark.verify
def test_a_task_whose_executor_dies_is_done_again(tmp_path: Path) -> None:
    """In a session of its own, and then again in another one."""
    notes: list[str] = []
    kept = KeptRows.open(tmp_path / "results.jsonl")
    tasks = [sample_task("dies_once"), sample_task("holds", 1), sample_task("dies", 2)]
    plan = [Planned(one, 1.0) for one in tasks]
    place = Cluster(partial(_work_in, tmp_path), WORKSPACE.root, "local[2]")
    rows = dict(Campaign(kept, "", notes.append).rows(place, plan, range(3)))
    assert [rows[number].verdict for number in range(3)] == ["holds", "holds", "inconclusive"]
    assert "Spark gave it up" in rows[2].error
    assert {note.partition(" ")[0] for note in notes} == {"dies_once", "dies"}


def _work_in(folder: Path, workspace: Path, task: bytes, share: Share) -> bytes:
    """Work in a folder that outlives the session, in place of what the executor has unpacked."""
    return work(folder, task, share)


@pytest.mark.verify
def test_a_cluster_draws_by_each_seed_what_this_machine_draws(tmp_path: Path) -> None:
    """Executors of their own have nothing but lockstep and what is sent to them."""

    def run(name: str, exploration: str, master: str | None) -> list[Answer]:
        request = SweepRequest(
            models=("fetch_snapshot_response",),
            workspace=WORKSPACE,
            engine=exploration,
            master=master,
            fault="average_and_no_more",
            hypothesis=50,
            save=tmp_path / name,
            seeds=range(1, 4),
            results=tmp_path / f"{name}.jsonl",
        )
        rows = list(sweep(request).results)
        for row in rows:
            assert row.trace is not None
            assert Path(row.trace).is_file()
            row.seconds, row.since, row.trace, row.key, row.task = 0.0, None, None, "", ""
        return rows

    with cluster(tmp_path / "cluster") as running:
        there = run("cluster", SPARK, running.master)
    assert there == run("here", "auto", None)
    assert [row.seed for row in there] == [1, 2, 3]


@pytest.mark.verify
def test_all_faults_on_spark_are_those_of_one_machine(tmp_path: Path) -> None:
    def run(engine: str, master: str | None = None) -> list[FaultsOfModel]:
        results = tmp_path / f"{engine}.jsonl"
        request = FaultsRequest((), WORKSPACE, engine=engine, master=master, results=results)
        models = list(faults(request).results)
        for fault in (fault for model in models for fault in model.runs):
            fault.seconds, fault.since, fault.engine = 0.0, None, ""
            # Of `auto` the engine that is quick enough finds one of the shortest.
            fault.details.steps = None
        return models

    assert run(SPARK, "local[2]") == run("auto")
