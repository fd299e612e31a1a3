"""Splitting files into lines, compressed or not, whole or damaged."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.kafka_files.physical_lines import PhysicalLine, physical_lines

# Longer than the blocks in which files are read.
LONG = bytes(range(11, 256)) * 600


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("physical-lines") / "server.log"


def lines_of(file: Path, content: bytes) -> list[PhysicalLine]:
    file.write_bytes(content)
    return list(physical_lines(file))


def expected(content: bytes) -> list[PhysicalLine]:
    *ended, rest = content.split(b"\n")
    lines = [PhysicalLine(number, line, True, None) for number, line in enumerate(ended, 1)]
    return [*lines, PhysicalLine(len(ended) + 1, rest, False, None)] if rest else lines


contents = st.lists(
    st.one_of(st.binary(max_size=20), st.sampled_from([b"\n", b"\r\n", b"\n\n", LONG])), max_size=8
).map(b"".join)


@given(content=contents.filter(lambda content: not content.startswith(b"\x1f\x8b")))
@settings(deadline=None)
def test_plain(file: Path, content: bytes) -> None:
    assert lines_of(file, content) == expected(content)


@given(members=st.lists(contents, min_size=1, max_size=3), padding=st.integers(0, 3))
@settings(deadline=None)
def test_gzip_of_several_members(file: Path, members: list[bytes], padding: int) -> None:
    packed = b"".join(gzip.compress(member, 1) + b"\0" * padding for member in members)
    assert lines_of(file, packed) == expected(b"".join(members))


def test_gzip_that_unpacks_to_far_more_than_a_block(file: Path) -> None:
    content = (b"x" * 99 + b"\n") * 50_000
    assert lines_of(file, gzip.compress(content)) == expected(content)


@given(content=contents, data=st.data())
@settings(deadline=None)
def test_gzip_cut_short(file: Path, content: bytes, data: st.DataObject) -> None:
    packed = gzip.compress(content, 1)
    size = data.draw(st.integers(2, len(packed) - 1))
    *whole, last = lines_of(file, packed[:size])
    assert whole == expected(content)[: len(whole)]
    assert (last.number, last.has_end) == (len(whole) + 1, False)
    assert last.flaw == "the gzip stream is cut short: the file ends before it does"


def test_gzip_cut_before_its_check_sum_keeps_all_lines(file: Path) -> None:
    content = b"".join(b"line %d\n" % number for number in range(20_000))
    *whole, last = lines_of(file, gzip.compress(content)[:-8])
    assert whole == expected(content)
    assert (last.number, last.content) == (20_001, b"")


@pytest.mark.parametrize("damage", [b"plain text\n", b"\x1f\x8bno member"])
def test_something_else_after_a_member(file: Path, damage: bytes) -> None:
    first, second = lines_of(file, gzip.compress(b"first\n") + damage)
    assert first == PhysicalLine(1, b"first", True, None)
    assert (second.number, second.content, second.has_end) == (2, b"", False)
    assert second.flaw is not None
    assert second.flaw.startswith("the gzip stream is damaged")


def test_a_false_check_sum(file: Path) -> None:
    packed = bytearray(gzip.compress(b"first\nsecond"))
    packed[-5] ^= 1
    *_, last = lines_of(file, bytes(packed))
    assert last.flaw is not None
    assert "incorrect" in last.flaw


@pytest.mark.parametrize("longest", [10, 70_000, 200_000])
def test_lines_too_long_to_hold(file: Path, longest: int) -> None:
    sizes = [longest, longest + 1, 3, 3 * longest, 0, longest + 200_000, longest]
    file.write_bytes(b"\n".join(b"x" * size for size in sizes))
    lines = list(physical_lines(file, longest=longest))
    assert [line.number for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    assert [line.has_end for line in lines] == [True] * 6 + [False]
    for line, size in zip(lines, sizes, strict=True):
        if size <= longest:
            assert line[1:] == (b"x" * size, size != sizes[-1] or line.number == 1, None)
        else:
            assert line.content == b""
            assert line.flaw == f"the line has {size} bytes; no more than {longest} are held"


def test_the_name_does_not_matter(tmp_path: Path) -> None:
    plain = tmp_path / "server.log.gz"
    assert lines_of(plain, b"a line\n") == expected(b"a line\n")


def test_an_empty_file(file: Path) -> None:
    assert lines_of(file, b"") == []
    assert lines_of(file, gzip.compress(b"")) == []
