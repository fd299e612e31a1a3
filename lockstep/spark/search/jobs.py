"""Jobs of Spark's on the runs of a search: what their tasks are, send and report.

A task knows nothing but what is sent to it and the runs. One that fails is done again, and may be
done twice: all that counts is what the driver is sent by the tasks whose results Spark takes.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import pyarrow

from lockstep.errors import LockstepError
from lockstep.spark.search.runs import RunFolder
from lockstep.spark.search.work_folder import Account, Machine, OwnerReport
from lockstep.spark.task_start import forget_archives
from lockstep.system.sealed import Damaged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOOK_SECONDS = 0.05
_END_SECONDS = 20.0
"""How long to wait for a job that is to end."""
_ROWS = pyarrow.schema(
    [("owner", pyarrow.int32()), ("states", pyarrow.binary()), ("note", pyarrow.string())]
)
"""What tasks send to owners and to the driver: candidates for an owner, or a note."""

Batches: TypeAlias = Iterable[pyarrow.RecordBatch]
Work: TypeAlias = Callable[[Machine, RunFolder, Batches], Batches]
"""What a task does with its rows."""


class Answer(msgspec.Struct, frozen=True, tag=True):
    """What the runs of one owner answer to a question, as words."""

    words: list[int]


class Damage(msgspec.Struct, frozen=True, tag=True):
    """That a file is damaged, and how: the job does not count."""

    file: str
    why: str


Note: TypeAlias = Account | OwnerReport | Answer | Damage
"""What a task sends beside states."""


@dataclass(frozen=True)
class Jobs:
    """Runs one job at a time, on a session that is there when the first is due.

    `watch` is called with how many tasks are done, of how many. What it raises ends the job, and so
    does Ctrl-C. `LockstepError` where Spark gives the job up, `Damaged` where a task says so.
    """

    machine: Machine
    runs: RunFolder
    session: Callable[[], SparkSession]
    watch: Callable[[tuple[int, int]], None]

    def run(
        self, tasks: int, work: Work, later: Iterable[Work] = (), owners: int = 1
    ) -> list[Note]:
        """The notes of a job of so many tasks, which are given their numbers.

        Rows go to their owners before each of the `later` works.
        """
        spark, fields = self.session(), "owner int, states binary, note string"
        rows = spark.range(0, tasks, 1, tasks).mapInArrow(self._task(work), fields)
        for work_of_owners in later:
            sent = rows.repartitionById(owners, "owner")
            rows = sent.mapInArrow(self._task(work_of_owners), fields)
        return [read_note(text, self.runs) for text in _texts(spark, rows, self.watch)]

    def _task(self, work: Work) -> Callable[[Batches], Batches]:
        """Some work as a task on whichever machine."""
        machine, runs = self.machine, self.runs  # all that is sent

        def run(batches: Batches) -> Batches:
            forget_archives()
            try:
                yield from work(machine, runs, batches)
            except Damaged as damage:
                yield row(0, Damage(damage.file.name, damage.why))

        return run


def numbers(batches: Batches) -> Iterable[int]:
    """The numbers of the tasks that are to be done here."""
    for batch in batches:
        yield from batch.column(0).to_pylist()


def row(owner: int, note: Note | None = None, states: bytes | None = None) -> pyarrow.RecordBatch:
    """A row for an owner, or for the driver."""
    text = None if note is None else msgspec.json.encode(note).decode()
    columns = [
        pyarrow.array([value], field.type)
        for value, field in zip((owner, states, text), _ROWS, strict=True)
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=_ROWS)


def read_note(text: str, folder: RunFolder) -> Note:
    """The note of a task; `Damaged` where it says so."""
    note: Note = msgspec.json.decode(text, type=Note)
    if isinstance(note, Damage):
        raise folder.damaged(note.file, note.why)
    return note


def _texts(
    spark: SparkSession, rows: DataFrame, watch: Callable[[tuple[int, int]], None]
) -> list[str]:
    """The notes in a job's rows, while the driver looks on."""
    tag = f"lockstep-{uuid.uuid4().hex}"
    notes: list[str] = []
    failures: list[Exception] = []
    tasks = [(0, 0)]

    def run() -> None:
        try:
            spark.addTag(tag)
            notes.extend(row.note for row in rows.collect())
        except Exception as error:
            failures.append(error)

    def look() -> None:
        while job.is_alive():
            job.join(_LOOK_SECONDS)
            with suppress(Exception):
                tasks[0] = _tasks(spark)

    # This thread never waits for the JVM: Ctrl-C would end that in the middle of an answer.
    job = threading.Thread(target=run, name="lockstep-job", daemon=True)
    observer = threading.Thread(target=look, name="lockstep-tasks", daemon=True)
    job.start()
    observer.start()
    try:
        while observer.is_alive():
            observer.join(_LOOK_SECONDS)
            watch(tasks[0])
    except BaseException:
        with suppress(Exception):
            spark.interruptTag(tag)
        job.join(_END_SECONDS)
        raise
    if failures:
        raise LockstepError(
            f"Spark gave the search up: {_reason(failures[0])}",
            cure="the same command with --checkpoint goes on after the last finished level",
        ) from failures[0]
    return notes


def _tasks(spark: SparkSession) -> tuple[int, int]:
    """How many tasks of the stages at work are done, of how many."""
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    present = [stage for stage in stages if stage is not None]
    done = sum(stage.numCompletedTasks for stage in present)
    return done, sum(stage.numTasks for stage in present)


def _reason(error: Exception) -> str:
    """The last line of what Spark says, which is the error of the task itself."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if "Error" in line or "Exception" in line]
    return (named or lines or [type(error).__name__])[-1]
