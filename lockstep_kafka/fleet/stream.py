"""The streaming query: each batch that has arrived is followed once, whatever ends a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lockstep_kafka.fleet.batch import FollowBatch
from lockstep_kafka.fleet.course import Course

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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
