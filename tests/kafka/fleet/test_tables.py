"""The tables of a fleet as Spark writes them, against `conform` in one process."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lockstep_kafka.fleet.figures import SIDES, figures
from lockstep_kafka.fleet.summary import summary
from lockstep_kafka.fleet.tables import (
    DEPARTURES,
    METRICS,
    QUARANTINE,
    SESSIONS,
    STATES,
)
from lockstep_kafka.report.fleet_page import fleet_page
from tests.kafka.fleet.one_machine import causes_of, comparable, comparable_causes, rows_of
from tests.kafka.fleet.pipeline import Fleet, Rows, fleet
from tests.kafka.fleet.runs import Runs

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


@pytest.mark.slow
def test_tables_say_what_one_process_says(spark: SparkSession, logs: Path, tmp_path: Path) -> None:
    runs = Runs(spark, tmp_path / "tables")
    new = runs.run(logs)
    everything = sorted(logs.iterdir())
    assert len(new.ranges) == sum(1 for path in logs.rglob("*") if path.is_file())
    assert_same(runs, everything)
    for row in runs.rows(DEPARTURES):
        assert row["text"] == text_at(row["file"], row["line"], row["offset"])
    assert_figures(runs)
    causes = comparable_causes(summary(runs.tables).totals)
    assert causes == causes_of(*everything)
    assert {sessions > 1 for _, _, _, sessions, *_ in causes} == {False, True}
    versions = runs.versions()
    assert runs.run(logs).ranges == []
    assert runs.versions() == versions


def assert_figures(runs: Runs) -> None:
    """A page shows the sums of the rows, and of each kind of departure the first lines."""
    shown = figures(runs.tables, {"227-6": "The epoch follows."})
    departures, sessions = runs.rows(DEPARTURES), runs.rows(SESSIONS)
    counts = shown.counts
    assert counts.lines == sum(row["lines"] for row in runs.rows(METRICS)) > 0
    assert counts.lines == sum(hour.counts.lines for hour in shown.hours)
    for side in SIDES:
        verdicts = Counter(row[f"{side}_side"]["verdict"] for row in sessions)
        assert {verdict.value: count for verdict, count in shown.sessions[side].items()} == verdicts
        kinds = [kind for kind in shown.kinds if kind.side == side]
        assert sum(kind.count for kind in kinds) == sum(row["side"] == side for row in departures)
    texts = {(row["file"], row["line"]): row["text"] for row in departures}
    for kind in shown.kinds:
        assert [example.time_ms for example in kind.examples[:1]] == [kind.first_ms]
        for example in kind.examples:
            assert example.text == texts[example.file, example.line]
    assert sum(row.count for row in shown.quarantined) == len(runs.rows(QUARANTINE))
    assert "<svg" in fleet_page(shown, "samples")


def text_at(file: str, line: int, offset: int) -> str:
    content = Path(file).read_bytes()
    content = gzip.decompress(content) if file.endswith(".gz") else content
    assert content[:offset].count(b"\n") == line - 1
    return content[offset:].partition(b"\n")[0].decode()


@pytest.mark.slow
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
