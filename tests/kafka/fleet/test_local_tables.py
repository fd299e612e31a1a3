"""The tables as one process writes them without Spark."""

from __future__ import annotations

import gzip
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from deltalake import DeltaTable

from lockstep.errors import LockstepError
from lockstep_kafka.findings import Verdict
from lockstep_kafka.fleet import local_run
from lockstep_kafka.fleet.arrival import Newcomers
from lockstep_kafka.fleet.columns import RANGES
from lockstep_kafka.fleet.local_run import LocalRun
from lockstep_kafka.fleet.local_summary import local_summary
from lockstep_kafka.fleet.local_tables import LocalTables, Row
from lockstep_kafka.fleet.log_files import paths_of
from lockstep_kafka.fleet.tables import (
    ALERT_KEY,
    ALERTS,
    ALL_TABLES,
    BATCHES,
    DEPARTURES,
    INPUTS,
    METRICS,
    QUARANTINE,
    SESSIONS,
    STATES,
    Table,
    newest_to_delete,
    retain,
)
from lockstep_kafka.fleet.views import ask
from lockstep_kafka.verbs.conform_fleet import follow_logs
from lockstep_kafka.verbs.conform_tables import conform_tables
from lockstep_kafka.verbs.requests import ConformRequest
from tests.kafka.fleet.one_machine import causes_of, comparable, comparable_causes, rows_of
from tests.kafka.fleet.pipeline import BROKER_FROM, LOGS, OBSERVED, fleet

CASE = LOGS / "cases" / "m4-isolation-level-not-looked-at.log.gz"


DEPARTING = ("m1-one-id-two-live-sessions", "m4-isolation-level-not-looked-at")
OF_KIND = ("side", "rule", "client", "api_version", "software")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fleet(tmp_path_factory.mktemp("fleet"))


def run(tables: LocalTables, *logs: Path, retain_days: int | None = None) -> Newcomers:
    paths = paths_of([str(log) for log in logs])
    return LocalRun(tables, OBSERVED, retain_days=retain_days).follow_files(paths)


def assert_same(tables: LocalTables, logs: list[Path]) -> None:
    expected = rows_of(*logs)
    for table in (SESSIONS, DEPARTURES, QUARANTINE):
        assert table.kind is not None
        assert comparable(tables.rows(table)) == comparable(expected[table.kind]), table.name


def test_tables_say_what_one_process_says(logs: Path, tmp_path: Path) -> None:
    tables = LocalTables(tmp_path)
    run(tables, logs)
    everything = sorted(logs.iterdir())
    assert_same(tables, everything)
    totals = local_summary(tables).totals
    assert comparable_causes(totals) == causes_of(*everything)
    verdicts = Counter(row["verdict"] for row in tables.rows(SESSIONS))
    assert verdicts == {
        verdict.value: kept.count for verdict, kept in totals.sessions.items() if kept.count
    }
    alerts, departures = tables.rows(ALERTS), tables.rows(DEPARTURES)
    assert {key_of(row) for row in alerts} == {key_of(row) for row in departures}
    assert len(alerts) < len(departures)
    assert all(row["text"] for row in departures)


def test_views_count_the_rows_of_tables(logs: Path, tmp_path: Path) -> None:
    tables = LocalTables(tmp_path)
    run(tables, *(logs / name for name in DEPARTING))
    departures = tables.rows(DEPARTURES)
    days = ask(tmp_path, "SELECT * FROM departures_by_day").to_pylist()
    assert sum(row["departures"] for row in days) == len(departures)
    assert {row["day"] for row in days} == {row["time"].date() for row in departures}
    for row in ask(tmp_path, "SELECT * FROM new_since").to_pylist():
        of_kind = [one for one in departures if all(one[name] == row[name] for name in OF_KIND)]
        times = [one["time"] for one in of_kind]
        assert (row["since"], row["until"]) == (min(times), max(times))
        assert row["brokers"] == len({one["broker"] for one in of_kind})
    versions = ask(tmp_path, "SELECT * FROM client_versions").to_pylist()
    metrics = tables.rows(METRICS)
    for name in ("lines", "client_departures", "broker_departures", "unknowns"):
        assert sum(row[name] for row in versions) == sum(row[name] for row in metrics), name


@pytest.mark.parametrize(
    ("question", "because"),
    [
        ("SELECT nothing FROM metrics", "No field named nothing"),
        ("what departs", "SQL error"),
        ("SELECT CAST(client AS INT) FROM metrics", "Cannot cast string"),
    ],
)
def test_a_question_that_is_none(tmp_path: Path, question: str, because: str) -> None:
    with pytest.raises(LockstepError, match="there are no tables of logs"):
        ask(tmp_path, question)
    run(LocalTables(tmp_path), CASE)
    with pytest.raises(LockstepError, match=because):
        ask(tmp_path, question)


def test_tables_of_a_run_that_was_stopped_are_asked_without_the_others(tmp_path: Path) -> None:
    run(LocalTables(tmp_path), CASE)
    shutil.rmtree(tmp_path / "metrics")
    assert ask(tmp_path, "SELECT * FROM new_since").num_rows > 0
    with pytest.raises(LockstepError, match="client_versions"):
        ask(tmp_path, "SELECT * FROM client_versions")


def key_of(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ALERT_KEY)


def test_days_that_arrive_one_by_one(logs: Path, tmp_path: Path) -> None:
    tables = LocalTables(tmp_path)
    days = sorted(logs.joinpath("rotated").iterdir())
    for last in range(1, len(days) + 1):
        found = run(tables, *days[:last])
        assert [file.path for file in found.files] == [str(days[last - 1])]
    assert_same(tables, days)
    assert run(tables, *days).rows == []
    of_all = range(len(days))
    assert sorted(row["batch"] for row in tables.rows(STATES)) == list(of_all)[-2:]
    assert sorted(row["batch"] for row in tables.rows(BATCHES)) == list(of_all)


def grown(folder: Path) -> tuple[Path, bytes]:
    """A file with the first half of a log, and the other half."""
    content = gzip.decompress(CASE.read_bytes())
    half = content.index(b"\n", len(content) // 2) + 1
    file = folder / "broker" / "server.log"
    file.parent.mkdir(parents=True)
    file.write_bytes(content[:half])
    return file, content[half:]


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "not known"])
def test_a_line_that_was_held_keeps_its_text_when_its_file_is_rotated(
    tmp_path: Path, is_known: bool
) -> None:
    """What stands at its place in the new file is not its text."""
    file, rest = grown(tmp_path / "logs")
    tables = LocalTables(tmp_path / "tables")
    run(tables, file.parent)
    if not is_known:
        tables.delete(DEPARTURES, "is_open")
    file.rename(file.with_suffix(".log.1"))
    file.write_bytes(rest)
    run(tables, file.parent)
    whole = LocalTables(tmp_path / "whole")
    run(whole, file.with_suffix(".log.1"), file)
    departing = {row["text"] for row in whole.rows(DEPARTURES)}
    departures = tables.rows(DEPARTURES)
    assert departures
    assert {row["text"] for row in departures} <= (departing if is_known else {None})
    assert {row["path"] for row in tables.rows(INPUTS)} == {
        str(file),
        str(file.with_suffix(".log.1")),
    }


def test_a_run_that_ended_in_a_batch_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each of its commits, with the file rotated since; the tables are those of one run."""
    file, _ = grown(tmp_path / "logs")
    whole = LocalTables(tmp_path / "whole")
    run(whole, file.parent)
    replace = LocalTables.replace
    for kept in range(7):
        tables = LocalTables(tmp_path / str(kept))
        monkeypatch.setattr(LocalTables, "replace", killed_after(kept))
        with pytest.raises(KeyboardInterrupt):
            run(tables, file.parent)
        monkeypatch.setattr(LocalTables, "replace", replace)
        run(tables, file.parent)
        for table in set(ALL_TABLES) - {BATCHES}:
            assert comparable(tables.rows(table)) == comparable(whole.rows(table)), table.name


def test_runs_that_ended_before_and_after_a_rotation_are_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one has seen where the file is now, and has not followed it."""
    file, rest = grown(tmp_path / "logs")
    tables, whole = LocalTables(tmp_path / "tables"), LocalTables(tmp_path / "whole")
    with monkeypatch.context() as patched:
        patched.setattr(LocalTables, "replace", killed_after(0))
        with pytest.raises(KeyboardInterrupt):
            run(tables, file.parent)
        file.rename(file.with_suffix(".log.1"))
        file.write_bytes(rest)
        with pytest.raises(KeyboardInterrupt):
            run(tables, file.parent)
    run(tables, file.parent)
    run(whole, file.parent)
    for table in (SESSIONS, DEPARTURES, QUARANTINE):
        assert comparable(tables.rows(table)) == comparable(whole.rows(table)), table.name


def killed_after(commits: int) -> Callable[..., None]:
    """`LocalTables.replace`, and Ctrl-C in place of the next commit."""
    replace, left = LocalTables.replace, iter(range(commits))

    def replace_or_die(*arguments: Any) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        replace(*arguments)

    return replace_or_die


@pytest.mark.parametrize("lost", [INPUTS, STATES, BATCHES], ids=lambda table: table.name)
def test_a_table_that_is_gone_is_not_empty(tmp_path: Path, lost: Table) -> None:
    file, rest = grown(tmp_path / "logs")
    tables = LocalTables(tmp_path / "tables")
    run(tables, file)
    with file.open("ab") as more:
        more.write(rest)
    run(tables, file)
    shutil.rmtree(tables.path(lost))
    with pytest.raises(LockstepError, match=f"the table {lost.name} is gone"):
        run(tables, file)


def test_statistics_are_kept_of_what_rows_are_replaced_and_chosen_by(tmp_path: Path) -> None:
    tables = LocalTables(tmp_path)
    run(tables, CASE)
    for table in ALL_TABLES:
        files = DeltaTable(tables.path(table)).get_add_actions(flatten=True)
        measured = {name[4:] for name in files.schema.names if name.startswith("min.")}
        times = measured & {"first_time", "time", "hour"}
        assert measured - times == {"broker", "batch"} & set(table.columns.names)
        assert len(times) == (table in (SESSIONS, DEPARTURES, METRICS, ALERTS))


def test_what_is_older_is_deleted(tmp_path: Path) -> None:
    file, rest = grown(tmp_path / "logs")
    tables = LocalTables(tmp_path / "tables")
    run(tables, file)
    with file.open("ab") as more:
        more.write(rest)
    run(tables, file)
    retain(tables, 0, [str(file)])
    for table in (SESSIONS, DEPARTURES, QUARANTINE, ALERTS, BATCHES):
        kept = [row for row in tables.rows(table) if not row.get("is_open")]
        assert all(row["batch"] == 1 for row in kept), table.name
    assert {row["batch"] for row in tables.rows(INPUTS)} == {0, 1}  # or it would be read again
    assert run(tables, file).of_batches == []
    retain(tables, 0, [])
    assert {row["batch"] for row in tables.rows(INPUTS)} == {1}


def test_what_is_older_is_deleted_where_no_line_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, rest = grown(tmp_path / "logs")
    tables = LocalTables(tmp_path / "tables")
    run(tables, file)
    with file.open("ab") as more:
        more.write(rest)
    run(tables, file)
    monkeypatch.setattr(local_run, "newest_to_delete", lambda *_: 0)
    run(tables, file)
    assert {row["batch"] for row in tables.rows(BATCHES)} == {0, 1}
    run(tables, file, retain_days=1)
    assert {row["batch"] for row in tables.rows(BATCHES)} == {1}


def test_lines_are_numbered_on_where_a_part_of_a_file_is_forgotten(tmp_path: Path) -> None:
    """What was read of it at its old path is deleted, and what was read at the new one stays."""
    file, rest = grown(tmp_path / "logs")
    tables = LocalTables(tmp_path / "tables")
    run(tables, file)
    rotated = file.rename(file.with_suffix(".log.1"))
    begin = 0
    for half in (rest.index(b"\n", len(rest) // 2) + 1, len(rest)):
        with rotated.open("ab") as more:
            more.write(rest[begin:half])
        run(tables, rotated)
        retain(tables, 0, [str(rotated)])
        begin = half
    lines = rotated.read_bytes().count(b"\n")
    assert max(row["first_line"] + row["lines"] - 1 for row in tables.rows(INPUTS)) == lines


def test_a_broker_without_new_lines_is_gone_on_with(tmp_path: Path) -> None:
    """Its state is older than what is kept of sessions."""
    file, rest = grown(tmp_path / "logs")
    other = tmp_path / "logs" / "other" / "server.log"
    other.parent.mkdir()
    other.write_bytes(LOGS.joinpath("java-classic.log").read_bytes())
    tables = LocalTables(tmp_path / "tables")
    run(tables, file)
    run(tables, file, other)
    retain(tables, 0, [str(file), str(other)])
    with file.open("ab") as more:
        more.write(rest)
    run(tables, file, other)
    whole = LocalTables(tmp_path / "whole")
    run(whole, file)
    of_file = [row for row in tables.rows(SESSIONS) if row["broker"] == "broker"]
    assert comparable(of_file) == comparable(whole.rows(SESSIONS))


@pytest.mark.parametrize("name", ["o'neill", "back\\slash", "both\\'"])
def test_names_with_characters_that_sql_quotes(tmp_path: Path, name: str) -> None:
    file, rest = grown(tmp_path / "logs")
    file = file.parent.rename(file.parent.with_name(name)) / file.name
    tables = LocalTables(tmp_path / "tables")
    content = file.read_bytes()
    half = content.index(b"\n", len(content) // 2) + 1
    for part in (content[:half], content, content + rest):
        file.write_bytes(part)
        run(tables, file)
    assert_same(tables, [file])
    assert {row["broker"] for row in tables.rows(SESSIONS)} == {name}
    assert sorted(row["batch"] for row in tables.rows(STATES)) == [1, 2]
    retain(tables, 1, [str(file)])
    assert {row["batch"] for row in tables.rows(INPUTS)} == {0, 1, 2}


def test_which_batches_are_old() -> None:
    now = datetime(2026, 11, 26, tzinfo=UTC)
    written = {batch: now - timedelta(days=100 - batch) for batch in range(3)}
    assert newest_to_delete(written, 98, now) == 1
    assert newest_to_delete(written, 1, now) == 1  # the last one says what was done
    assert newest_to_delete(written, 100, now) is None
    assert newest_to_delete({}, 1, now) is None


def test_a_file_of_no_known_layout_is_not_passed_over(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(LOGS / "java-classic.log", logs)
    request = ConformRequest((logs,), out=tmp_path / "tables", retain="90d")
    assert conform_tables(request).conform.exit_code == 0
    logs.joinpath("other.log").write_text("no request\n")
    for _ in range(2):
        result = conform_tables(request)
        assert result.conform.totals.sessions[Verdict.DEPARTS].count == 0
        assert result.conform.exit_code == 3


@pytest.mark.parametrize("days", ["0d", "90", "d", "1.5d", "100000d", "-1d"])
def test_days_that_are_none(tmp_path: Path, days: str) -> None:
    with pytest.raises(LockstepError, match="is not how many days"):
        ConformRequest((CASE,), out=tmp_path, retain=days)


@pytest.mark.parametrize(
    ("logs", "refused"),
    [([], "no log is named"), ([CASE, "kafka://127.0.0.1:9/logs"], "is a topic")],
    ids=["none", "a topic"],
)
def test_logs_that_a_function_cannot_follow(
    tmp_path: Path, logs: list[str | Path], refused: str
) -> None:
    spark: Any = None  # nothing is asked of it
    with pytest.raises(LockstepError, match=refused):
        follow_logs(spark, logs, tmp_path / "tables")


def test_tables_that_cannot_be_read(tmp_path: Path) -> None:
    request = ConformRequest((CASE,), out=tmp_path / "tables", broker_from=BROKER_FROM)
    conform_tables(request)
    for file in tmp_path.rglob("*.parquet"):
        file.write_bytes(b"damaged")
    with pytest.raises(LockstepError, match="cannot be brought up to date") as raised:
        conform_tables(request)
    assert "\n" not in raised.value.args[0]


BANNER = b"".join(b"a line of the banner, %03d\n" % number for number in range(60))
HALVES = gzip.decompress(CASE.read_bytes()).splitlines(keepends=True)


def files_of(folder: Path, **contents: bytes) -> Path:
    """A folder with files of one broker of these contents, by their names without `.log`."""
    folder = folder / "broker"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        folder.joinpath(f"{name}.log").write_bytes(content)
    return folder


def lines_read(tables: LocalTables) -> Counter[str]:
    """How many lines of each file were read, by its name without `.log`."""
    lines: Counter[str] = Counter()
    for row in tables.rows(INPUTS):
        lines[Path(row["path"]).name.partition(".")[0]] += row["lines"]
    return lines


@pytest.mark.parametrize("days", [1, 2], ids=["in one run", "in two runs"])
def test_files_that_begin_alike_are_all_read(tmp_path: Path, days: int) -> None:
    """Also where they go on, are renamed, and where each gets a new file of its banner."""
    half = len(HALVES) // 2
    contents = [BANNER + b"".join(part) for part in (HALVES[:half], HALVES[half:])]
    tables = LocalTables(tmp_path / "tables")
    logs = files_of(tmp_path, one=contents[0])
    if days == 2:
        run(tables, logs)
    found = run(tables, files_of(tmp_path, two=contents[1]))
    assert found.new.copies == {}
    assert lines_read(tables) == {"one": 60 + half, "two": 60 + len(HALVES) - half}
    assert_same(tables, sorted(logs.iterdir()))
    assert run(tables, logs).rows == []
    for name, content in zip(("one", "two"), contents, strict=True):
        logs.joinpath(f"{name}.log").unlink()
        packed = gzip.compress(content + b"one more\n")
        logs.joinpath(f"{name}.log.1.gz").write_bytes(packed)
    files_of(tmp_path, one=BANNER + b"again\n", two=BANNER + b"and again\n")
    found = run(tables, logs)
    assert {Path(one.path).name: one.lines for one in found.new.ranges} == {
        "one.log": 61,
        "two.log": 61,
        "one.log.1.gz": 1,
        "two.log.1.gz": 1,
    }


def test_files_that_differ_only_in_between_are_all_read(tmp_path: Path) -> None:
    """They are gone on with, too, also where they are renamed at once."""
    tables = LocalTables(tmp_path / "tables")
    changed = HALVES[len(HALVES) // 2].replace(b'"correlationId":', b'"correlationId":1')
    contents = {
        "one": b"".join(HALVES),
        "two": b"".join((*HALVES[: len(HALVES) // 2], changed, *HALVES[len(HALVES) // 2 + 1 :])),
    }
    assert len(set(contents.values())) == 2
    for name, content in contents.items():
        found = run(tables, files_of(tmp_path, **{name: content}))
        assert found.new.copies == {}
        assert lines_read(tables)[name] == len(HALVES)
    for suffix in (".log", ".log.1"):
        for name in contents:
            file = tmp_path / "broker" / f"{name}.log"
            file = file.rename(file.with_suffix(suffix))
            with file.open("ab") as more:
                more.write(b"a line of %s\n" % name.encode())
            if suffix == ".log":
                assert run(tables, tmp_path / "broker").new.lines == 1
    assert run(tables, tmp_path / "broker").new.lines == 2


def test_a_new_file_of_the_same_name_and_beginning_is_read(tmp_path: Path) -> None:
    tables = LocalTables(tmp_path / "tables")
    run(tables, files_of(tmp_path, one=BANNER + b"first\n"))
    for content in (BANNER + b"other\nand more\n", BANNER):
        (new,) = run(tables, files_of(tmp_path, one=content)).new.ranges
        assert (new.begin, new.lines) == (0, content.count(b"\n"))


@pytest.mark.parametrize("days", [1, 2, 3])
def test_every_run_says_which_file_another_one_has_all_of(tmp_path: Path, days: int) -> None:
    """It is not read twice, whichever of both was there first."""
    whole = b"".join(HALVES)
    part = b"".join(HALVES[: len(HALVES) // 2])
    request = ConformRequest((tmp_path / "broker",), out=tmp_path / "tables")
    first = {1: {"part": part, "whole": whole}, 2: {"part": part}, 3: {"whole": whole}}[days]
    logs = files_of(tmp_path, **first)
    if days > 1:
        conform_tables(request)
        files_of(tmp_path, part=part, whole=whole)
    of_part, of_whole = (str(logs / f"{name}.log") for name in ("part", "whole"))
    for _ in range(3):
        result = conform_tables(request)
        assert result.new is not None
        assert result.new.copies == {of_part: of_whole}
        (file,) = result.conform.totals.files
        assert (file.file, of_whole in file.because) == (of_part, True)
        assert sum(result.conform.totals.layouts.values()) == 1
    assert lines_read(LocalTables(tmp_path / "tables")).total() == len(HALVES)


def test_tables_without_the_digest_of_what_was_last_read_are_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, rest = grown(tmp_path / "logs")
    tables = LocalTables(tmp_path / "tables")
    older = pyarrow.schema([field for field in RANGES if field.name != "tail"])
    with monkeypatch.context() as patched:
        patched.setattr(local_run, "RANGES", older)
        run(tables, file)
    assert "tail" not in DeltaTable(tables.path(INPUTS)).to_pyarrow_table().schema.names
    with file.open("ab") as more:
        more.write(rest)
    run(tables, file)
    assert_same(tables, [file])
    assert [row["tail"] is None for row in tables.rows(INPUTS)].count(True) == 1
