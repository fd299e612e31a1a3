"""The tables of a fleet as Spark writes them, against `conform` in one process."""

from __future__ import annotations

import gzip
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

from lockstep.errors import ExitCode
from lockstep.workspace import find_workspace
from lockstep_kafka.columns.compiled import kernel
from lockstep_kafka.findings import LATE, MOVED, UNORDERED
from lockstep_kafka.fleet import local_run, shares
from lockstep_kafka.fleet.arrival import Arrived, Newcomers, range_row
from lockstep_kafka.fleet.columns import PIECES, RANGES, table_of
from lockstep_kafka.fleet.columns import rows_of as batch_rows
from lockstep_kafka.fleet.figures import SIDES, figures
from lockstep_kafka.fleet.local_run import LocalRun
from lockstep_kafka.fleet.local_summary import local_summary
from lockstep_kafka.fleet.local_tables import LocalTables
from lockstep_kafka.fleet.pieces import RangePieces
from lockstep_kafka.fleet.source import FileSource
from lockstep_kafka.fleet.summary import summary, totals_of
from lockstep_kafka.fleet.tables import (
    ALERT_KEY,
    DEPARTURES,
    INPUTS,
    METRICS,
    QUARANTINE,
    SESSIONS,
    STATES,
)
from lockstep_kafka.fleet.views import VIEWS, ask, define_views
from lockstep_kafka.report.fleet import fleet_page
from lockstep_kafka.verbs.conform_tables import conform_tables
from lockstep_kafka.verbs.requests import ConformRequest, SimulateRequest
from lockstep_kafka.verbs.simulate import simulate
from tests.kafka.conform.test_unordered_logs import shuffled
from tests.kafka.fleet.one_machine import causes_of, comparable, comparable_causes, rows_of
from tests.kafka.fleet.pipeline import LOGS, OBSERVED, ROOT, Fleet, Rows, fleet
from tests.kafka.fleet.runs import Runs, assert_same_tables

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


FEW = ("m1-one-id-two-live-sessions", "m4-isolation-level-not-looked-at", "fa11-line-twice")
"""Brokers of which some depart, and one has lines that are not followed."""


WORKSPACE = find_workspace(ROOT)
NOTHING = Arrived([])
EXAMPLE = (ROOT / "docs" / "how-to" / "fleet.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [pytest.param(FEW, marks=pytest.mark.daily(4)), pytest.param((), marks=pytest.mark.verify)],
    ids=["some brokers", "every broker"],
)
def test_the_example_writes_what_one_process_writes(
    spark: SparkSession,
    logs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    names: tuple[str, ...],
) -> None:
    """Row by row; and each goes on where the other stopped."""
    some = [logs / name for name in names] or sorted(logs.iterdir())
    for folder in some:
        shutil.copytree(folder, tmp_path / "logs" / folder.name)
    monkeypatch.chdir(tmp_path)
    run = run_example(spark)
    assert len(run["result"].new.ranges) == sum(path.is_file() for path in Path("logs").rglob("*"))
    request = ConformRequest(
        ("logs",), out=Path("local"), broker_from=run["options"].broker_from, workspace=WORKSPACE
    )
    result = conform_tables(request)
    assert result.conform.exit_code == run["result"].conform.exit_code == 1
    assert_same_tables(Path("fleet-tables"), Path("local"))
    assert_same_views(spark, Path("fleet-tables"), Path("local"))
    departures = LocalTables(Path("fleet-tables")).rows(DEPARTURES)
    assert {key_of(row) for row in run["alerts"]} == {key_of(row) for row in departures}
    for row in departures:
        assert row["text"] == text_at(row["file"], row["line"], row["offset"])
    assert conform_tables(replace(request, out=Path("fleet-tables"))).new == NOTHING


def assert_same_views(spark: SparkSession, of_spark: Path, of_one_process: Path) -> None:
    define_views(spark, of_spark)
    for name in VIEWS:
        rows = spark.table(name).toArrow().to_pylist()
        expected = ask(of_one_process, f"SELECT * FROM {name}").to_pylist()
        assert rows
        assert Counter(map(str, rows)) == Counter(map(str, expected)), name


def run_example(spark: SparkSession) -> dict[str, Any]:
    """Run what docs/how-to/fleet.md shows of `follow_logs`; what it names, and its alerts."""
    (text,) = re.findall(r"^```python[^\n]*\n([^`]*follow_logs[^`]*)```", EXAMPLE, re.MULTILINE)
    alerts: list[Any] = []
    names: dict[str, Any] = {"spark": spark, "print": lambda *shown: alerts.extend(shown[0:1])}
    exec(text, names)
    return names | {"alerts": alerts[0]}


def key_of(row: dict[str, Any]) -> tuple[object, ...]:
    return tuple(row[name] for name in ALERT_KEY)


@pytest.mark.verify
def test_a_summary_and_a_page_say_what_the_tables_say(
    spark: SparkSession, logs: Path, tmp_path: Path
) -> None:
    runs, everything = Runs(spark, tmp_path / "tables"), sorted(logs.iterdir())
    runs.run(logs)
    assert_same(runs, everything)
    assert_figures(runs)
    said = summary(runs.tables)
    causes = comparable_causes(said.totals)
    assert causes == causes_of(*everything)
    assert {sessions > 1 for _, _, _, sessions, *_ in causes} == {False, True}
    of_one_process = local_summary(LocalTables(runs.folder))
    assert comparable_causes(of_one_process.totals) == causes
    assert [(group.key, group.count) for group in of_one_process.departures] == [
        (group.key, group.count) for group in said.departures
    ]
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


def test_late_lines_of_many_files_are_counted_whole() -> None:
    """Though no group of them is among those that are shown."""
    conforming = {"verdict": "conforms", "client": "conforms", "broker": "conforms"}
    totals = totals_of(
        {
            "sessions": [{**conforming, "count": 1, "partial": 0}],
            "quarantined": {LATE: 100, MOVED: 2},
            "lost": 100,
            "requests": (60, 0),
            "damaged": [],
        }
    )
    assert (totals.late, totals.followed, totals.not_followed) == (100, 60, 100)
    assert totals.exit_code is ExitCode.INCONCLUSIVE


@pytest.mark.slow
def test_a_log_that_is_not_in_order_accuses_nobody(spark: SparkSession, tmp_path: Path) -> None:
    broker = tmp_path / "logs" / "broker"
    broker.mkdir(parents=True)
    shuffled(broker, "busy", 30, seed=0)
    runs = Runs(spark, tmp_path / "tables")
    runs.run(broker.parent)
    assert_same(runs, [broker])
    assert runs.rows(DEPARTURES) == []
    assert UNORDERED in {row["reason"] for row in runs.rows(QUARANTINE)}
    totals = summary(runs.tables).totals
    of_one_process = local_summary(LocalTables(runs.folder)).totals
    assert (totals.lost, totals.moved) == (of_one_process.lost, of_one_process.moved)
    assert totals.exit_code is of_one_process.exit_code


@pytest.mark.slow
def test_a_damaged_file_that_was_whole_says_so(spark: SparkSession, tmp_path: Path) -> None:
    """All its lines were read, and its range has none; as in one process it is not dropped."""
    content = (LOGS / "java-classic.log").read_bytes()
    file = tmp_path / "broker" / "server.log"
    file.parent.mkdir()
    file.write_bytes(content)
    before = Fleet()
    before.run(file)
    file.unlink()
    packed = file.with_suffix(".log.gz")
    packed.write_bytes(gzip.compress(content)[:-4])
    (range_,) = before.run(packed).ranges
    assert (range_.begin, range_.lines, range_.brokers) == (range_.end, 0, ("broker",))
    ranges = table_of([range_row(range_, 0, 1)], RANGES)
    pieces = FileSource(OBSERVED, in_columns=False).pieces(spark.createDataFrame(ranges), 1)
    expected = batch_rows(RangePieces(OBSERVED)(ranges.to_batches()), PIECES.names)
    assert [tuple(row) for row in pieces.collect()] == list(expected) != []


def text_at(file: str, line: int, offset: int) -> str:
    content = Path(file).read_bytes()
    content = gzip.decompress(content) if file.endswith(".gz") else content
    assert content[:offset].count(b"\n") == line - 1
    return content[offset:].partition(b"\n")[0].decode()


@pytest.mark.verify
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
    assert states == [(departing.name, 3), ("rotated", 2), ("rotated", 3)]


@pytest.mark.slow
def test_files_that_begin_alike_are_distinguished_by_either_engine(
    spark: SparkSession, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in tables that an older version began, without the digest of what was last read."""
    banner = b"".join(b"a line of the banner, %03d\n" % number for number in range(60))
    days = sorted(logs.joinpath("rotated").iterdir())
    contents = [gzip.decompress(day.read_bytes()) for day in days if day.suffix == ".gz"]
    runs, folder = Runs(spark, tmp_path / "tables"), tmp_path / "broker"
    folder.mkdir()
    files = [folder / f"{number}.log" for number in range(len(contents))]
    older = pyarrow.schema([field for field in RANGES if field.name != "tail"])

    def run_here() -> Newcomers:
        paths = [str(file) for file in files if file.exists()]
        return LocalRun(LocalTables(runs.folder), OBSERVED).follow_files(paths)

    files[0].write_bytes(banner + contents[0])
    with monkeypatch.context() as patched:
        patched.setattr(local_run, "RANGES", older)
        run_here()
    files[1].write_bytes(banner + contents[1])
    assert [(range_.path, range_.begin) for range_ in runs.run(folder).ranges] == [
        (str(files[1]), 0)
    ]
    assert {row["tail"] is None for row in runs.rows(INPUTS)} == {True, False}
    files[0].write_bytes(banner + contents[0] + b"one more\n")
    assert [range_.lines for range_ in runs.run(folder).ranges] == [1]
    for file, content in zip(files[2:], contents[2:], strict=True):
        file.write_bytes(banner + content)
    assert len(runs.run(folder).ranges) == len(files) - 2 > 0
    assert (run_here().rows, runs.run(folder).ranges) == ([], [])
    assert_same(runs, files)


def summed(metrics: Rows) -> Counter[tuple[Any, ...]]:
    sums: Counter[tuple[Any, ...]] = Counter()
    for row in metrics:
        hour = row["hour"].replace(tzinfo=None)
        key = (row["broker"], row["client"], row["api_version"], hour)
        for name in ("lines", "partial", "client_departures", "broker_departures", "unknowns"):
            sums[*key, name] += row[name]
    return sums


@pytest.mark.slow
@pytest.mark.daily(4)
def test_a_broker_with_most_lines_is_split(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel()  # once it is compiled even a short log is followed in columns
    monkeypatch.setattr(shares, "_LEAST_BYTES", 0)
    simulate(
        SimulateRequest(
            model="fetch_session",
            log=tmp_path / "logs",
            lines=2_000,
            departures=0.0025,
            workspace=WORKSPACE,
        )
    )
    logs = [tmp_path / "logs" / "broker-1", LOGS / "fresh" / "rotated"]
    runs = Runs(spark, tmp_path / "tables")
    runs.run(*logs)
    assert_same(runs, logs)
    parts = Counter(row["broker"] for row in runs.rows(STATES))
    assert (parts["broker-1"], parts["rotated"]) == (2, 1)
