"""One batch: its lines are followed, and each table is changed by one commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lockstep.spark.task_start import as_task
from lockstep_kafka.fleet.columns import (
    FOLLOWED,
    OF_LINE,
    PIECES,
    STATE_ORDER,
    TEXTS,
    WANTED,
    spark_columns,
    spark_schema,
)
from lockstep_kafka.fleet.following import Follow
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.source import FileSource, TopicSource
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import (
    ALERT_KEY,
    ALERTS,
    BATCHES,
    DEPARTURES,
    FOLLOWED_TABLES,
    STATES,
    Table,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_TASKS_A_CORE = 3
"""Brokers are spread over tasks by chance: with several tasks a core the cores are all at work."""

Alert = dict[str, Any]
OnAlerts = Callable[[Sequence[Alert]], None]
"""Takes the new alerts of a batch, as rows of the table `alerts`; again where it is done again."""


@dataclass(frozen=True)
class FollowBatch:
    """Follows the rows of a batch, and writes what comes of them."""

    tables: Tables
    observed: Observed
    source: FileSource | TopicSource
    on_alerts: OnAlerts | None = None
    shares: Mapping[str, int] = field(default_factory=dict)
    """The brokers that are split, and into how many shares."""

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Do a batch; one that is done again leaves the same."""
        followed = self._followed(rows, batch).persist()
        try:
            counts = _counts(followed)
            if any(row["followers"] > 1 for row in counts):  # in two partitions of a topic
                followed.unpersist()
                in_one_task = rows.coalesce(1).sortWithinPartitions("order", "line")
                followed = self._followed(in_one_task, batch).persist()
                counts = _counts(followed)
            brokers = [row["broker"] for row in counts if row["state"]]
            sums = {name: sum(row[name] for row in counts) for name in _KINDS}

            def write(table: Table) -> None:
                assert table.kind is not None
                count = sums[table.kind]
                content = self._rows_of(table, followed, rows, batch, count)
                self.tables.replace(table, content, batch, brokers, count)

            with ThreadPoolExecutor(len(FOLLOWED_TABLES)) as writers:
                list(writers.map(write, FOLLOWED_TABLES))
            self._write_alerts(followed, batch, sums["departure"])
            self._write_batch(rows.sparkSession, batch, len(brokers), sums["departure"])
        finally:
            followed.unpersist()

    def _followed(self, rows: DataFrame, batch: int) -> DataFrame:
        from pyspark.sql import functions as sql

        states = self._states(batch)
        if isinstance(self.source, TopicSource):
            return self.source.followed(rows, states)
        tasks = tasks_of(rows.sparkSession)
        follow = as_task(Follow(self.observed, self.source.in_columns))
        pieces = self.source.pieces(rows, tasks)
        key = sql.coalesce("broker", "quarantined.file")
        if states is not None:
            pieces = pieces.unionByName(states)
        if self.shares:
            by_broker = _split(pieces, self.shares, tasks, key)
        else:
            by_broker = pieces.repartition(tasks, key)
        in_order = by_broker.sortWithinPartitions("broker", "share", "order", "line")
        return in_order.mapInArrow(follow, spark_schema(FOLLOWED))

    def _states(self, batch: int) -> DataFrame | None:
        """The state of each broker before this batch, as rows among the pieces; None before any."""
        from pyspark.sql import Window
        from pyspark.sql import functions as sql

        if not self.tables.is_there(STATES):
            return None
        before = self.tables.rows(STATES).where(sql.col("batch") < batch)
        newest = sql.max("batch").over(Window.partitionBy("broker"))
        last = before.withColumn("newest", newest).where("batch = newest")
        given = {
            "broker": sql.col("broker"),
            "order": sql.lit(STATE_ORDER),
            "line": sql.col("part"),
            "content": sql.col("bytes"),
        }
        return last.select(*spark_columns(PIECES, given))

    def _rows_of(
        self, table: Table, followed: DataFrame, rows: DataFrame, batch: int, count: int
    ) -> DataFrame:
        """The rows of a table among what came of a batch."""
        from pyspark.sql import functions as sql

        content = followed.where(f"{table.kind} IS NOT NULL").select(
            "broker", "is_open", f"{table.kind}.*"
        )
        if table is DEPARTURES:
            content = self._with_texts(content, rows, batch, count)
        content = content.withColumn("batch", sql.lit(batch).cast("long"))
        return content.select(*table.columns.names)

    def _with_texts(
        self, departures: DataFrame, rows: DataFrame, batch: int, count: int
    ) -> DataFrame:
        """Departures with the text of their lines.

        A line that was held when an earlier batch ended was said to depart there, with its text.
        """
        from pyspark.sql import functions as sql

        if not count:
            nothing = sql.lit(None)
            return departures.withColumn("offset", nothing.cast("long")).withColumn(
                "text", nothing.cast("string")
            )
        partition = sql.coalesce(sql.col("arguments")["partition"], sql.lit(""))
        places = departures.withColumn("partition", partition).select(*WANTED.names).distinct()
        now = self.source.texts(places, rows)
        before = self.tables.rows(DEPARTURES).where("text IS NOT NULL")
        before = before.where(f"is_open OR batch = {batch}")
        found = now.unionByName(before.select(*TEXTS.names)).dropDuplicates(OF_LINE.names)
        found = found.withColumnsRenamed({name: f"found_{name}" for name in OF_LINE.names})
        same = [departures[name].eqNullSafe(found[f"found_{name}"]) for name in OF_LINE.names]
        return departures.join(found, same, "left")

    def _write_alerts(self, followed: DataFrame, batch: int, departures: int) -> None:
        """Write the first departures of their kind, and report those that are new."""
        from pyspark.sql import functions as sql

        spark_rows = self.tables.rows(ALERTS).where(sql.col("batch") < batch)
        if departures:
            key = list(ALERT_KEY)
            rest = [name for name in ALERTS.columns.names if name not in key]
            first = sql.min_by(sql.struct(*rest), sql.struct("time", "file", "line", "because"))
            of_batch = followed.where("departure IS NOT NULL").select(
                "broker", sql.lit(batch).cast("long").alias("batch"), "departure.*"
            )
            firsts = of_batch.groupBy(*key).agg(first.alias("first")).select(*key, "first.*")
            new = firsts.join(spark_rows, key, "left_anti").select(*ALERTS.columns.names)
        else:
            new = spark_rows.limit(0)
        new = new.persist()
        try:
            self.tables.replace(ALERTS, new, batch, ())
            if departures and self.on_alerts is not None:
                alerts = [row.asDict() for row in new.orderBy("time", "file", "line").collect()]
                if alerts:
                    self.on_alerts(alerts)
        finally:
            new.unpersist()

    def _write_batch(self, spark: SparkSession, batch: int, brokers: int, departures: int) -> None:
        from pyspark.sql import functions as sql

        row = spark.range(1).select(
            sql.lit(batch).cast("long").alias("batch"),
            sql.current_timestamp().alias("written"),
            sql.lit(brokers).cast("long").alias("brokers"),
            sql.lit(departures).cast("long").alias("departures"),
        )
        self.tables.replace(BATCHES, row, batch, ())


def _split(pieces: DataFrame, shares: Mapping[str, int], tasks: int, key: Column) -> DataFrame:
    """Pieces of brokers that are split, once for each share, which has a task to itself."""
    from pyspark.sql import functions as sql

    alone, first = sum(shares.values()), 0
    count, task = sql.lit(1), alone + sql.pmod(sql.hash(key), sql.lit(tasks - alone))
    for broker, of_broker in shares.items():
        is_broker = sql.col("broker") == broker
        count = sql.when(is_broker, of_broker).otherwise(count)
        task = sql.when(is_broker, first + sql.col("share")).otherwise(task)
        first += of_broker
    pieces = pieces.withColumn("shares", count)
    share = sql.explode(sql.sequence(sql.lit(0), sql.col("shares") - 1))
    pieces = pieces.withColumn("share", share).select(*PIECES.names)
    return pieces.repartitionById(tasks, task.cast("int"))


_KINDS = tuple(table.kind for table in FOLLOWED_TABLES if table.kind is not None)


def _counts(followed: DataFrame) -> list[dict[str, Any]]:
    """How many rows there are of each kind, by broker, and how many tasks have followed it."""
    from pyspark.sql import functions as sql

    of_kinds = (sql.count(kind).alias(kind) for kind in _KINDS)
    followers = sql.count_if(sql.col("state.part") == 0).alias("followers")
    return [row.asDict() for row in followed.groupBy("broker").agg(*of_kinds, followers).collect()]


def tasks_of(spark: SparkSession) -> int:
    """How many tasks sort lines out, and as many follow them."""
    return _TASKS_A_CORE * cores(spark)


def cores(spark: SparkSession) -> int:
    """How many tasks Spark runs at a time; with Spark Connect, which does not say, its default."""
    context = getattr(spark, "sparkContext", None)  # Spark Connect has none
    if context is not None:
        return int(context.defaultParallelism)
    return min(int(spark.conf.get("spark.sql.shuffle.partitions") or 1), 64)
