"""The tables of a fleet as Spark writes them, against `conform` in one process."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lockstep.spark.fleet.tables import (
    DEPARTURES,
    METRICS,
    QUARANTINE,
    SESSIONS,
    STATES,
)
from tests.spark.fleet.one_machine import comparable, rows_of
from tests.spark.fleet.pipeline import Fleet, Rows, fleet
from tests.spark.fleet.runs import Runs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fleet(tmp_path_factory.mktemp("fleet"))


def assert_same(runs: Runs, logs: list[Path]) -> None:
    expected = rows_of(*logs)
    for table in (SESSIONS, DEPARTURES, QUARANTINE):
        assert table.kind is not None
        assert comparable(runs.rows(table)) == comparable(expected[table.kind]), table.name


def test_tables_say_what_one_process_says(spark: SparkSession, logs: Path, tmp_path: Path) -> None:
    runs = Runs(spark, tmp_path / "tables")
    new = runs.run(logs)
    everything = sorted(logs.iterdir())
    assert len(new.ranges) == sum(1 for path in logs.rglob("*") if path.is_file())
    assert_same(runs, everything)
    for row in runs.rows(DEPARTURES):
        assert row["text"] == text_at(row["file"], row["line"], row["offset"])
    versions = runs.versions()
    assert runs.run(logs).ranges == []
    assert runs.versions() == versions


def text_at(file: str, line: int, offset: int) -> str:
    content = Path(file).read_bytes()
    content = gzip.decompress(content) if file.endswith(".gz") else content
    assert content[:offset].count(b"\n") == line - 1
    return content[offset:].partition(b"\n")[0].decode()


def test_days_that_arrive_one_by_one(spark: SparkSession, logs: Path, tmp_path: Path) -> None:
    """Four runs say what one run says; metrics are summed up, and only the last states stay."""
    runs, whole = Runs(spark, tmp_path / "tables"), Fleet()
    days = sorted(logs.joinpath("rotated").iterdir())
    for last in (1, 2, 3):
        runs.run(*days[:last])
    departing = logs / "m4-isolation-level-not-looked-at"
    runs.run(*days, departing)
    whole.run(*days, departing)
    assert_same(runs, [*days, departing])
    assert summed(runs.rows(METRICS)) == summed(whole.rows["metric"])
    states = sorted((row["broker"], row["batch"]) for row in runs.rows(STATES))
    assert states == [(departing.name, 3), *(("rotated", batch) for batch in (1, 2, 3))]


def summed(metrics: Rows) -> Counter[tuple[Any, ...]]:
    sums: Counter[tuple[Any, ...]] = Counter()
    for row in metrics:
        hour = row["hour"].replace(tzinfo=None)
        key = (row["broker"], row["client"], row["api_version"], hour)
        for name in ("lines", "partial", "client_departures", "broker_departures", "unknowns"):
            sums[*key, name] += row[name]
    return sums
