"""Which bytes of files are read, cut anywhere, and which lines come of them."""

from __future__ import annotations

import gzip
from pathlib import Path
from unittest.mock import patch

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lockstep.errors import LockstepError
from lockstep.system.compressed_stream import compression_of
from lockstep.system.physical_lines import physical_lines
from lockstep_kafka.files.log_files import log_paths
from lockstep_kafka.fleet import log_ranges
from lockstep_kafka.fleet.arrival import arrived, range_row
from lockstep_kafka.fleet.columns import RANGES, batches_of
from lockstep_kafka.fleet.log_files import look_at
from lockstep_kafka.fleet.log_ranges import ReadFiles
from lockstep_kafka.fleet.reading import lines
from tests.kafka.fleet.pipeline import Rows, measure_all


def no_time(_: bytes) -> int | None:
    return None


def read(*logs: Path) -> Rows:
    """Every line of some logs, as tasks read them."""
    new = arrived(look_at(list(map(str, logs)), no_time), lambda _: "", ReadFiles({}), measure_all)
    rows = [range_row(one, 0) for one in new.ranges]
    return [row for batch in lines(batches_of(rows, RANGES)) for row in batch.to_pylist()]


def in_one_go(file: Path) -> list[tuple[object, ...]]:
    return [tuple(line) for line in physical_lines(file)]


def as_lines(rows: Rows) -> list[tuple[object, ...]]:
    columns = ("line", "content", "has_end", "flaw", "offset")
    return [tuple(row[column] for column in columns) for row in rows]


CONTENT = st.lists(st.sampled_from([b"\n", b"x", b"{}", b"abcdefgh", b"\xff\n"]), max_size=40)


@given(content=CONTENT.map(b"".join), chunk=st.integers(1, 20))
def test_chunks_have_every_line_once(
    content: bytes, chunk: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("chunks") / "server.log"
    whole = content + b"\n"
    assert compression_of(whole) is None
    file.write_bytes(whole)
    with patch.object(log_ranges, "CHUNK", chunk):
        assert as_lines(read(file)) == in_one_go(file)


@given(content=CONTENT.map(b"".join))
def test_compressed_files_have_every_line(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("compressed") / "server.log"
    for packed in (gzip.compress(content, 1), zstandard.compress(content)):
        file.write_bytes(packed)
        assert as_lines(read(file)) == in_one_go(file)


def test_a_damaged_file_says_so_in_its_last_line(tmp_path: Path) -> None:
    file = tmp_path / "server.log.gz"
    content = b"".join(b"line %d\n" % number for number in range(50_000))
    for kept in (12, 20_000):
        file.write_bytes(gzip.compress(content, 1)[:kept])
        *_, last = rows = read(file)
        assert last["flaw"] == "the gzip stream is cut short: the file ends before it does"
        assert last["line"] == len(rows)


def test_a_damaged_file_that_has_become_whole(tmp_path: Path) -> None:
    file = tmp_path / "server.log.gz"
    content = b"".join(b"line %d\n" % number for number in range(50_000))
    packed = gzip.compress(content, 1)
    first_read: dict[log_ranges.Identity, log_ranges.ReadSoFar] = {}
    numbers = []
    for kept in (20_000, len(packed)):
        file.write_bytes(packed[:kept])
        files = look_at([str(file)], no_time)
        (new,) = arrived(files, lambda _: "", ReadFiles(first_read), measure_all).ranges
        first_read[new.file] = log_ranges.ReadSoFar(new.end, new.lines, new.stored)
        rows = [
            row
            for batch in lines(batches_of([range_row(new, 0)], RANGES))
            for row in batch.to_pylist()
        ]
        numbers += [row["line"] for row in rows if row["flaw"] is None]
    assert numbers == list(range(1, 50_001))


def test_a_copy_is_not_read_twice(tmp_path: Path) -> None:
    content = b"".join(b"line %d\n" % number for number in range(500))
    tmp_path.joinpath("a.log").write_bytes(content)
    tmp_path.joinpath("b.log.gz").write_bytes(gzip.compress(content + b"more\n"))
    assert [row["content"] for row in read(tmp_path)] == [*content.splitlines(), b"more"]


def test_folders_and_patterns(tmp_path: Path) -> None:
    for name in ("a/x/1.log", "a/.hidden/2.log", "a/.3.log", "b/4.log"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name}\n")
    names = [Path(file.path).name for file in look_at([str(tmp_path / "*" / "*.log")], no_time)]
    assert names == ["4.log"]
    logs = [str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "b" / "4.log")]
    assert [Path(file.path).name for file in look_at(logs, no_time)] == ["1.log", "4.log"]
    assert [file.path for file in look_at(logs, no_time)] == log_paths(logs)
    for log in ("nothing", "*.none", "-"):
        with pytest.raises(LockstepError):
            look_at([log if log == "-" else str(tmp_path / log)], no_time)
