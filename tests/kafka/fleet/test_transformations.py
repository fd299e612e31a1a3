"""The transformations without Spark, against `conform` in one process."""

from __future__ import annotations

import gzip
import random
from itertools import pairwise, zip_longest
from pathlib import Path

import pytest
import zstandard

from lockstep_kafka.files import request_log
from lockstep_kafka.files.lines import LogLine
from lockstep_kafka.files.physical_lines import PhysicalLine
from lockstep_kafka.fleet import pieces
from lockstep_kafka.sessions.saved_state import opened_state
from tests.kafka.fleet.one_machine import comparable, rows_of
from tests.kafka.fleet.pipeline import BROKER_FROM, LOGS, UNNAMED, Fleet, fleet


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fleet(tmp_path_factory.mktemp("fleet"))


def assert_same(run: Fleet, logs: list[Path], broker_from: str | None = BROKER_FROM) -> None:
    expected = rows_of(*logs, broker_from=broker_from)
    for kind, rows in expected.items():
        assert comparable(run.rows[kind]) == comparable(rows), kind


IN_COLUMNS = pytest.mark.parametrize("in_columns", [False, True], ids=["by lines", "in columns"])


@IN_COLUMNS
def test_a_fleet_is_followed_as_in_one_process(logs: Path, in_columns: bool) -> None:
    run = Fleet(in_columns)
    run.run(logs)
    assert_same(run, sorted(logs.iterdir()))


@IN_COLUMNS
def test_brokers_whose_lines_stand_in_one_file(tmp_path: Path, in_columns: bool) -> None:
    """Their lines are put down to them by the names of connections."""
    names = ("java-classic.log", "aiokafka.log", "follower-fetch.log")
    logs = [LOGS.joinpath(name).read_bytes().splitlines(keepends=True) for name in names]
    file = tmp_path / "all.log"
    mixed = [line for lines in zip_longest(*logs) for line in lines if line is not None]
    file.write_bytes(b"".join([*mixed[:20], b"no request\n", *mixed[20:]]))
    run = Fleet(in_columns, UNNAMED)
    (range_,) = run.run(file).ranges
    assert len(range_.brokers) > 1
    assert_same(run, [file], broker_from=None)


@IN_COLUMNS
def test_files_of_several_runs_are_followed_as_in_one(logs: Path, in_columns: bool) -> None:
    run = Fleet(in_columns)
    rotated = sorted(logs.joinpath("rotated").iterdir())
    for file in rotated:
        run.run(file)
    assert_same(run, rotated)


@IN_COLUMNS
def test_a_file_that_grows_is_gone_on_with(tmp_path: Path, in_columns: bool) -> None:
    content = LOGS.joinpath("java-classic.log").read_bytes()
    file = tmp_path / "broker" / "server.log"
    file.parent.mkdir()
    run, drawn = Fleet(in_columns), random.Random(7)
    for end in [*sorted(drawn.sample(range(len(content)), 5)), len(content)]:
        file.write_bytes(content[:end])
        new = run.run(file)
        assert new.unfinished.get(str(file), 0) == end - (content.rfind(b"\n", 0, end) + 1)
    assert_same(run, [file])


@IN_COLUMNS
def test_positions_ascend_from_run_to_run(tmp_path: Path, in_columns: bool) -> None:
    content = LOGS.joinpath("java-classic.log").read_bytes()
    file = tmp_path / "broker" / "server.log"
    file.parent.mkdir()
    run, positions = Fleet(in_columns), [-1]
    half = content.index(b"\n", len(content) // 2) + 1
    for end in (half, len(content)):
        file.write_bytes(content[:end])
        run.run(file)
        positions.append(opened_state(run.states["broker"][0][1], "broker").position)
    between = [after - before for before, after in pairwise(positions)]
    lines = content[:half].count(b"\n"), content[half:].count(b"\n")
    assert [later >= count for later, count in zip(between, lines, strict=True)] == [True, True]


def test_a_line_that_is_skipped_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [PhysicalLine(1, b"no request", True, None), PhysicalLine(2, b"cut", False, "cut")]
    read: list[int] = []

    def read_line(line: PhysicalLine, file: str) -> LogLine:
        read.append(line.number)
        return request_log.read_line(line, file)

    monkeypatch.setattr(pieces, "read_line", read_line)
    source = pieces.SomeLines("file", 0)
    found = [*pieces.sorted_out(((source, line) for line in lines), UNNAMED.paths)]
    assert read == [1, 2]
    assert len(found) == 2


def test_a_file_is_known_again_rotated_and_compressed(tmp_path: Path) -> None:
    content = LOGS.joinpath("java-classic.log").read_bytes()
    half = content.index(b"\n", len(content) // 2) + 1
    folder = tmp_path / "broker"
    folder.mkdir()
    file, rotated = folder / "server.log", folder / "server.log.1"
    run = Fleet()
    file.write_bytes(content[:half])
    run.run(folder)
    file.rename(rotated)
    rotated.write_bytes(content)
    run.run(folder)
    lines = run.rows["metric"]
    for name, packed in (("1.gz", gzip.compress(content)), ("1.zst", zstandard.compress(content))):
        rotated.unlink()
        rotated = folder / f"server.log.{name}"
        rotated.write_bytes(packed)
        assert sum(one.lines for one in run.run(folder).ranges) == 0
        assert run.run(folder).ranges == []
    assert run.rows["metric"] == lines
    rotated.unlink()
    file.write_bytes(content)
    assert sum(row["lines"] for row in run.rows["session"]) == 52
    assert comparable(
        [{**row, "first_file": "", "last_file": ""} for row in run.rows["session"]]
    ) == comparable(
        [{**row, "first_file": "", "last_file": ""} for row in rows_of(file)["session"]]
    )
