"""One run without Spark: what is new is followed in this process, batch by batch."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from operator import itemgetter
from typing import Any

import pyarrow
from pyarrow import compute

from lockstep_kafka.columns.compiled import pays
from lockstep_kafka.fleet.arrival import NO_BATCH, Newcomers, ReadBefore, newcomers
from lockstep_kafka.fleet.columns import (
    FOLLOWED,
    PIECES,
    RANGES,
    STATE_ORDER,
    TEXT_RANGES,
    TEXTS,
    Batches,
    batches_of,
    rows_of,
    table_of,
)
from lockstep_kafka.fleet.following import Follow
from lockstep_kafka.fleet.local_tables import LocalTables, Row
from lockstep_kafka.fleet.log_ranges import Chunk, Measure
from lockstep_kafka.fleet.pieces import RangePieces, measure, piece
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.tables import (
    ALERT_KEY,
    ALERTS,
    BATCHES,
    DEPARTURES,
    FOLLOWED_TABLES,
    INPUTS,
    STATES,
    Table,
    drop_old_states,
    newest_to_delete,
    refuse_lost,
    retain,
)
from lockstep_kafka.fleet.texts import of_line, texts


@dataclass(frozen=True)
class LocalRun:
    """One run into tables at a time `now`; the rest is as in a `Run` of Spark."""

    tables: LocalTables
    observed: Observed
    on_step: Callable[[str], None] = lambda _: None
    retain_days: int | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def follow_files(self, paths: Sequence[str]) -> Newcomers:
        """Bring the tables up to what some files hold now."""
        tables = self.tables
        has_later = any(row["batch"] > 0 for row in tables.rows(STATES, "batch"))
        refuse_lost(tables, has_later_batches=has_later)
        self.on_step(f"{len(paths):,} files: which lines are new")
        found = newcomers(paths, self._read_before(), self.observed, self._measure_all)
        if found.rows:
            tables.append(INPUTS, table_of(found.rows, RANGES))
        for rows in found.of_batches:
            self._follow(rows)
        if found.of_batches:
            states = tables.rows(STATES, "broker", "batch")
            drop_old_states(tables, ((row["broker"], row["batch"]) for row in states))
        if self.retain_days is not None:
            written = {row["batch"]: row["written"] for row in tables.rows(BATCHES)}
            retain(tables, newest_to_delete(written, self.retain_days, self.now()), paths)
        return found

    def _measure_all(self, chunks: Sequence[Chunk]) -> list[Measure]:
        return [measure(self.observed, chunk) for chunk in chunks]

    def _read_before(self) -> ReadBefore:
        done = max((row["batch"] for row in self.tables.rows(BATCHES, "batch")), default=NO_BATCH)
        rows = self.tables.rows(INPUTS)
        rows.sort(key=lambda row: (row["order"], row["first_line"]))
        of_files: dict[tuple[Any, ...], Row] = {}
        for row in rows:
            identity = row["broker"], row["size"], row["digest"]
            before = of_files.get(identity, row)
            of_files[identity] = {
                **row,
                "end": max(row["end"], before["end"]),
                "lines": max(row["first_line"] + row["lines"] - 1, before["lines"]),
                "batch": max(row["batch"], before["batch"]),
            }
        return ReadBefore.of(of_files.values(), (row for row in rows if row["batch"] > done))

    def _follow(self, rows: Sequence[Row]) -> None:
        batch = rows[0]["batch"]
        lines = sum(row["lines"] for row in rows)
        self.on_step(f"batch {batch}, {lines:,} lines")
        size = sum(row["end"] - row["begin"] for row in rows)
        parts: dict[str, list[pyarrow.Table]] = {
            table.kind: [] for table in FOLLOWED_TABLES if table.kind is not None
        }
        for followed in Follow(self.observed, in_columns=pays(size))(self._pieces(rows, batch)):
            for kind, of_kind in parts.items():
                of_kind.append(_of_kind(kind, followed))
        brokers = sorted(
            {
                row["broker"]
                for part in parts["state"]
                for row in part.select(["broker"]).to_pylist()
            }
        )
        departures: list[Row] = []
        for table in FOLLOWED_TABLES:
            assert table.kind is not None
            content = pyarrow.concat_tables(parts[table.kind]) if parts[table.kind] else None
            if table is DEPARTURES and content is not None:
                content = self._with_texts(content, rows, batch)
                departures = content.to_pylist(maps_as_pydicts="strict")
            self.tables.replace(table, _columns(table, content, batch), batch, brokers)
        alerts = self._alerts(departures, batch)
        self.tables.replace(ALERTS, table_of(alerts, ALERTS.columns), batch)
        of_batch = {"brokers": len(brokers), "departures": len(departures)}
        row = {"batch": batch, "written": self.now(), **of_batch}
        self.tables.replace(BATCHES, table_of([row], BATCHES.columns), batch)

    def _pieces(self, rows: Sequence[Row], batch: int) -> Batches:
        """The pieces of all brokers one after the other, each after its state."""
        states: dict[str, tuple[int, list[Row]]] = {}
        for row in self.tables.rows(STATES):
            if row["batch"] >= batch:
                continue
            newest, parts = states.get(row["broker"], (NO_BATCH, []))
            if row["batch"] > newest:
                states[row["broker"]] = row["batch"], [row]
            elif row["batch"] == newest:
                parts.append(row)
        of_states = (
            piece(
                {
                    "broker": part["broker"],
                    "order": STATE_ORDER,
                    "line": part["part"],
                    "content": part["bytes"],
                }
            )
            for _, parts in states.values()
            for part in parts
        )
        ranges = table_of(rows, RANGES).to_batches()
        new = rows_of(RangePieces(self.observed)(ranges), PIECES.names)
        ordered = sorted(chain(of_states, new), key=lambda row: (row[0] or "", *row[1:3]))
        return batches_of(ordered, PIECES, "content")

    def _with_texts(self, content: pyarrow.Table, rows: Sequence[Row], batch: int) -> pyarrow.Table:
        """Departures with the text of their lines, as `FollowBatch` finds it."""
        departures: list[Row] = content.to_pylist(maps_as_pydicts="strict")
        now = texts(batches_of(_text_ranges(rows, departures), TEXT_RANGES))
        found = {row[:-2]: row[-2:] for row in rows_of(now, TEXTS.names)}
        for row in self.tables.rows(DEPARTURES, *TEXTS.names, "is_open", "batch"):
            if row["text"] is not None and (row["is_open"] or row["batch"] == batch):
                found[of_line(row)] = row["offset"], row["text"]
        of_lines = [found.get(of_line(row), (None, None)) for row in departures]
        for place, name in enumerate(("offset", "text")):
            kind = DEPARTURES.columns.field(name).type
            column = pyarrow.array([one[place] for one in of_lines], kind)
            content = content.append_column(name, column)
        return content

    def _alerts(self, departures: Iterable[Row], batch: int) -> list[Row]:
        """The first departures of their kind."""
        known = {
            tuple(row[name] for name in ALERT_KEY)
            for row in self.tables.rows(ALERTS)
            if row["batch"] < batch
        }
        alerts: dict[tuple[Any, ...], Row] = {}
        for row in sorted(departures, key=by_time):
            key = tuple(row[name] for name in ALERT_KEY)
            if key not in known:
                alerts.setdefault(key, {**row, "batch": batch})
        return list(alerts.values())


def _text_ranges(rows: Iterable[Row], departures: Iterable[Row]) -> Iterator[tuple[Any, ...]]:
    """The ranges in which lines of some departures stand (`TEXT_RANGES`), if their files do."""
    line = itemgetter("line")
    of_files: dict[str, list[Row]] = {}
    for row in sorted(departures, key=line):
        wanted = {**row, "partition": row["arguments"].get("partition", "")}
        of_files.setdefault(row["file"], []).append(wanted)
    for range_ in rows:
        of_file, first = of_files.get(range_["path"], []), range_["first_line"]
        begin = bisect_left(of_file, first, key=line)
        end = bisect_left(of_file, first + range_["lines"], key=line)
        if begin < end:
            values = {**range_, "wanted": of_file[begin:end]}
            yield tuple(values[name] for name in TEXT_RANGES.names)


def by_time(row: Row) -> tuple[Any, ...]:
    """The order of departures: by time, those without one first, and then by place."""
    time = row["time"]
    return time is not None, time or datetime.min, row["file"], row["line"], row["because"]


def _of_kind(kind: str, followed: pyarrow.RecordBatch) -> pyarrow.Table:
    """The rows of one kind, with the fields of their struct as columns."""
    rows = followed.filter(compute.is_valid(followed[kind]))
    columns = {name: rows[name] for name in ("broker", "is_open")}
    fields = FOLLOWED.field(kind).type
    values = rows[kind].flatten()
    columns |= {fields.field(place).name: value for place, value in enumerate(values)}
    return pyarrow.table(columns)


def _columns(table: Table, content: pyarrow.Table | None, batch: int) -> pyarrow.Table:
    if content is None:
        return table.columns.empty_table()
    number = pyarrow.array([batch] * content.num_rows, pyarrow.int64())
    return content.append_column("batch", number).select(table.columns.names).cast(table.columns)
