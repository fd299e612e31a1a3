"""The same tables without Spark: one process reads and writes them by delta-rs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from lockstep.errors import LockstepError
from lockstep_kafka.fleet.tables import IS_OPEN, Table, replaced_by

Row = dict[str, Any]


class LocalTables:
    """The tables in a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self.target = str(folder)

    def path(self, table: Table) -> str:
        """Where a table is."""
        return f"{self.target}/{table.name}"

    def is_there(self, table: Table) -> bool:
        """Whether a table was written to."""
        return any(Path(self.path(table), "_delta_log").glob("*.json"))

    def rows(self, table: Table, *columns: str) -> list[Row]:
        """The rows of a table, with all columns or with some; none where nothing was written.

        What an older version did not write is null.
        """
        if not self.is_there(table):
            return []
        # Files by a file system of Arrow's own: delta-rs's ends with its threads, and a process
        # that ends before them is aborted.
        path = self.path(table)
        files = SubTreeFileSystem(path, LocalFileSystem())
        delta = DeltaTable(path)
        names = columns or tuple(table.columns.names)
        there = {field.name for field in delta.schema().fields}
        content = delta.to_pyarrow_table(
            columns=[name for name in names if name in there], filesystem=files
        )
        missing = {name: None for name in names if name not in there}
        return [missing | row for row in content.to_pylist(maps_as_pydicts="strict")]

    def append(self, table: Table, rows: pyarrow.Table) -> None:
        """Append rows."""
        self._write(table, rows, mode="append", schema_mode="merge")

    def replace(
        self, table: Table, rows: pyarrow.Table, batch: int, brokers: Iterable[str] = ()
    ) -> None:
        """Write the rows of a batch, in place of what is no longer so."""
        if self.is_there(table):
            replaced = replaced_by(table, batch, brokers, self.quoted)
            self._write(table, rows, mode="overwrite", predicate=replaced)
        else:
            self._write(table, rows, mode="append")

    def _write(self, table: Table, rows: pyarrow.Table, **how: Any) -> None:
        if not self.is_there(table):
            how["configuration"] = table.properties
            how["partition_by"] = [IS_OPEN.name] if table.has_open_rows else None
        write_deltalake(self.path(table), rows, **how)

    @staticmethod
    def quoted(text: str) -> str:
        """A text in the SQL of delta-rs, to which a backslash is a character as any other."""
        return "'" + text.replace("'", "''") + "'"

    def delete(self, table: Table, where: str) -> None:
        """Delete the rows of a table that a condition of SQL holds of."""
        DeltaTable(self.path(table)).delete(where)

    def tidy(self, table: Table) -> None:
        """Put small files together, and delete those that nothing can read any more."""
        content = DeltaTable(self.path(table))
        content.optimize.compact()
        content.vacuum(dry_run=False, full=True)


@contextmanager
def said_in_a_line(folder: Path) -> Iterator[None]:
    """Raise what ended a run as a `LockstepError`, where it is no mistake of lockstep."""
    try:
        yield
    except (DeltaError, pyarrow.ArrowException, OSError, EOFError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise LockstepError(
            f"the tables in {folder} cannot be brought up to date: {first}",
            cure="mend that, and run the same again: what was read is kept",
        ) from error
