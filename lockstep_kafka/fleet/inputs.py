"""The table of inputs as Spark reads it, and the counting of lines as tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow

from lockstep.spark.task_start import as_task
from lockstep_kafka.fleet.arrival import NO_BATCH, MeasureAll, ReadBefore
from lockstep_kafka.fleet.batch import tasks_of
from lockstep_kafka.fleet.columns import Batches, batches_of, fields, rows_of, spark_schema
from lockstep_kafka.fleet.log_ranges import CHUNK, Chunk, Measure
from lockstep_kafka.fleet.pieces import measure
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import BATCHES, INPUTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CHUNKS = pyarrow.schema(fields("place:long path:text begin:long end:long stored:long"))
_MEASURES = pyarrow.schema(
    fields("place:long lines:long end:long flaw:text brokers:texts tail:text")
)


def read_before(tables: Tables) -> ReadBefore:
    """The files that were read before, and what of them was not followed to the end."""
    from pyspark.sql import functions as sql

    if not tables.is_there(INPUTS):
        return ReadBefore.of((), ())
    inputs = tables.rows(INPUTS)
    names = ("path", "stored", "flaw", "disk_size", "written_ns", "layout", "tail")
    newest = sql.max_by(sql.struct(*names), sql.struct("order", "first_line")).alias("newest")
    last = inputs.groupBy("broker", "size", "digest").agg(
        sql.max("end").alias("end"),
        sql.max(sql.expr("first_line + lines - 1")).alias("lines"),
        sql.max("order").alias("order"),
        sql.max("batch").alias("batch"),
        newest,
    )
    rows = last.select("broker", "size", "digest", "end", "lines", "order", "batch", "newest.*")
    done = tables.rows(BATCHES).agg(sql.max("batch").alias("batch")).collect()[0]["batch"]
    is_pending = sql.col("batch") > (NO_BATCH if done is None else done)
    return ReadBefore.of(
        [row.asDict() for row in rows.collect()],
        [row.asDict() for row in inputs.where(is_pending).collect()],
    )


def measure_on(spark: SparkSession, observed: Observed) -> MeasureAll:
    """Counting of lines as tasks; what is little is counted here."""

    def measure_all(chunks: Sequence[Chunk]) -> Sequence[Measure]:
        if sum(chunk.stored for chunk in chunks) < CHUNK:
            return [measure(observed, chunk) for chunk in chunks]
        rows = [
            (place, chunk.path, chunk.begin, chunk.end, chunk.stored)
            for place, chunk in enumerate(chunks)
        ]
        content = pyarrow.Table.from_batches(batches_of(rows, _CHUNKS), _CHUNKS)
        tasks = min(len(chunks), 2 * tasks_of(spark))
        measures = (
            spark.createDataFrame(content)
            .repartition(tasks, "place")
            .mapInArrow(as_task(partial(_measures, observed)), spark_schema(_MEASURES))
        )
        found = {
            row["place"]: Measure(
                row["lines"], row["end"], row["flaw"], tuple(row["brokers"]), row["tail"]
            )
            for row in measures.collect()
        }
        return [found[place] for place in range(len(chunks))]

    return measure_all


def _measures(observed: Observed, chunks: Batches) -> Batches:
    """The measures of chunks, in a task."""

    def rows() -> Iterator[tuple[Any, ...]]:
        for place, *chunk in rows_of(chunks, _CHUNKS.names):
            counted = measure(observed, Chunk(*chunk))
            yield (
                place,
                counted.lines,
                counted.end,
                counted.flaw,
                list(counted.brokers),
                counted.tail,
            )

    return batches_of(rows(), _MEASURES)
