"""The physical lines of a file, plain or compressed, in constant memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple

from lockstep.system.compressed_stream import (
    LONGEST_MAGIC,
    DamagedStream,
    compression_of,
    decompressed,
)

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

    The content, not the name, tells whether the file is compressed, by gzip or zstd; a file of
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
