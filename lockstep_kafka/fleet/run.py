"""One run: what is new is followed once, batch by batch, whatever ended an earlier run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lockstep.words import plural
from lockstep_kafka.fleet.arrival import Arrived, arrived, measure_on, put_into, read_before
from lockstep_kafka.fleet.batch import FollowBatch
from lockstep_kafka.fleet.log_files import LogFile
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.source import FileSource, Topic, TopicSource
from lockstep_kafka.fleet.tables import INPUTS, Tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_ESTIMATE_AFTER = 5.0
"""Seconds until the tasks that are done say something about the time that is left."""


@dataclass
class Course:
    """Counts the tasks of each batch, as Spark tells of those that run.

    `lines` are all that the run has to follow; 0 where nobody knows. A batch has so many `tasks`,
    for what its lines take; writing takes more, which are not counted.
    """

    spark: SparkSession
    on_step: Callable[[str], None]
    tasks: int
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
        """Say how far it is now."""
        if self._batch is None:
            return
        tracker = self.spark.sparkContext.statusTracker()
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                self._stages[stage] = info.numCompletedTasks
        tasks = min(sum(self._stages.values()), self.tasks)
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
_LOOK_SECONDS = 1
_BATCHES_OF_STATES = 100
"""How many batches of one run go by until old states are dropped."""


def follow_stream(
    spark: SparkSession,
    follow: FollowBatch,
    course: Course,
    *,
    forever: Callable[[], None] | None = None,
) -> None:
    """Follow all batches that are there.

    With `forever` follow also those that come, until Ctrl-C, and call it after each.
    Which batches are done is in the checkpoint beside the tables.
    """
    follow.tables.drop_old_states()

    def follow_batch(rows: DataFrame, batch: int) -> None:
        if batch % _BATCHES_OF_STATES == _BATCHES_OF_STATES - 1:
            follow.tables.drop_old_states()
        course.begin(batch, follow.source.lines(rows))
        follow(rows, batch)
        if forever is not None:
            forever()

    writer = follow.source.stream(spark).writeStream.foreachBatch(follow_batch)
    writer = writer.option("checkpointLocation", str(follow.tables.folder / _CHECKPOINT))
    trigger = {"availableNow": True} if forever is None else {"processingTime": "0 seconds"}
    query = writer.trigger(**trigger).start()
    while not query.awaitTermination(_LOOK_SECONDS):
        course.look()


def follow_files(
    spark: SparkSession,
    tables: Tables,
    observed: Observed,
    files: Sequence[LogFile],
    on_step: Callable[[str], None] = lambda _: None,
) -> Arrived:
    """Bring the tables up to what some files hold now; what was new of them."""
    readable = [file for file in files if file.unreadable is None]
    on_step(f"{len(readable):,} files: which lines are new")
    before = read_before(tables)
    new = arrived(
        readable,
        lambda path: observed.paths.broker(path) or "",
        before.files,
        measure_on(spark),
    )
    put_into(tables, spark, new.ranges, before.next_order)
    if tables.is_there(INPUTS):
        # A batch that an earlier run has begun is done first, even where nothing is new.
        follow = FollowBatch(tables, observed, FileSource(tables))
        follow_stream(spark, follow, Course(spark, on_step, follow.tasks(spark), new.lines))
    return new


def follow_topic(
    spark: SparkSession,
    tables: Tables,
    observed: Observed,
    topic: Topic,
    on_step: Callable[[str], None] = lambda _: None,
    *,
    forever: Callable[[], None] | None = None,
) -> None:
    """Bring the tables up to what a topic holds now.

    With `forever` go on until Ctrl-C, and call it after each batch.
    """
    on_step(f"topic {topic.name}")
    follow = FollowBatch(tables, observed, TopicSource(topic, tables))
    course = Course(spark, on_step, follow.tasks(spark))
    follow_stream(spark, follow, course, forever=forever)
