"""One run: what is new is followed once, batch by batch, whatever ended an earlier run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from lockstep.words import plural
from lockstep_kafka.columns.compiled import is_compiled, pays
from lockstep_kafka.fleet.arrival import Newcomers, Row, newcomers
from lockstep_kafka.fleet.batch import FollowBatch, OnAlerts, cores, tasks_of
from lockstep_kafka.fleet.columns import RANGES, table_of
from lockstep_kafka.fleet.inputs import measure_on, read_before
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.shares import shares_of
from lockstep_kafka.fleet.source import FileSource, Topic, TopicSource
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import (
    BATCHES,
    INPUTS,
    KEPT_STATES,
    STATES,
    drop_old_states,
    newest_to_delete,
    refuse_lost,
    retain,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_ESTIMATE_AFTER = 5.0
"""Seconds until the tasks that are done say something about the time that is left."""


@dataclass
class Course:
    """Counts the tasks of each batch, as Spark reports those that run.

    `lines` are all that the run has to follow, and a batch has so many `tasks` for what its lines
    take; 0 where nobody knows, as of a topic: there those that write count, too.
    """

    spark: SparkSession
    on_step: Callable[[str], None]
    tasks: int = 0
    lines: int = 0
    _batch: int | None = None
    _done: int = 0
    _of_batch: int = 0
    _stages: dict[int, int] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def begin(self, batch: int, lines: int) -> None:
        """A batch of so many lines begins."""
        self._done += self._of_batch
        self._batch, self._of_batch = batch, lines
        self._stages.clear()

    def look(self) -> None:
        """Say how far it is now, where Spark says that."""
        context = getattr(self.spark, "sparkContext", None)  # Spark Connect has none
        if self._batch is None or context is None:
            return
        tracker = context.statusTracker()
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                self._stages[stage] = info.numCompletedTasks
        tasks = sum(self._stages.values())
        if not self.tasks:
            self.on_step(f"batch {self._batch}, {plural(tasks, 'task')} done")
            return
        tasks = min(tasks, self.tasks)
        lines = self._done + self._of_batch * tasks / self.tasks
        parts = [f"batch {self._batch}", f"{tasks:,} of {plural(self.tasks, 'task')}"]
        if self.lines:
            parts.append(f"about {int(lines):,} of {plural(self.lines, 'line')}")
            seconds = time.monotonic() - self._began
            if 0 < lines < self.lines and seconds >= _ESTIMATE_AFTER:
                left = seconds * (self.lines - lines) / lines
                parts.append(f"about {left:,.0f} s left")
        self.on_step(", ".join(parts))


_CHECKPOINT = "_checkpoint"
_LOOK_SECONDS = 1.0
_STOP_SECONDS = 30.0
"""How long work is waited for that is to stop."""
_BATCHES_BETWEEN_TIDYING = 100
"""How many batches of one run go by until old states are dropped."""


def in_thread(
    work: Callable[[], object],
    meanwhile: Callable[[], object],
    *,
    every: float,
    stop: Callable[[], object],
) -> None:
    """Do work in another thread, and raise what it raises.

    `meanwhile` is called every so many seconds: this thread can be interrupted. Where
    KeyboardInterrupt or an error of `meanwhile` ends the waiting, `stop` is called, from another
    thread, until the work has ended, or for half a minute.
    """
    future: Future[object] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    def end() -> None:
        ends = time.monotonic() + _STOP_SECONDS
        while not future.done() and time.monotonic() < ends:
            with suppress(Exception):  # what runs it may have ended already
                stop()
            wait([future], every)

    threading.Thread(target=run, name="lockstep-work", daemon=True).start()
    try:
        while True:
            try:
                future.result(every)
                return
            except NotYet:
                if future.done():
                    raise  # the work's own
                meanwhile()
    except BaseException:
        ending = threading.Thread(target=end, name="lockstep-stop", daemon=True)
        ending.start()
        ending.join()
        raise


@dataclass(frozen=True)
class Run:
    """One run into some tables.

    `on_step` takes how far it is, `on_alerts` new alerts. Of batches that were written more than
    `retain_days` ago nothing is kept.
    """

    spark: SparkSession
    tables: Tables
    observed: Observed
    on_step: Callable[[str], None] = lambda _: None
    on_alerts: OnAlerts | None = None
    retain_days: int | None = None

    def follow_files(self, paths: Sequence[str]) -> Newcomers:
        """Bring the tables up to what some files hold now."""
        self._refuse_lost(of_files=True)
        self.on_step(f"{len(paths):,} files: which lines are new")
        before = read_before(self.tables)
        measure_all = measure_on(self.spark, self.observed)
        found = newcomers(paths, before, self.observed, measure_all)
        if found.rows:
            self.tables.append(INPUTS, self.spark.createDataFrame(table_of(found.rows, RANGES)))
        self._follow_all(found.of_batches)
        has_old_states = bool(found.of_batches) and found.of_batches[-1][0]["batch"] >= KEPT_STATES
        if has_old_states or self.retain_days is not None:
            self._tidy(paths)
        return found

    def _refuse_lost(self, *, of_files: bool) -> None:
        tables = self.tables
        has_later = (
            not tables.is_there(BATCHES)
            and tables.is_there(STATES)
            and not tables.rows(STATES).where("batch > 0").isEmpty()
        )
        refuse_lost(tables, has_later_batches=has_later, of_files=of_files)

    def _follow_all(self, of_batches: Sequence[list[Row]]) -> None:
        lines = sum(row["lines"] for rows in of_batches for row in rows)
        course = Course(self.spark, self.on_step, 2 * tasks_of(self.spark), lines)
        for rows in of_batches:
            size = sum(row["end"] - row["begin"] for row in rows)
            is_sorted = all(len(row["brokers"]) == 1 for row in rows)
            source = FileSource(self.observed, pays(size), is_sorted)
            shares = shares_of(rows, cores(self.spark)) if source.in_columns else {}
            follow = FollowBatch(self.tables, self.observed, source, self.on_alerts, shares)
            of_batch = self.spark.createDataFrame(table_of(rows, RANGES))
            batch = rows[0]["batch"]
            course.begin(batch, sum(row["lines"] for row in rows))
            work = partial(follow, of_batch, batch)
            # In a notebook Spark goes on, and so would the batch.
            stop = self.spark.interruptAll
            in_thread(work, course.look, every=_LOOK_SECONDS, stop=stop)

    def _tidy(self, paths: Iterable[str] = ()) -> None:
        states = self.tables.rows(STATES).where("part = 0").select("broker", "batch")
        drop_old_states(self.tables, states.collect())
        if self.retain_days is not None:
            rows = self.tables.rows(BATCHES).selectExpr("batch", "unix_millis(written) AS ms")
            written = {
                row.batch: datetime.fromtimestamp(row.ms / 1000, UTC) for row in rows.collect()
            }
            retain(self.tables, newest_to_delete(written, self.retain_days), paths)

    def follow_topic(self, topic: Topic, *, forever: Callable[[], None] | None = None) -> None:
        """Bring the tables up to what a topic holds now.

        With `forever` go on until Ctrl-C, and call it after each batch. Which batches are done is
        in the checkpoint beside the tables.
        """
        self._refuse_lost(of_files=False)
        self.on_step(f"topic {topic.name}")
        source = TopicSource(topic, self.observed, in_columns=is_compiled())
        follow = FollowBatch(self.tables, self.observed, source, self.on_alerts)
        course = Course(self.spark, self.on_step)
        self._tidy()

        def follow_batch(rows: DataFrame, batch: int) -> None:
            if batch % _BATCHES_BETWEEN_TIDYING == _BATCHES_BETWEEN_TIDYING - 1:
                self._tidy()
            course.begin(batch, 0)
            follow(rows, batch)
            if forever is not None:
                forever()

        writer = source.stream(self.spark).writeStream.foreachBatch(follow_batch)
        writer = writer.option("checkpointLocation", f"{self.tables.target}/{_CHECKPOINT}")
        trigger = {"availableNow": True} if forever is None else {"processingTime": "0 seconds"}
        query = writer.trigger(**trigger).start()
        while not query.awaitTermination(int(_LOOK_SECONDS)):
            course.look()
