"""The streaming query: each batch that has arrived is followed once, whatever ends a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.spark.fleet.batch import FollowBatch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CHECKPOINT = "_checkpoint"
_LOOK_SECONDS = 1


def follow_stream(
    spark: SparkSession, follow: FollowBatch, on_look: Callable[[], None], *, endless: bool = False
) -> None:
    """Follow all batches that are there; with `endless` also those that come, until Ctrl-C.

    Which batches are done is in the checkpoint beside the tables. `on_look` is called again and
    again meanwhile. `LockstepError` where a batch cannot be done.
    """
    from pyspark.errors import StreamingQueryException

    folder = follow.tables.folder / _CHECKPOINT
    writer = follow.source.stream(spark).writeStream.foreachBatch(follow)
    writer = writer.option("checkpointLocation", str(folder))
    writer = (
        writer.trigger(processingTime="0 seconds") if endless else writer.trigger(availableNow=True)
    )
    query = writer.start()
    try:
        while not query.awaitTermination(_LOOK_SECONDS):
            on_look()
    except StreamingQueryException as error:
        raise LockstepError(str(error)) from error
    finally:
        query.stop()
