"""The tables as a session of Spark sees them, by the folder or the schema that they are in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep_kafka.fleet.columns import spark_columns
from lockstep_kafka.fleet.tables import IS_OPEN, Table, replaced_by

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

_SCHEMA = re.compile(r"\w+(\.\w+)?")
_ROWS_OF_A_FILE = 200_000


def folder_of(target: str | Path) -> Path | None:
    """The folder of this machine that a target is; None for a remote one, and for a schema."""
    if isinstance(target, str) and ("/" not in target or "://" in target):
        return None
    return Path(target).absolute()


class Tables:
    """The tables of a target: a folder, also of a remote store, or a schema of the catalog."""

    def __init__(self, spark: SparkSession, target: str | Path) -> None:
        """A `Path`, or a name with a slash, is a folder; `SCHEMA` and `CATALOG.SCHEMA` are not.

        `LockstepError` for a name that is neither.
        """
        folder = folder_of(target)
        self.target = str(target if folder is None else folder)
        self._spark = spark
        self._is_schema = folder is None and "/" not in self.target
        if self._is_schema and not _SCHEMA.fullmatch(self.target):
            raise LockstepError(
                f"{target} names no schema of the catalog",
                cure="write SCHEMA or CATALOG.SCHEMA, or a folder as a Path",
            )
        self._there: set[str] = set()

    def path(self, table: Table) -> str:
        """Where a table is, or its name in the catalog."""
        return f"{self.target}{'.' if self._is_schema else '/'}{table.name}"

    def _named(self, table: Table) -> str:
        return self.path(table) if self._is_schema else f"delta.`{self.path(table)}`"

    def is_there(self, table: Table) -> bool:
        """Whether a table was written to."""
        if table.name not in self._there and self._exists(table):
            self._there.add(table.name)
        return table.name in self._there

    def _exists(self, table: Table) -> bool:
        from pyspark.errors import AnalysisException

        if self._is_schema:
            return self._spark.catalog.tableExists(self.path(table))
        if "://" not in self.target:
            return any(Path(self.path(table), "_delta_log").glob("*.json"))
        try:
            return bool(self._spark.read.format("delta").load(self.path(table)).columns)
        except AnalysisException:
            return False

    def rows(self, table: Table) -> DataFrame:
        """All rows of a table; none where nothing was written.

        What an older version did not write is null.
        """
        if not self.is_there(table):
            nothing = self._spark.range(1).select(*spark_columns(table.columns, {}))
            return nothing.limit(0)  # of which Spark makes no job
        if self._is_schema:
            rows = self._spark.read.table(self.path(table))
        else:
            rows = self._spark.read.format("delta").load(self.path(table))
        missing = [name for name in table.columns.names if name not in rows.columns]
        return rows.selectExpr("*", *(f"CAST(NULL AS STRING) AS {name}" for name in missing))

    def append(self, table: Table, rows: DataFrame) -> None:
        """Append rows as one file."""
        self._write(
            table, rows.coalesce(1).write.format("delta").mode("append").option("mergeSchema", True)
        )

    def _write(self, table: Table, writer: DataFrameWriter) -> None:
        if not self.is_there(table):
            writer = writer.options(**table.properties)
        if self._is_schema:
            writer.saveAsTable(self.path(table))
        else:
            writer.save(self.path(table))

    def replace(
        self, table: Table, rows: DataFrame, batch: int, brokers: Iterable[str], count: int = 0
    ) -> None:
        """Write the rows of a batch, some `count` of them, in place of what is no longer so."""
        writer = rows.coalesce(1 + count // _ROWS_OF_A_FILE).write.format("delta")
        if self.is_there(table):
            replaced = replaced_by(table, batch, brokers, self.quoted)
            writer = writer.mode("overwrite").option("replaceWhere", replaced)
        elif table.has_open_rows:
            writer = writer.partitionBy(IS_OPEN.name)
        self._write(table, writer)

    @staticmethod
    def quoted(text: str) -> str:
        """A text in the SQL of Spark, where a backslash escapes."""
        escaped = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"

    def delete(self, table: Table, where: str) -> None:
        """Delete the rows of a table that a condition of SQL holds of."""
        self._spark.sql(f"DELETE FROM {self._named(table)} WHERE {where}")

    def tidy(self, table: Table) -> None:
        """Put small files together, and delete those that nothing can read any more."""
        self._spark.sql(f"OPTIMIZE {self._named(table)}")
        self._spark.sql(f"VACUUM {self._named(table)}")
