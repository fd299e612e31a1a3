"""The physical lines of a file, plain or gzip-compressed, in constant memory."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

STANDARD_INPUT = "-"

LONGEST_LINE = 64 * 2**20
"""Bytes of one line that are held at most: some hundred thousand partitions in one fetch."""

_BLOCK = 64 * 2**10
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW_BITS = 16 + zlib.MAX_WBITS


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


class _Damaged(Exception):
    """The compressed stream cannot be read on."""


def physical_lines(
    path: str | os.PathLike[str], *, longest: int = LONGEST_LINE
) -> Iterator[PhysicalLine]:
    r"""Every line of the file, or of the standard input for `-`, each once; only `\n` ends a line.

    The content, not the name, tells whether the file is gzip-compressed; a file of several gzip
    members is read to its end. A damaged or cut stream ends with one line that has a flaw. What
    follows the damage is lost, and so are at most the last 64 KiB before it.

    Raises `OSError` when the file cannot be opened or read.
    """
    number = 0
    held = bytearray()
    let_go = 0
    damage: str | None = None
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
    except _Damaged as damaged:
        damage = str(damaged)
    if damage is not None:
        yield PhysicalLine(number + 1, bytes(held), False, damage)
    elif held or let_go:
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
    if len(block) == 1 and _GZIP_MAGIC.startswith(block):
        block += _next_block(file)
    if block.startswith(_GZIP_MAGIC):
        yield from _decompressed(block, file)
        return
    while block:
        yield block
        block = _next_block(file)


def _next_block(file: BinaryIO) -> bytes:
    # `read` would wait until a pipe has a whole block.
    return file.read1(_BLOCK)  # type: ignore[attr-defined, no-any-return]


def _decompressed(compressed: bytes, file: BinaryIO) -> Iterator[bytes]:
    # Python's gzip module raises at the cut of a stream and takes the last whole lines with it.
    member = zlib.decompressobj(_GZIP_WINDOW_BITS)
    while compressed:
        try:
            block = member.decompress(compressed, _BLOCK)
        except zlib.error as error:
            raise _Damaged(f"the gzip stream is damaged and cannot be read on: {error}") from error
        if block:
            yield block
        compressed = member.unconsumed_tail
        if member.eof:
            # Zeros may pad the end of a member.
            compressed = member.unused_data.lstrip(b"\0")
            while not compressed and (more := _next_block(file)):
                compressed = more.lstrip(b"\0")
            if not compressed:
                return
            member = zlib.decompressobj(_GZIP_WINDOW_BITS)
        compressed = compressed or _next_block(file)
    if rest := member.flush():
        yield rest
    if not member.eof:
        raise _Damaged("the gzip stream is cut short: the file ends before it does")
