"""The tables of a fleet: Delta tables in one folder or schema, each changed by one commit a batch.

A batch's rows have its number. They replace the rows of that number, and the open rows of the
brokers that it has lines of: so a batch that is done twice leaves the same as one done once. The
table of batches is written last: what it has is whole in all tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pyarrow

from lockstep.errors import LockstepError
from lockstep_kafka.fleet.columns import (
    DEPARTURE,
    METRIC,
    QUARANTINED,
    RANGES,
    SESSION,
    STATE,
    fields,
)

BROKER, IS_OPEN, BATCH = fields("broker:text is_open:bool batch:long")


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

    @property
    def properties(self) -> dict[str, str]:
        """Delta's properties of the table."""
        measured = ",".join(name for name in _MEASURED if name in self.columns.names)
        return _KEPT | {"delta.dataSkippingStatsColumns": measured}


def _of(struct: pyarrow.StructType) -> list[pyarrow.Field]:
    return [struct.field(place) for place in range(struct.num_fields)]


_FIRST = (BROKER, BATCH, IS_OPEN)
_KEPT = {
    "delta.checkpointInterval": "10",
    "delta.deletedFileRetentionDuration": "interval 1 days",
    "delta.logRetentionDuration": "interval 7 days",
}
"""For how long what was replaced can still be read. Commits are kept until a checkpoint after them
is that old; with delta-rs's own 100 commits between two, that is weeks later for a run a day."""
_MEASURED = ("broker", "batch", "first_time", "time", "hour")
"""Of these Delta keeps the least and the greatest value in each file, and of no others, which would
take half of the time of writing. By `batch` one that replaces rows leaves alone all other files."""

SESSIONS = Table("sessions", pyarrow.schema([*_FIRST, *_of(SESSION)]), "session")
DEPARTURES = Table(
    "departures",
    pyarrow.schema([*_FIRST, *_of(DEPARTURE), *fields("offset:long text:text")]),
    "departure",
)
QUARANTINE = Table("quarantine", pyarrow.schema([*_FIRST, *_of(QUARANTINED)]), "quarantined")
METRICS = Table("metrics", pyarrow.schema([*_FIRST, *_of(METRIC)]), "metric")
STATES = Table("state", pyarrow.schema([BROKER, BATCH, *_of(STATE)]), "state")
INPUTS = Table("inputs", RANGES)
ALERTS = Table(
    "alerts",
    pyarrow.schema(
        [
            BROKER,
            BATCH,
            *map(DEPARTURE.field, ("side", "rule", "client", "api_version")),
            *map(DEPARTURE.field, ("time", "file", "line", "because")),
        ]
    ),
)
BATCHES = Table(
    "batches", pyarrow.schema([BATCH, *fields("written:time brokers:long departures:long")])
)

FOLLOWED_TABLES = (SESSIONS, DEPARTURES, QUARANTINE, METRICS, STATES)
"""The tables that hold what is found in lines; the state is the last one."""

ALL_TABLES = (INPUTS, *FOLLOWED_TABLES, ALERTS, BATCHES)

KEPT_STATES = 2
"""The states of a broker that are kept: a batch that is done again needs the earlier one."""

ALERT_KEY = ("broker", "side", "rule", "client", "api_version")
"""Of departures that have these in common the first one is an alert."""


def replaced_by(
    table: Table, batch: int, brokers: Iterable[str], quoted: Callable[[str], str]
) -> str:
    """Which rows a batch that has lines of some brokers replaces, in SQL that quotes texts so."""
    replaced = f"batch = {batch}"
    names = ", ".join(map(quoted, brokers))
    if table.has_open_rows and names:
        replaced += f" OR (is_open AND broker IN ({names}))"
    return replaced


class WrittenTables(Protocol):
    """Tables of which some were written to; rows of these can be deleted."""

    target: str

    def is_there(self, table: Table) -> bool:
        """Whether a table was written to."""
        ...

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


def refuse_lost(tables: WrittenTables, *, has_later_batches: bool, of_files: bool = True) -> None:
    """`LockstepError` where a batch was written, and a table is gone since.

    `has_later_batches` says that the table of states has a second batch: there is none before the
    first one is in `batches`. Tables of a topic have no inputs.
    """
    written = ALL_TABLES if of_files else (*FOLLOWED_TABLES, ALERTS, BATCHES)
    if not tables.is_there(BATCHES) and not has_later_batches:
        return  # the first batch may have been killed
    for table in written:
        if not tables.is_there(table):
            raise LockstepError(
                f"the table {table.name} is gone from {tables.target}, and others have batches",
                cure="put it back, or name another folder by --out and read the logs again",
            )


def drop_old_states(tables: WrittenTables, states: Iterable[tuple[str, int]]) -> None:
    """Keep the last states of each broker; `states` has the broker and the batch of each."""
    batches: dict[str, set[int]] = {}
    for broker, batch in states:
        batches.setdefault(broker, set()).add(batch)
    old: dict[int, list[str]] = {}
    for broker, of_broker in batches.items():
        for batch in sorted(of_broker)[:-KEPT_STATES]:
            old.setdefault(batch, []).append(tables.quoted(broker))
    if old:
        rows = (f"(batch = {batch} AND broker IN ({', '.join(old[batch])}))" for batch in old)
        tables.delete(STATES, " OR ".join(rows))


def retain(tables: WrittenTables, newest: int | None, paths: Iterable[str]) -> None:
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
