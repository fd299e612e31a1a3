"""Which bytes of files are read, cut anywhere, and which lines come of them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import suppress
from itertools import permutations
from pathlib import Path
from unittest.mock import patch

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lockstep.errors import LockstepError
from lockstep_kafka.files.log_files import log_paths
from lockstep_kafka.files.physical_lines import (
    DamagedStream,
    PhysicalLine,
    compression_of,
    lines_of,
    physical_lines,
)
from lockstep_kafka.fleet import log_ranges
from lockstep_kafka.fleet.arrival import arrived, range_row
from lockstep_kafka.fleet.log_files import LogFile, look_at, paths_of
from lockstep_kafka.fleet.log_ranges import ReadFiles
from lockstep_kafka.fleet.pieces import range_blocks
from lockstep_kafka.fleet.recognised import recognised
from tests.kafka.fleet.pipeline import measure_all


def no_time(_: bytes) -> int | None:
    return None


def look(*logs: Path) -> list[LogFile]:
    return look_at(paths_of(list(map(str, logs))), no_time)


def new_of(files: list[LogFile], before: ReadFiles) -> list[log_ranges.LogRange]:
    to_read, _ = recognised(files, lambda _: "", before, {})
    return arrived(to_read, measure_all).ranges


def read(*logs: Path) -> list[PhysicalLine]:
    """Every line of some logs, as tasks read them."""
    return [line for one in new_of(look(*logs), ReadFiles({})) for line in lines(one)]


def lines(range_: log_ranges.LogRange) -> Iterator[PhysicalLine]:
    row = range_row(range_, 0, 0)
    if row["begin"] < row["end"] or row["flaw"] is not None:
        with suppress(DamagedStream):
            yield from lines_of(range_blocks(row["path"], row), row["first_line"], row["begin"])


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
        assert read(file) == list(physical_lines(file))


@given(content=CONTENT.map(b"".join))
def test_compressed_files_have_every_line(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("compressed") / "server.log"
    for packed in (gzip.compress(content, 1), zstandard.compress(content)):
        file.write_bytes(packed)
        assert read(file) == list(physical_lines(file))


def test_a_damaged_file_says_so_in_its_last_line(tmp_path: Path) -> None:
    file = tmp_path / "server.log.gz"
    content = b"".join(b"line %d\n" % number for number in range(50_000))
    for kept in (12, 20_000):
        file.write_bytes(gzip.compress(content, 1)[:kept])
        *_, last = rows = read(file)
        assert last.flaw == "the gzip stream is cut short: the file ends before it does"
        assert last.number == len(rows)


def test_a_damaged_file_that_has_become_whole(tmp_path: Path) -> None:
    file = tmp_path / "server.log.gz"
    content = b"".join(b"line %d\n" % number for number in range(50_000))
    packed = gzip.compress(content, 1)
    first_read: dict[log_ranges.Identity, log_ranges.ReadSoFar] = {}
    numbers = []
    for kept in (20_000, len(packed)):
        file.write_bytes(packed[:kept])
        (new,) = new_of(look(file), ReadFiles(first_read))
        first_read[new.file] = log_ranges.ReadSoFar(new.end, new.lines, new.stored)
        numbers += [line.number for line in lines(new) if line.flaw is None]
    assert numbers == list(range(1, 50_001))


def test_a_copy_is_not_read_twice(tmp_path: Path) -> None:
    content = b"".join(b"line %d\n" % number for number in range(500))
    tmp_path.joinpath("a.log").write_bytes(content)
    tmp_path.joinpath("b.log.gz").write_bytes(gzip.compress(content + b"more\n"))
    assert [line.content for line in read(tmp_path)] == [*content.splitlines(), b"more"]


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_the_longest_of_several_copies_is_read(tmp_path: Path, order: tuple[str, ...]) -> None:
    content = b"".join(b"line %d\n" % number for number in range(500))
    files = [tmp_path / name for name in order]
    for file, size in zip(files, (2_000, 3_000, len(content)), strict=True):
        file.write_bytes(content[:size])
    to_read, copies = recognised(look(tmp_path), lambda _: "", ReadFiles({}), {})
    *shorter, longest = map(str, files)
    assert [one.file.path for one in to_read] == [longest]
    assert copies == dict.fromkeys(shorter, longest)


def test_folders_and_patterns(tmp_path: Path) -> None:
    for name in ("a/x/1.log", "a/.hidden/2.log", "a/.3.log", "b/4.log"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name}\n")
    names = [Path(file.path).name for file in look(tmp_path / "*" / "*.log")]
    assert names == ["4.log"]
    logs = [tmp_path / "a", tmp_path / "b", tmp_path / "b" / "4.log"]
    assert [Path(file.path).name for file in look(*logs)] == ["1.log", "4.log"]
    assert [file.path for file in look(*logs)] == log_paths(list(map(str, logs)))
    for log in ("nothing", "*.none", "-"):
        with pytest.raises(LockstepError):
            look(Path(log) if log == "-" else tmp_path / log)


def test_a_file_that_is_stored_as_before_is_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "server.log"
    file.write_text("line\n")
    (looked_at,) = look(file)
    file.chmod(0)
    assert look_at([str(file)], no_time, {str(file): looked_at.stored}) == []


def test_another_file_at_the_path_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "server.log"
    file.write_text("line\n")
    (range_,) = new_of(look(file), ReadFiles({}))
    file.write_text("another line\n")
    with pytest.raises(EOFError, match="has become another file"):
        list(lines(range_))
