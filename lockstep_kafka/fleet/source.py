"""Where lines come from: files, as ranges of them arrive in the table of inputs, or a Kafka topic.

To a topic shippers write the lines of logs, a record a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lockstep.errors import LockstepError
from lockstep.spark.task_start import as_task
from lockstep_kafka.fleet.columns import (
    PIECES,
    RANGES,
    TEXT_RANGES,
    TEXTS,
    WANTED,
    spark_columns,
    spark_schema,
)
from lockstep_kafka.fleet.pieces import RangePieces, RecordPieces
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.texts import texts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Source(Protocol):
    """Where lines come from. With `in_columns` they are followed in columns."""

    @property
    def in_columns(self) -> bool:
        """Whether there are so many lines that it pays."""
        ...

    def pieces(self, rows: DataFrame, tasks: int) -> DataFrame:
        """The lines of a batch, put down to brokers (`PIECES`)."""
        ...

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """The text of the lines at some places (`WANTED`), as `TEXTS`.

        `rows` are those of the batch; what is not found there is left out.
        """
        ...


@dataclass(frozen=True)
class FileSource:
    """Ranges of log files; `is_sorted` says that each has lines of one broker."""

    observed: Observed
    in_columns: bool
    is_sorted: bool = False

    def pieces(self, rows: DataFrame, tasks: int) -> DataFrame:
        """Ranges with lines of several brokers are read to put their lines down to them."""
        from pyspark.sql import functions as sql

        sort_out = as_task(RangePieces(self.observed))
        given = {
            "broker": sql.col("brokers")[0],
            "line": sql.col("first_line"),
            "file": sql.col("path"),
        } | {name: sql.col(name) for name in RANGES.names if name != "broker"}
        has_one = sql.size("brokers") == 1
        says_something = (sql.col("begin") < sql.col("end")) | sql.col("flaw").isNotNull()
        of_one = rows.where(has_one & says_something).select(*spark_columns(PIECES, given))
        if self.is_sorted:
            return of_one
        of_several = rows.where(~has_one).repartition(tasks)
        return of_one.unionByName(of_several.mapInArrow(sort_out, spark_schema(PIECES)))

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """Each range is read as far as its lines are wanted."""
        from pyspark.sql import functions as sql

        first = rows["first_line"]
        is_in = (rows["path"] == places["file"]) & places["line"].between(
            first, first + rows["lines"] - 1
        )
        columns = [rows[name] for name in TEXT_RANGES.names if name != "wanted"]
        joined = rows.join(places, is_in).groupBy(*columns)
        each = sql.struct(*(places[name] for name in WANTED.names))
        wanted = joined.agg(sql.collect_list(each).alias("wanted"))
        return wanted.select(*TEXT_RANGES.names).mapInArrow(as_task(texts), spark_schema(TEXTS))


_URL = re.compile(r"kafka://(?P<servers>[^/]+:\d+)/(?P<topic>[\w.-]+)")

BATCH_RECORDS = 10_000_000
"""The lines that are followed in one batch."""


@dataclass(frozen=True)
class Topic:
    """A topic, and servers of its cluster to begin with: `HOST:PORT`, several with commas."""

    servers: str
    name: str

    @classmethod
    def of(cls, url: str) -> Topic:
        """The topic of `kafka://HOST:PORT/TOPIC`; `LockstepError` where that is no such URL."""
        match = _URL.fullmatch(url)
        if match is None:
            raise LockstepError(
                f"{url} names no topic", cure="write kafka://HOST:PORT/TOPIC, as Kafka names them"
            )
        return cls(match["servers"], match["topic"])


@dataclass(frozen=True)
class TopicSource:
    """The records of a topic.

    The file of a line is `TOPIC/PARTITION`, or `TOPIC/PARTITION/KEY` where records have keys, and
    its number is the record's offset. All lines of a broker are in one partition, in their order.
    """

    topic: Topic
    observed: Observed
    in_columns: bool

    def pieces(self, rows: DataFrame, tasks: int) -> DataFrame:
        """The records are put down to brokers where they are read."""
        sort_out = as_task(RecordPieces(self.observed))
        return rows.mapInArrow(sort_out, spark_schema(PIECES))

    def stream(self, spark: SparkSession) -> DataFrame:
        """All records that the topic still has, and those that come."""
        reader = spark.readStream.format("kafka").option("subscribe", self.topic.name)
        reader = reader.option("kafka.bootstrap.servers", self.topic.servers)
        reader = reader.option("startingOffsets", "earliest")
        reader = reader.option("maxOffsetsPerTrigger", BATCH_RECORDS)
        return reader.load().selectExpr(
            "concat_ws('/', topic, partition, CAST(key AS STRING)) AS file",
            "CAST(partition AS LONG) AS order",
            "offset AS line",
            "value AS content",
        )

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """The records are read again."""
        text = "CAST(content AS STRING) AS text"
        lines = rows.selectExpr("file", "line", "CAST(NULL AS LONG) AS offset", text)
        return lines.join(places, ["file", "line"]).select(*TEXTS.names)
