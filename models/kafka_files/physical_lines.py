"""The physical lines of a file, plain or compressed, in constant memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from models.kafka_files.compressed_stream import (
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


def physical_lines(
    path: str | os.PathLike[str], *, longest: int = LONGEST_LINE
) -> Iterator[PhysicalLine]:
    r"""Every line of the file, or of the standard input for `-`, each once; only `\n` ends a line.

    The content, not the name, tells whether the file is compressed, by gzip or zstd; a file of
    several members or frames is read to its end. A damaged or cut stream ends with one line that
    has a flaw. What follows the damage is lost, and so is a little before it.

    Raises `OSError` when the file cannot be opened or read; `DamagedStream`, which is one, after
    the line that has the flaw.
    """
    number = 0
    held = bytearray()
    let_go = 0
    damage: DamagedStream | None = None
    try:
        for block in _blocks(path):
            *ended, rest = block.split(b"\n")
            for piece in ended:
                number += 1
                if held or let_go or len(piece) > longest:
                    held += piece
                    yield _line(number, held, let_go, longest, has_end=True)
                    held.clear()
                    let_go = 0
                else:
                    yield PhysicalLine(number, piece, True, None)
            held += rest
            if len(held) > longest:
                let_go += len(held)
                held.clear()
    except DamagedStream as error:
        damage = error
    if damage is not None:
        yield PhysicalLine(number + 1, bytes(held), False, str(damage))
        raise damage
    if held or let_go:
        yield _line(number + 1, held, let_go, longest, has_end=False)


def _line(
    number: int, held: bytearray, let_go: int, longest: int, *, has_end: bool
) -> PhysicalLine:
    size = let_go + len(held)
    if size > longest:
        flaw = f"the line has {size} bytes; no more than {longest} are held"
        return PhysicalLine(number, b"", has_end, flaw)
    return PhysicalLine(number, bytes(held), has_end, None)


def _blocks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    if path == STANDARD_INPUT:
        yield from _blocks_of(sys.stdin.buffer)
        return
    with open(path, "rb") as file:
        yield from _blocks_of(file)


def _blocks_of(file: BinaryIO) -> Iterator[bytes]:
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
