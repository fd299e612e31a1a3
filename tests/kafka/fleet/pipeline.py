"""The transformations of a fleet, composed without Spark, and the files that they are tried on."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow

from lockstep.system.workspace_text import WorkspaceText
from lockstep_kafka.fleet.arrival import Arrived, arrived, range_row
from lockstep_kafka.fleet.columns import (
    FOLLOWED,
    PIECES,
    RANGES,
    STATE_ORDER,
    Batches,
    batches_of,
    fields,
    rows_of,
    table_of,
)
from lockstep_kafka.fleet.following import Follow, FollowRecords
from lockstep_kafka.fleet.log_files import look_at, paths_of
from lockstep_kafka.fleet.log_ranges import Chunk, Identity, Measure, ReadFiles, ReadSoFar
from lockstep_kafka.fleet.pieces import RangePieces, measure, piece
from lockstep_kafka.fleet.reading import Observed, time_of_line
from lockstep_kafka.fleet.recognised import recognised

ROOT = Path(__file__).parents[3]
LOGS = ROOT / "tests" / "data" / "request-log"
BROKER_FROM = r"(?P<broker>[^/]+)/[^/]*$"
"""The folder of a file names its broker."""

OBSERVED = Observed(WorkspaceText.of(ROOT), BROKER_FROM)

UNNAMED = Observed(OBSERVED.workspace)
"""Brokers are known by their addresses alone."""

Rows = list[dict[str, Any]]

Record = tuple[str, int, int, bytes]
_RECORDS = pyarrow.schema(fields("file:text order:long line:long content:bytes"))


def records_in(records: Sequence[Record], size: int) -> Batches:
    """Records of a topic in batches of so many."""
    for begin in range(0, len(records), size):
        yield from batches_of(records[begin : begin + size], _RECORDS)


def fleet(folder: Path) -> Path:
    """Every sample and case as the log of a broker of its own, and a rotated log."""
    for file in chain(*(LOGS.joinpath(name).glob("*.log*") for name in (".", "cases", "fresh"))):
        broker = folder / file.name.partition(".")[0]
        broker.mkdir(parents=True)
        shutil.copy(file, broker)
    shutil.copytree(LOGS / "fresh" / "rotated", folder / "rotated")
    return folder


def measure_all(chunks: Sequence[Chunk]) -> list[Measure]:
    return [measure(UNNAMED, chunk) for chunk in chunks]


@dataclass
class Fleet:
    """The tables as lists of rows: what a run of the pipeline reads, and what it leaves."""

    in_columns: bool = False
    observed: Observed = OBSERVED
    rows: dict[str, Rows] = field(default_factory=dict)
    states: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)
    read: dict[Identity, ReadSoFar] = field(default_factory=dict)
    order: int = 0
    shares: int = 1
    """Into how many shares each broker is split."""

    def run(self, *logs: Path) -> Arrived:
        """Follow what is new of some logs."""
        files = look_at(paths_of([str(log) for log in logs]), time_of_line)
        before = ReadFiles(self.read)
        to_read, _ = recognised(files, self.observed.paths.broker, before, {})
        new = arrived(to_read, lambda chunks: [measure(self.observed, chunk) for chunk in chunks])
        rows = [range_row(one, self.order, 0) for one in new.ranges]
        self.order += len(files)
        for one in new.ranges:
            so_far = self.read.get(one.file, ReadSoFar())
            self.read[one.file] = ReadSoFar(
                one.end, so_far.lines + one.lines, one.stored, one.flaw, one.tail
            )
        self._follow(rows)
        return new

    def _follow(self, ranges: Rows) -> None:
        pieces = RangePieces(self.observed)(table_of(ranges, RANGES).to_batches())
        parts = [
            piece({"broker": broker, "order": STATE_ORDER, "line": part, "content": state})
            for broker, state_parts in self.states.items()
            for part, state in state_parts
        ]
        read = list(rows_of(pieces, PIECES.names))
        shares = range(self.shares) if self.shares > 1 else (None,)
        shuffled = [
            {**dict(zip(PIECES.names, row, strict=True)), "share": share, "shares": self.shares}
            for row in (*parts, *read)
            for share in shares
        ]
        shuffled.sort(
            key=lambda row: (row["broker"] or "", row["share"], row["order"], row["line"])
        )
        follow = Follow(self.observed, self.in_columns)
        self._keep(follow(batches_of(map(piece, shuffled), PIECES)))

    def run_records(self, *partitions: Sequence[Record]) -> None:
        """Follow records of a topic, each partition by a task of its own."""
        states = [
            {"broker": broker, "line": part, "content": state}
            for broker, parts in sorted(self.states.items())
            for part, state in parts
        ]
        follow = FollowRecords(self.observed, self.in_columns, states)
        tasks = (follow(records_in(partition, 100)) for partition in partitions)
        self._keep(chain.from_iterable(tasks))

    def _keep(self, batches: Batches) -> None:
        followed = [row for batch in batches for row in batch.to_pylist()]
        brokers = {row["broker"] for row in followed if row["state"] is not None}
        self.states |= {broker: [] for broker in brokers}
        for row in followed:
            if row["state"] is not None:
                self.states[row["broker"]].append((row["state"]["part"], row["state"]["bytes"]))
        for of_broker in self.states.values():
            of_broker.sort()
        for kind in FOLLOWED.names[2:-1]:
            kept = [
                row
                for row in self.rows.get(kind, [])
                if not (row["is_open"] and row["broker"] in brokers)
            ]
            new = [
                {"broker": row["broker"], "is_open": row["is_open"], **row[kind]}
                for row in followed
                if row[kind] is not None
            ]
            self.rows[kind] = kept + new
