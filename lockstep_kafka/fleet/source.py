"""Where lines come from: files, as ranges of them arrive in the table of inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from lockstep_kafka.fleet.columns import TEXTS, WANTED
from lockstep_kafka.fleet.reading import lines, texts
from lockstep_kafka.fleet.rows import Batches, spark_schema
from lockstep_kafka.fleet.tables import INPUTS, Tables

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
