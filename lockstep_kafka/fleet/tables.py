"""The tables of a fleet: Delta tables in one folder, each changed by one commit a batch.

A batch's rows have its number. They replace the rows of that number, and the open rows of the
brokers that it has lines of: so a batch that is done twice leaves the same as one done once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
from pyarrow import bool_, field, int64, string

from lockstep_kafka.fleet.columns import (
    DEPARTURE,
    METRIC,
    QUARANTINED,
    RANGES,
    SESSION,
    STATE,
    spark_schema,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BROKER = field("broker", string())
IS_OPEN = field("is_open", bool_())
BATCH = field("batch", int64())


@dataclass(frozen=True)
class Table:
    """A table: `name` is its folder, `columns` are those of a row, `kind` that of `FOLLOWED`."""

    name: str
    columns: pyarrow.Schema
    kind: str | None = None

    @property
    def has_open_rows(self) -> bool:
        """Whether some rows say what is so only until the next lines of a broker."""
        return IS_OPEN in list(self.columns)


def _of(struct: pyarrow.StructType) -> list[pyarrow.Field]:
    return [struct.field(place) for place in range(struct.num_fields)]


# First, for Delta keeps the least and the greatest value of a table's first 32 columns only, and
# by those of `batch` a batch that replaces rows leaves alone the files of all others.
_FIRST = (BROKER, BATCH, IS_OPEN)

SESSIONS = Table("sessions", pyarrow.schema([*_FIRST, *_of(SESSION)]), "session")
DEPARTURES = Table(
    "departures",
    pyarrow.schema([*_FIRST, *_of(DEPARTURE), field("offset", int64()), field("text", string())]),
    "departure",
)
QUARANTINE = Table("quarantine", pyarrow.schema([*_FIRST, *_of(QUARANTINED)]), "quarantined")
METRICS = Table("metrics", pyarrow.schema([*_FIRST, *_of(METRIC)]), "metric")
STATES = Table("state", pyarrow.schema([BROKER, BATCH, *_of(STATE)]), "state")
INPUTS = Table("inputs", RANGES)

FOLLOWED_TABLES = (SESSIONS, DEPARTURES, QUARANTINE, METRICS, STATES)
"""The tables that a batch writes; the state is the last one."""


class Tables:
    """The tables in a folder, as a session sees them."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self.folder = folder

    def path(self, table: Table) -> str:
        """Where a table is."""
        return str(self.folder / table.name)

    def is_there(self, table: Table) -> bool:
        """Whether a table was written to."""
        return any(self.folder.joinpath(table.name, "_delta_log").glob("*.json"))

    def rows(self, table: Table) -> DataFrame:
        """All rows of a table; none where nothing was written."""
        if not self.is_there(table):
            return self._spark.createDataFrame([], spark_schema(table.columns))
        return self._spark.read.format("delta").load(self.path(table))

    def append(self, table: Table, rows: DataFrame, version: int) -> None:
        """Append rows as one file, once for a version: a lower or equal one was written before."""
        writer = rows.coalesce(1).write.format("delta").mode("append")
        writer.option("txnAppId", "lockstep").option("txnVersion", version).save(self.path(table))

    def replace(self, table: Table, rows: DataFrame, batch: int, brokers: Iterable[str]) -> None:
        """Write the rows of a batch, in place of what is no longer so."""
        writer = rows.write.format("delta")
        if not self.is_there(table):
            if table.has_open_rows:
                writer = writer.partitionBy(IS_OPEN.name)
            writer.save(self.path(table))
            return
        replaced = f"batch = {batch}"
        names = ", ".join(map(_quoted, brokers))
        if table.has_open_rows and names:
            replaced += f" OR (is_open AND broker IN ({names}))"
        writer.mode("overwrite").option("replaceWhere", replaced).save(self.path(table))

    def drop_old_states(self) -> None:
        """Keep the last two states of each broker: a batch that is done again needs the earlier."""
        from pyspark.sql import Window
        from pyspark.sql import functions as sql

        if not self.is_there(STATES):
            return
        newest_first = Window.partitionBy("broker").orderBy(sql.desc("batch"))
        states = self.rows(STATES).where("part = 0").select("broker", "batch")
        ranked = states.withColumn("place", sql.row_number().over(newest_first))
        old = ranked.where("place > 2").groupBy("batch").agg(sql.collect_list("broker")).collect()
        if old:
            batches = (
                f"(batch = {batch} AND broker IN ({', '.join(map(_quoted, brokers))}))"
                for batch, brokers in old
            )
            self._spark.sql(f"DELETE FROM delta.`{self.path(STATES)}` WHERE {' OR '.join(batches)}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
