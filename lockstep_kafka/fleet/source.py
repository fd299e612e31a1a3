"""Where lines come from: files, as ranges of them arrive in the table of inputs, or a Kafka topic.

To a topic shippers write the lines of logs, a record a line.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.spark.task_start import as_task
from lockstep_kafka.fleet.broker_logs import Piece
from lockstep_kafka.fleet.columns import (
    FOLLOWED,
    PIECES,
    TEXT_RANGES,
    TEXTS,
    WANTED,
    dicts_of,
    spark_schema,
)
from lockstep_kafka.fleet.following import FollowRecords
from lockstep_kafka.fleet.pieces import RangePieces
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.texts import texts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class FileSource:
    """Ranges of log files; `is_sorted` says that each has lines of one broker.

    `in_columns` says whether there are so many lines that following them in columns pays.
    """

    observed: Observed
    in_columns: bool
    is_sorted: bool = False

    def pieces(self, rows: DataFrame, tasks: int) -> DataFrame:
        """The lines of a batch, put down to brokers (`PIECES`).

        Ranges with lines of several brokers are read for that.
        """
        sort_out = as_task(RangePieces(self.observed))
        spread = rows if self.is_sorted else rows.repartition(tasks)
        return spread.mapInArrow(sort_out, spark_schema(PIECES))

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """The text of the lines at some places (`WANTED`), as `TEXTS`; `rows` are the batch.

        Each range is read as far as its lines are wanted. What is not found there is left out.
        """
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

    def stream(self, spark: SparkSession) -> DataFrame:
        """All records that the topic still has, and those that come, as rows (`RECORD`)."""
        reader = spark.readStream.format("kafka").options(**self._servers)
        reader = reader.option("subscribe", self.topic.name)
        reader = reader.option("startingOffsets", "earliest")
        reader = reader.option("maxOffsetsPerTrigger", BATCH_RECORDS)
        return _as_records(reader.load())

    @property
    def _servers(self) -> dict[str, str]:
        return {"kafka.bootstrap.servers": self.topic.servers}

    def followed(self, rows: DataFrame, states: DataFrame | None) -> DataFrame:
        """What comes of the records of a batch (`FOLLOWED`): a partition is followed as it is read.

        `states` are those of all brokers, as pieces.
        """
        parts: tuple[Piece, ...] = ()
        if states is not None:
            names = ("broker", "line", "content")
            table = states.select(*names).orderBy("broker", "line").toArrow()
            parts = tuple(dicts_of(table.to_batches(), names))
        follow = as_task(FollowRecords(self.observed, self.in_columns, parts))
        return rows.mapInArrow(follow, spark_schema(FOLLOWED))

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """The text of the records at some places (`WANTED`), as `TEXTS`, read from the topic again.

        A partition is read from the first of them to the last. Those that have gone are left out.
        """
        from pyspark.sql import functions as sql

        bounds = places.groupBy(sql.split("file", "/")[1].cast("int").alias("partition")).agg(
            sql.min("line").alias("first"), (sql.max("line") + 1).alias("end")
        )
        of_partitions = bounds.collect()
        reader = rows.sparkSession.read.format("kafka").options(**self._servers)
        reader = reader.option("failOnDataLoss", False)
        partitions = [row["partition"] for row in of_partitions]
        reader = reader.option("assign", json.dumps({self.topic.name: partitions}))
        for option, column in (("startingOffsets", "first"), ("endingOffsets", "end")):
            offsets = {row["partition"]: row[column] for row in of_partitions}
            reader = reader.option(option, json.dumps({self.topic.name: offsets}))
        records = _as_records(reader.load())
        # The other records are not shuffled to look for these.
        wanted = sql.broadcast(places.select("file", "line").distinct())
        found = records.join(wanted, ["file", "line"], "left_semi").selectExpr(
            "file", "line", "CAST(NULL AS LONG) AS offset", "CAST(content AS STRING) AS text"
        )
        return found.join(places, ["file", "line"]).select(*TEXTS.names)


def _as_records(rows: DataFrame) -> DataFrame:
    """The rows of Spark's own source as `RECORD`."""
    return rows.selectExpr(
        "concat_ws('/', topic, partition, CAST(key AS STRING)) AS file",
        "CAST(partition AS LONG) AS order",
        "offset AS line",
        "value AS content",
    )
