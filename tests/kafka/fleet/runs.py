"""Runs of `conform --engine spark`, in a session or as a process of its own, and their tables."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deltalake import DeltaTable

from lockstep_kafka.fleet.arrival import Arrived
from lockstep_kafka.fleet.local_tables import LocalTables
from lockstep_kafka.fleet.log_files import paths_of
from lockstep_kafka.fleet.run import Run
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import (
    ALERTS,
    ALL_TABLES,
    BATCHES,
    FOLLOWED_TABLES,
    INPUTS,
    STATES,
    Table,
)
from tests.kafka.fleet.pipeline import BROKER_FROM, OBSERVED, ROOT, Rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=128m"
"""The compiler that does little is done sooner: no job of a test lasts."""


@dataclass(frozen=True)
class Runs:
    """Runs that write into one folder."""

    spark: SparkSession
    folder: Path

    def run(self, *logs: Path) -> Arrived:
        paths = paths_of([str(log) for log in logs])
        return Run(self.spark, self.tables, OBSERVED).follow_files(paths).new

    @property
    def tables(self) -> Tables:
        return Tables(self.spark, self.folder)

    def rows(self, table: Table) -> Rows:
        return [row.asDict(recursive=True) for row in self.tables.rows(table).collect()]

    def versions(self) -> list[int]:
        """How many commits each table has."""
        return [
            len(list(self.folder.joinpath(table.name, "_delta_log").glob("*.json")))
            for table in FOLLOWED_TABLES
        ]

    def content(self) -> dict[str, Counter[str]]:
        """The rows of every table, whatever their order and where they are stored."""
        tables = (INPUTS, *FOLLOWED_TABLES, ALERTS)
        return {table.name: Counter(map(repr, self.rows(table))) for table in tables}


def process(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module as a process."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, "JDK_JAVA_OPTIONS": JAVA_OPTIONS},
        capture_output=True,
        text=True,
        check=False,
    )


def of_fleet(folder: Path, *logs: Path) -> list[str]:
    """The arguments of a run but for the verb."""
    paths = [str(log) for log in logs]
    return ["--out", str(folder), "--master", "local[2]", "--broker-from", BROKER_FROM, *paths]


def assert_same_tables(one: Path, other: Path) -> None:
    """Two runs over the same logs have written the same."""
    for table in set(ALL_TABLES) - {BATCHES, STATES}:
        rows, expected = LocalTables(one).rows(table), LocalTables(other).rows(table)
        assert plain(rows) == plain(expected), table.name
        for tables in (one, other):
            written = DeltaTable(LocalTables(tables).path(table)).metadata().configuration
            assert table.properties.items() <= written.items(), table.name


def plain(rows: Rows) -> Counter[str]:
    """Rows whatever their order."""
    return Counter(repr(sorted(row.items())) for row in rows)
