"""What is deleted of the tables after some days, and how their files are kept few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Protocol

from lockstep_kafka.fleet.tables import (
    ALERTS,
    ALL_TABLES,
    BATCHES,
    FOLLOWED_TABLES,
    INPUTS,
    STATES,
    Table,
    WrittenTables,
)


class KeptTables(WrittenTables, Protocol):
    """Tables of which rows can be deleted."""

    @staticmethod
    def quoted(text: str) -> str:
        """A text in the SQL of these tables."""
        ...

    def delete(self, table: Table, where: str) -> None:
        """Delete the rows that a condition of SQL holds of."""
        ...

    def tidy(self, table: Table) -> None:
        """Put small files together, and delete those that nothing can read any more."""
        ...


def retain(tables: KeptTables, newest: int | None, paths: Iterable[str]) -> None:
    """Delete what batches up to the newest of some wrote, and tidy all tables up.

    What is said until a broker has more lines stays, and so does the last state of each broker,
    however old: its next lines go on from there. What was read of files stays while they are
    among these paths: or they would be read again.
    """
    of_batches = f"batch <= {newest}"
    for table in (*FOLLOWED_TABLES, ALERTS, INPUTS, BATCHES) if newest is not None else ():
        if table is STATES or not tables.is_there(table):
            continue
        where = of_batches
        if table.has_open_rows:
            where += " AND NOT is_open"
        elif table is INPUTS and (names := ", ".join(map(tables.quoted, paths))):
            where += f" AND path NOT IN ({names})"
        tables.delete(table, where)
    for table in ALL_TABLES:
        if tables.is_there(table):
            tables.tidy(table)


def newest_to_delete(
    written: Mapping[int, datetime], days: int, now: datetime | None = None
) -> int | None:
    """The newest batch that was written more than so many days ago, but for the last of all."""
    until = (now or datetime.now(UTC)) - timedelta(days=days)
    last = max(written, default=None)
    return max(
        (batch for batch, at in written.items() if at < until and batch != last), default=None
    )
