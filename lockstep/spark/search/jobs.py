"""Runs one job of Spark's while the driver looks on."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOOK_SECONDS = 0.05
_END_SECONDS = 20.0
"""How long to wait for a job that was told to end."""


def run_job(
    spark: SparkSession, rows: DataFrame, watch: Callable[[tuple[int, int]], None]
) -> list[str]:
    """The notes in a job's rows.

    `watch` is called with how many tasks are done, of how many. What it raises ends the job, and so
    does Ctrl-C. `LockstepError` where Spark gives the job up.
    """
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
