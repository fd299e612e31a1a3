"""The transformations of a fleet, composed without Spark, and the files that they are tried on."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow

from lockstep.spark.workspace_text import WorkspaceText
from lockstep_kafka.fleet.arrival import Arrived, arrived, range_row
from lockstep_kafka.fleet.columns import FOLLOWED, RANGES, REQUESTS, batches_of
from lockstep_kafka.fleet.following import STATE_ORDER, Follow
from lockstep_kafka.fleet.log_files import look_at
from lockstep_kafka.fleet.log_ranges import Chunk, Identity, Measure, ReadFiles, ReadSoFar, measured
from lockstep_kafka.fleet.reading import Observed, ReadRequests, lines, time_of_line

ROOT = Path(__file__).parents[3]
LOGS = ROOT / "tests" / "data" / "request-log"
BROKER_FROM = r"(?P<broker>[^/]+)/[^/]*$"
"""The folder of a file names its broker."""

OBSERVED = Observed(WorkspaceText.of(ROOT), BROKER_FROM)

Rows = list[dict[str, Any]]


def fleet(folder: Path) -> Path:
    """Every sample and case as the log of a broker of its own, and a rotated log."""
    for file in chain(*(LOGS.joinpath(name).glob("*.log*") for name in (".", "cases", "fresh"))):
        broker = folder / file.name.partition(".")[0]
        broker.mkdir(parents=True)
        shutil.copy(file, broker)
    shutil.copytree(LOGS / "fresh" / "rotated", folder / "rotated")
    return folder


def measure_all(chunks: Sequence[Chunk]) -> list[Measure]:
    return [measured(chunk) for chunk in chunks]


@dataclass
class Fleet:
    """The tables as lists of rows: what a run of the pipeline reads, and what it leaves."""

    rows: dict[str, Rows] = field(default_factory=dict)
    states: dict[str, list[bytes]] = field(default_factory=dict)
    read: dict[Identity, ReadSoFar] = field(default_factory=dict)
    order: int = 0

    def run(self, *logs: Path) -> Arrived:
        """Follow what is new of some logs."""
        files = look_at([str(log) for log in logs], time_of_line)
        new = arrived(files, broker_of, ReadFiles(self.read), measure_all)
        rows = [range_row(one, self.order) for one in new.ranges]
        self.order += len(files)
        for one in new.ranges:
            before = self.read.get(one.file, ReadSoFar())
            self.read[one.file] = ReadSoFar(one.end, before.lines + one.lines, one.stored)
        self._follow(rows)
        return new

    def _follow(self, ranges: Sequence[tuple[Any, ...]]) -> None:
        requests = ReadRequests(OBSERVED)(lines(batches_of(ranges, RANGES)))
        parts = [
            (broker, STATE_ORDER, part, state, None)
            for broker, state_parts in self.states.items()
            for part, state in enumerate(state_parts)
        ]
        read = [row for batch in requests for row in zip(*batch.to_pydict().values(), strict=True)]
        shuffled = sorted([*parts, *read], key=itemgetter(0, 1, 2))
        followed = [
            row
            for batch in Follow(OBSERVED)(batches_of(shuffled, REQUESTS))
            for row in batch.to_pylist()
        ]
        brokers = {row["broker"] for row in followed if row["state"] is not None}
        self.states |= {broker: [] for broker in brokers}
        for row in followed:
            if row["state"] is not None:
                self.states[row["broker"]].append(row["state"]["bytes"])
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


def broker_of(path: str) -> str:
    return OBSERVED.paths.broker(path) or ""


def batch(rows: Sequence[tuple[Any, ...]], schema: pyarrow.Schema) -> list[pyarrow.RecordBatch]:
    return list(batches_of(rows, schema))
