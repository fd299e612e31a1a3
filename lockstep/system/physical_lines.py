"""The physical lines of a file, plain or compressed, in constant memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lockstep.system.compressed import Damaged, blocks

STANDARD_INPUT = "-"

LONGEST_LINE = 64 * 2**20
"""Bytes of one line that are held at most: some hundred thousand partitions in one fetch."""


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
    """Bytes before the line in the file, or in what it is the compressed form of."""


def physical_lines(
    path: str | os.PathLike[str], *, longest: int = LONGEST_LINE
) -> Iterator[PhysicalLine]:
    r"""Every line of the file, or of the standard input for `-`, each once; only `\n` ends a line.

    The content, not the name, tells whether the file is compressed by gzip or zstd. A damaged or
    cut stream ends with one line that has a flaw. What follows the damage is lost, and so are at
    most the last 64 KiB before it.

    Raises `OSError` when the file cannot be opened or read.
    """
    if path == STANDARD_INPUT:
        yield from lines_of(blocks(sys.stdin.buffer), longest=longest)
        return
    with open(path, "rb") as file:
        yield from lines_of(blocks(file), longest=longest)


def lines_of(
    content: Iterable[bytes], number: int = 1, offset: int = 0, *, longest: int = LONGEST_LINE
) -> Iterator[PhysicalLine]:
    """The lines of blocks of bytes; the first one has this number and stands at this offset."""
    held = bytearray()
    let_go = 0
    damage: str | None = None
    try:
        for block in content:
            *ended, rest = block.split(b"\n")
            for piece in ended:
                size = len(piece)
                if held or let_go or size > longest:
                    held += piece
                    size = let_go + len(held)
                    yield _line(number, held, let_go, longest, offset, has_end=True)
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
    except Damaged as damaged:
        damage = str(damaged)
    if damage is not None:
        yield PhysicalLine(number, bytes(held), False, damage, offset)
    elif held or let_go:
        yield _line(number, held, let_go, longest, offset, has_end=False)


def _line(
    number: int, held: bytearray, let_go: int, longest: int, offset: int, *, has_end: bool
) -> PhysicalLine:
    size = let_go + len(held)
    if size > longest:
        flaw = f"the line has {size} bytes; no more than {longest} are held"
        return PhysicalLine(number, b"", has_end, flaw, offset)
    return PhysicalLine(number, bytes(held), has_end, None, offset)
