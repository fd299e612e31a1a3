"""Where lines come from: files, as ranges of them arrive in the table of inputs, or a Kafka topic.

To a topic shippers write the lines of logs, a record a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lockstep.errors import LockstepError
from lockstep_kafka.fleet.columns import (
    LINES,
    TEXTS,
    WANTED,
    Batches,
    batches_of,
    rows_of,
    spark_schema,
)
from lockstep_kafka.fleet.reading import lines, texts
from lockstep_kafka.fleet.tables import DEPARTURES, INPUTS, Tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Source(Protocol):
    """Where lines come from."""

    @property
    def to_lines(self) -> Callable[[Batches], Batches]:
        """What tasks do with the rows of the stream: the lines of them (`LINES`)."""
        ...

    def stream(self, spark: SparkSession) -> DataFrame:
        """The rows as they arrive, those of a batch in one unit that is followed together."""
        ...

    def lines(self, rows: DataFrame) -> int:
        """How many lines a batch has."""
        ...

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """The text of the lines at some places (`file`, `line`), as `TEXTS`.

        `rows` are those of the batch; what is not found is left out.
        """
        ...


class FileSource:
    """Ranges of log files."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    to_lines = staticmethod(lines)

    def stream(self, spark: SparkSession) -> DataFrame:
        # A commit of the table is one file, which is one batch.
        reader = spark.readStream.format("delta").option("maxFilesPerTrigger", 1)
        return reader.load(self._tables.path(INPUTS))

    def lines(self, rows: DataFrame) -> int:
        row = rows.agg({"lines": "sum"}).first()
        return 0 if row is None else row[0] or 0

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """Of whatever batch a line is, its range is in the table of inputs."""
        from pyspark.sql import functions as sql

        ranges = self._tables.rows(INPUTS)
        first = ranges["first_line"]
        is_in = (ranges["path"] == places["file"]) & places["line"].between(
            first, first + ranges["lines"] - 1
        )
        columns = [ranges[name] for name in ranges.columns]
        joined = ranges.join(places.distinct(), is_in).groupBy(*columns)
        wanted = joined.agg(sql.collect_list(places["line"]).alias("wanted"))
        return wanted.select(*WANTED.names).mapInArrow(texts, spark_schema(TEXTS))


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


class TopicSource:
    """The records of a topic.

    The file of a line is `TOPIC/PARTITION`, or `TOPIC/PARTITION/KEY` where records have keys, and
    its number is the record's offset. All lines of a broker are in one partition, in their order.
    """

    def __init__(self, topic: Topic, tables: Tables) -> None:
        self._topic = topic
        self._tables = tables

    @staticmethod
    def to_lines(records: Batches) -> Batches:
        """What tasks do with the records: `LINES`."""
        return batches_of(_lines(records), LINES, "content")

    def stream(self, spark: SparkSession) -> DataFrame:
        """All records that the topic still has, and those that come."""
        reader = spark.readStream.format("kafka").option("subscribe", self._topic.name)
        reader = reader.option("kafka.bootstrap.servers", self._topic.servers)
        reader = reader.option("startingOffsets", "earliest")
        reader = reader.option("maxOffsetsPerTrigger", BATCH_RECORDS)
        return reader.load().selectExpr(
            "concat_ws('/', topic, partition, CAST(key AS STRING)) AS file",
            "CAST(partition AS LONG) AS order",
            "offset AS line",
            "value AS content",
        )

    def lines(self, rows: DataFrame) -> int:
        """Not known: counting would read the records twice."""
        return 0

    def texts(self, places: DataFrame, rows: DataFrame) -> DataFrame:
        """Of the lines of the batch, and of those that an earlier batch said to depart."""
        text = "CAST(content AS STRING) AS text"
        now = rows.selectExpr("file", "line", "CAST(NULL AS LONG) AS offset", text)
        before = self._tables.rows(DEPARTURES).select(*TEXTS.names)
        known = now.unionByName(before.where("text IS NOT NULL"))
        return known.join(places, ["file", "line"], "left_semi").dropDuplicates(["file", "line"])


def _lines(records: Batches) -> Iterator[tuple[object, ...]]:
    for file, order, line, content in rows_of(records, ("file", "order", "line", "content")):
        yield file, order, line, None, (content or b"").removesuffix(b"\n"), True, None
