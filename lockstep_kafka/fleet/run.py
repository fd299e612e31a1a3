"""One run: what is new of some files is followed, whatever an earlier run has left undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lockstep_kafka.fleet.arrival import Arrived, arrived, measure_on, put_into, read_before
from lockstep_kafka.fleet.batch import FollowBatch
from lockstep_kafka.fleet.course import Course
from lockstep_kafka.fleet.log_files import LogFile
from lockstep_kafka.fleet.observed import Observed
from lockstep_kafka.fleet.source import FileSource
from lockstep_kafka.fleet.stream import follow_stream
from lockstep_kafka.fleet.tables import INPUTS, Tables
from lockstep_kafka.fleet.topic import Topic, TopicSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
