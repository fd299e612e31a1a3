"""Splitting files into lines, compressed or not, whole or damaged."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep_kafka.files.physical_lines import (
    DamagedStream,
    PhysicalLine,
    compression_of,
    physical_lines,
)

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
    lines, offset = [], 0
    for number, line in enumerate(ended, 1):
        lines.append(PhysicalLine(number, line, True, None, offset))
        offset += len(line) + 1
    return [*lines, PhysicalLine(len(ended) + 1, rest, False, None, offset)] if rest else lines


contents = st.lists(
    st.one_of(st.binary(max_size=20), st.sampled_from([b"\n", b"\r\n", b"\n\n", LONG])), max_size=8
).map(b"".join)


Compress = Callable[[bytes], bytes]


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, 1)


def zstandard_frame(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(content)


NAMES: dict[Compress, str] = {gzipped: "gzip", zstandard_frame: "zstd"}
COMPRESSED = pytest.mark.parametrize("compress", NAMES)


def damaged(file: Path, content: bytes) -> tuple[list[PhysicalLine], PhysicalLine]:
    """The whole lines of a damaged file, and its last one; the file is said to be damaged."""
    file.write_bytes(content)
    lines: list[PhysicalLine] = []
    with pytest.raises(DamagedStream) as error:
        lines.extend(physical_lines(file))
    *whole, last = lines
    assert (last.number, last.has_end, last.flaw) == (len(whole) + 1, False, str(error.value))
    return whole, last


@given(content=contents.filter(lambda content: compression_of(content) is None))
@settings(deadline=None)
def test_plain(file: Path, content: bytes) -> None:
    assert lines_of(file, content) == expected(content)


@given(members=st.lists(contents, min_size=1, max_size=3), padding=st.integers(0, 3))
@settings(deadline=None)
def test_gzip_of_several_members(file: Path, members: list[bytes], padding: int) -> None:
    packed = b"".join(gzipped(member) + b"\0" * padding for member in members)
    assert lines_of(file, packed) == expected(b"".join(members))


@given(frames=st.lists(st.tuples(contents, st.none() | st.binary(max_size=9)), min_size=1))
@settings(deadline=None)
def test_zstd_of_several_frames(file: Path, frames: list[tuple[bytes, bytes | None]]) -> None:
    """Frames without content may stand before any of them, as `pzstd` writes them."""
    packed = b""
    for content, skipped in frames:
        if skipped is not None:
            packed += b"\x5e\x2a\x4d\x18" + len(skipped).to_bytes(4, "little") + skipped
        packed += zstandard_frame(content)
    assert lines_of(file, packed) == expected(b"".join(content for content, _ in frames))


@COMPRESSED
def test_a_stream_that_unpacks_to_far_more_than_a_block(file: Path, compress: Compress) -> None:
    content = (b"x" * 99 + b"\n") * 50_000
    assert lines_of(file, compress(content)) == expected(content)


@COMPRESSED
@given(content=contents, data=st.data())
@settings(deadline=None)
def test_cut_short(file: Path, compress: Compress, content: bytes, data: st.DataObject) -> None:
    packed = compress(content)
    size = data.draw(st.integers(4, len(packed) - 1))
    whole, last = damaged(file, packed[:size])
    assert whole == expected(content)[: len(whole)]
    name = NAMES[compress]
    assert last.flaw == f"the {name} stream is cut short: the file ends before it does"


@COMPRESSED
def test_cut_before_its_check_sum_keeps_all_lines(file: Path, compress: Compress) -> None:
    content = b"".join(b"line %d\n" % number for number in range(20_000))
    whole, last = damaged(file, compress(content)[:-4])
    assert whole == expected(content)
    assert (last.number, last.content) == (20_001, b"")


@COMPRESSED
@pytest.mark.parametrize("damage", [b"plain text\n", b"\x1f\x8bno member"])
def test_something_else_after_a_member(file: Path, compress: Compress, damage: bytes) -> None:
    (first,), second = damaged(file, compress(b"first\n") + damage)
    assert first == PhysicalLine(1, b"first", True, None)
    assert second.content == b""
    assert second.flaw is not None
    assert second.flaw.startswith(f"the {NAMES[compress]} stream is damaged")


@COMPRESSED
@pytest.mark.parametrize("place", [-1, -4])
def test_a_false_check_sum(file: Path, compress: Compress, place: int) -> None:
    packed = bytearray(compress(b"first\nsecond"))
    packed[place if compress is zstandard_frame else place - 4] ^= 1
    _, last = damaged(file, bytes(packed))
    assert last.flaw is not None
    assert "incorrect" in last.flaw or "match checksum" in last.flaw


def test_a_window_larger_than_what_may_be_held(file: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28)
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    _, last = damaged(file, stream.compress(b"a line\n") + stream.flush())
    assert last.flaw is not None
    assert last.flaw.endswith("Frame requires too much memory for decoding")


@pytest.mark.parametrize("longest", [10, 70_000, 200_000])
def test_lines_too_long_to_hold(file: Path, longest: int) -> None:
    sizes = [longest, longest + 1, 3, 3 * longest, 0, longest + 200_000, longest]
    file.write_bytes(b"\n".join(b"x" * size for size in sizes))
    lines = list(physical_lines(file, longest=longest))
    assert [line.number for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    assert [line.has_end for line in lines] == [True] * 6 + [False]
    assert [line.offset for line in lines] == [sum(sizes[:n]) + n for n in range(7)]
    for line, size in zip(lines, sizes, strict=True):
        if size <= longest:
            assert line[1:4] == (b"x" * size, size != sizes[-1] or line.number == 1, None)
        else:
            assert line.content == b""
            assert line.flaw == f"the line has {size} bytes; no more than {longest} are held"


def test_the_name_does_not_matter(tmp_path: Path) -> None:
    plain = tmp_path / "server.log.gz"
    assert lines_of(plain, b"a line\n") == expected(b"a line\n")


def test_an_empty_file(file: Path) -> None:
    assert lines_of(file, b"") == []
    assert lines_of(file, gzipped(b"")) == []
    assert lines_of(file, zstandard_frame(b"")) == []
