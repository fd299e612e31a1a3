"""One batch: its lines are followed, and each table is changed by one commit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lockstep.spark.task_start import forget_archives
from lockstep_kafka.fleet.columns import FOLLOWED, REQUESTS, Batches, spark_schema
from lockstep_kafka.fleet.following import STATE_ORDER, Follow
from lockstep_kafka.fleet.reading import Observed, ReadRequests
from lockstep_kafka.fleet.source import Source
from lockstep_kafka.fleet.tables import DEPARTURES, FOLLOWED_TABLES, STATES, Table, Tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TASKS_A_CORE = 3
"""Brokers are spread over tasks by chance: with several tasks a core the cores are all at work."""


@dataclass(frozen=True)
class FollowBatch:
    """Follows the rows of a batch, and writes what comes of them."""

    tables: Tables
    observed: Observed
    source: Source

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Do a batch; one that is done again leaves the same."""
        followed = self._followed(rows, batch).persist()
        try:
            ends = followed.where("state.part = 0").select("broker").collect()
            brokers = [end.broker for end in ends]

            def write(table: Table) -> None:
                content = self._rows_of(table, followed, rows, batch)
                self.tables.replace(table, content, batch, brokers)

            with ThreadPoolExecutor(len(FOLLOWED_TABLES)) as writers:
                list(writers.map(write, FOLLOWED_TABLES))
        finally:
            followed.unpersist()

    def tasks(self, spark: SparkSession) -> int:
        """How many tasks a batch has, but for those that write: to read, and to follow."""
        return 2 * _tasks(spark)

    def _followed(self, rows: DataFrame, batch: int) -> DataFrame:
        from pyspark.sql import functions as sql

        tasks = _tasks(rows.sparkSession)
        to_lines, read = self.source.to_lines, ReadRequests(self.observed)

        def to_requests(batches: Batches) -> Batches:
            forget_archives()
            return read(to_lines(batches))

        # Spark looks at a function's own signature: an object that is called has none for it.
        def follow(batches: Batches) -> Batches:
            forget_archives()
            return follow_all(batches)

        follow_all = Follow(self.observed)
        requests = rows.repartition(tasks).mapInArrow(to_requests, spark_schema(REQUESTS))
        key = sql.coalesce("broker", "quarantined.file")
        by_broker = requests.unionByName(self._states(batch)).repartition(tasks, key)
        in_order = by_broker.sortWithinPartitions("broker", "order", "line")
        return in_order.mapInArrow(follow, spark_schema(FOLLOWED))

    def _states(self, batch: int) -> DataFrame:
        """The state of each broker before this batch, as rows among the requests."""
        from pyspark.sql import Window
        from pyspark.sql import functions as sql

        before = self.tables.rows(STATES).where(sql.col("batch") < batch)
        newest = sql.max("batch").over(Window.partitionBy("broker"))
        last = before.withColumn("newest", newest).where("batch = newest")
        quarantined = spark_schema(REQUESTS)["quarantined"].dataType
        return last.select(
            "broker",
            sql.lit(STATE_ORDER).cast("long").alias("order"),
            sql.col("part").cast("long").alias("line"),
            sql.col("bytes").alias("request"),
            sql.lit(None).cast(quarantined).alias("quarantined"),
        )

    def _rows_of(self, table: Table, followed: DataFrame, rows: DataFrame, batch: int) -> DataFrame:
        """The rows of a table among what came of a batch."""
        from pyspark.sql import functions as sql

        content = followed.where(f"{table.kind} IS NOT NULL").select(
            "broker", "is_open", f"{table.kind}.*"
        )
        if table is DEPARTURES:
            content = self._with_texts(content, rows)
        content = content.withColumn("batch", sql.lit(batch).cast("long"))
        return content.select(*table.columns.names)

    def _with_texts(self, departures: DataFrame, rows: DataFrame) -> DataFrame:
        """Departures with the text of their lines."""
        from pyspark.sql import functions as sql

        if departures.isEmpty():
            nothing = sql.lit(None)
            return departures.withColumn("offset", nothing.cast("long")).withColumn(
                "text", nothing.cast("string")
            )
        texts = self.source.texts(departures.select("file", "line"), rows)
        return departures.join(texts, ["file", "line"], "left")


def _tasks(spark: SparkSession) -> int:
    return _TASKS_A_CORE * spark.sparkContext.defaultParallelism
