"""The physical lines of a file, plain or compressed, in constant memory."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple, Protocol

import zstandard

STANDARD_INPUT = "-"

LONGEST_LINE = 64 * 2**20
"""Bytes of one line that are held at most: some hundred thousand partitions in one fetch."""

_BLOCK = 64 * 2**10


class PhysicalLine(NamedTuple):
    """The bytes between two newlines."""

    number: int
    """Counted from 1."""
    content: bytes
    """Without the newline. Empty when the line is too long to hold."""
    has_end: bool
    """Whether a newline follows: False only for the last line of a file."""
    flaw: str | None
    """Why `content` is not the whole line, or None."""
    offset: int = 0
    """The bytes of the content before the line."""


def physical_lines(
    path: str | os.PathLike[str],
    *,
    longest: int = LONGEST_LINE,
    opened: Callable[[BinaryIO], object] | None = None,
) -> Iterator[PhysicalLine]:
    r"""Every line of the file, or of the standard input for `-`, each once; only `\n` ends a line.

    The content, not the name, says whether the file is compressed, by gzip or zstd; a file of
    several members or frames is read to its end. A damaged or cut stream ends with one line that
    has a flaw. What follows the damage is lost, and so is a little before it. `opened` takes the
    file, which says how far the reading is, but for the standard input.

    Raises `OSError` when the file cannot be opened or read; `DamagedStream`, which is one, after
    the line that has the flaw.
    """
    if path == STANDARD_INPUT:
        yield from lines_of(blocks_of(sys.stdin.buffer), longest=longest)
        return
    with open(path, "rb") as file:
        if opened is not None:
            opened(file)
        yield from lines_of(blocks_of(file), longest=longest)


def lines_of(
    blocks: Iterable[bytes], number: int = 1, offset: int = 0, *, longest: int = LONGEST_LINE
) -> Iterator[PhysicalLine]:
    """The lines of blocks of bytes; the first one has this number and stands at this offset.

    Raises `DamagedStream` as `physical_lines` does, where the blocks raise it.
    """
    held = bytearray()
    let_go = 0
    damage: DamagedStream | None = None
    try:
        for block in blocks:
            *ended, rest = block.split(b"\n")
            for piece in ended:
                size = len(piece)
                if held or let_go or size > longest:
                    held += piece
                    size = let_go + len(held)
                    yield _line(number, held, size, longest, offset, has_end=True)
                    held.clear()
                    let_go = 0
                else:
                    yield PhysicalLine(number, piece, True, None, offset)
                number += 1
                offset += size + 1
            held += rest
            if len(held) > longest:
                let_go += len(held)
                held.clear()
    except DamagedStream as error:
        damage = error
    if damage is not None:
        yield PhysicalLine(number, bytes(held), False, str(damage), offset)
        raise damage
    if held or let_go:
        yield _line(number, held, let_go + len(held), longest, offset, has_end=False)


def _line(
    number: int, held: bytearray, size: int, longest: int, offset: int, *, has_end: bool
) -> PhysicalLine:
    if size > longest:
        flaw = f"the line has {size} bytes; no more than {longest} are held"
        return PhysicalLine(number, b"", has_end, flaw, offset)
    return PhysicalLine(number, bytes(held), has_end, None, offset)


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    """The content of a file, which may be compressed; `DamagedStream` after what can be read."""
    block = _next_block(file)
    while len(block) < LONGEST_MAGIC and (more := _next_block(file)):
        block += more
    compression = compression_of(block)
    if compression is not None:
        yield from decompressed(compression, block, lambda: _next_block(file))
        return
    while block:
        yield block
        block = _next_block(file)


def _next_block(file: BinaryIO) -> bytes:
    # `read` would wait until a pipe has a whole block.
    return file.read1(_BLOCK)  # type: ignore[attr-defined, no-any-return]


_PIECE = 2**10
"""Compressed bytes that are taken at once: zstd may make 32,768 times as many of them."""

LONGEST_MAGIC = 4
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"
"""Stands behind one byte from 0x50 to 0x5f: a frame without content, which may come first."""


class DamagedStream(OSError):
    """A compressed stream is damaged or cut, and cannot be read on."""


class _Member(Protocol):
    """The decompression of one gzip member or zstd frame."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class Compression(NamedTuple):
    """How a stream is compressed."""

    name: str
    begin: Callable[[], _Member]
    padding: bytes
    """The bytes that may stand between members, and mean nothing."""


_GZIP = Compression("gzip", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS), b"\0")
_ZSTD = Compression("zstd", lambda: zstandard.ZstdDecompressor().decompressobj(), b"")


def compression_of(beginning: bytes) -> Compression | None:
    """How a stream is compressed that begins so; None where it is not."""
    if beginning.startswith(_GZIP_MAGIC):
        return _GZIP
    is_skippable = beginning[1:4] == _ZSTD_SKIPPABLE and beginning[0] >> 4 == 5
    return _ZSTD if is_skippable or beginning.startswith(_ZSTD_MAGIC) else None


def decompressed(
    compression: Compression, block: bytes, next_block: Callable[[], bytes]
) -> Iterator[bytes]:
    """The content of a stream, piece by piece; `next_block` gives b"" at its end.

    `DamagedStream` after all that can be read. Python's readers would raise before that.
    """
    member: _Member | None = None
    for piece in _pieces(block, next_block):
        while piece:
            if member is None:
                piece = piece.lstrip(compression.padding)
                if not piece:
                    break
                member = compression.begin()
            try:
                content = member.decompress(piece)
            except (zlib.error, zstandard.ZstdError) as error:
                what = f"the {compression.name} stream is damaged and cannot be read on"
                raise DamagedStream(f"{what}: {error}") from error
            if content:
                yield content
            if not member.eof:
                break
            piece, member = member.unused_data, None
    if member is not None:
        what = f"the {compression.name} stream is cut short"
        raise DamagedStream(f"{what}: the file ends before it does")


def _pieces(block: bytes, next_block: Callable[[], bytes]) -> Iterator[bytes]:
    while block:
        for start in range(0, len(block), _PIECE):
            yield block[start : start + _PIECE]
        block = next_block()
