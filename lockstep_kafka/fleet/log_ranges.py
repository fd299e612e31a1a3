"""Ranges of log files: which bytes of which file are read together, and which were read before.

A file is known by how its content begins, wherever it stands and however it is compressed: so a
rotated, compressed or longer file is gone on with where it was left. Bytes are counted in the
content.
"""

from __future__ import annotations

import hashlib
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lockstep.system.compressed_stream import DamagedStream
from lockstep.system.physical_lines import blocks_of
from lockstep_kafka.fleet.log_files import LogFile

CHUNK = 64 * 2**20
"""The bytes of a plain file that one task reads."""

_BLOCK = 2**20


@dataclass(frozen=True)
class Identity:
    """How the content of a file begins: its first `size` bytes, by their SHA-256.

    `broker` is that of its path, where paths name brokers; empty otherwise.
    """

    broker: str
    size: int
    digest: str


@dataclass(frozen=True)
class ReadSoFar:
    """How much of a file was read: bytes, and lines.

    `stored` is the size of the compressed file, None where it was plain.
    """

    end: int = 0
    lines: int = 0
    stored: int | None = None


class ReadFiles:
    """The files that were read before."""

    def __init__(self, read: Mapping[Identity, ReadSoFar]) -> None:
        self._read = read
        self._sizes: defaultdict[str, set[int]] = defaultdict(set)
        for identity in read:
            self._sizes[identity.broker].add(identity.size)

    def identity(self, file: LogFile, broker: str) -> Identity:
        """That of a known file, or a new one.

        A file that was short when it was first read is known by the bytes that it then had.
        """
        for size in sorted(self._sizes[broker], reverse=True):
            identity = _identity(file.head, broker, size)
            if size <= len(file.head) and identity in self._read:
                return identity
        return _identity(file.head, broker, len(file.head))

    def so_far(self, identity: Identity) -> ReadSoFar | None:
        """How much of a file was read; None of a new one."""
        return self._read.get(identity)


def _identity(head: bytes, broker: str, size: int) -> Identity:
    return Identity(broker, size, hashlib.sha256(head[:size]).hexdigest())


@dataclass(frozen=True)
class Chunk:
    """Bytes whose lines are to be counted: all of a file where it is compressed.

    `end` is None there. `stored` is the number of bytes that have to be read.
    """

    path: str
    begin: int
    end: int | None
    stored: int


@dataclass(frozen=True)
class Measure:
    """What was counted in a chunk.

    `end` is where its last whole line ends, or where the chunk begins if none does. `flaw` says why
    a compressed file cannot be read on from there, or is None.
    """

    lines: int
    end: int
    flaw: str | None = None


@dataclass(frozen=True)
class LogRange:
    """Whole lines of a file: `lines` of them from `first_line` on, in the bytes `begin` to `end`.

    Ranges are followed in the order of `order`, which all ranges of a file in one run share, and
    then of their lines. `stored` is the size of the file where it is compressed, None where it is
    plain. `flaw` says why the file cannot be read on behind them, or is None.
    """

    file: Identity
    path: str
    stored: int | None
    order: int
    begin: int
    end: int
    first_line: int
    lines: int
    flaw: str | None = None


def chunks_of(file: LogFile, read: ReadSoFar | None) -> list[Chunk]:
    """What has to be counted of a file: of a plain one only what was not read before.

    Of a compressed one that is all, unless it has the size that it had when it was read.
    """
    if file.is_compressed:
        is_same = read is not None and read.stored == file.size
        return [] if is_same else [Chunk(file.path, 0, None, file.size)]
    start = 0 if read is None else read.end
    return [
        Chunk(file.path, begin, end, end - begin)
        for begin in range(start, file.size, CHUNK)
        for end in [min(begin + CHUNK, file.size)]
    ]


def measured(chunk: Chunk) -> Measure:
    """Count the lines of a chunk. `OSError` where the file cannot be read."""
    with open(chunk.path, "rb") as file:
        if chunk.end is None:
            return _measured_to_the_end(blocks_of(file))
        file.seek(chunk.begin)
        return _measured(file, chunk.begin, chunk.end)


def _measured(file: io.BufferedReader, begin: int, end: int) -> Measure:
    """The newlines count: the line behind the last one ends in the next chunk, or is unfinished."""
    lines, whole, at = 0, begin, begin
    while at < end and (block := file.read(min(_BLOCK, end - at))):
        lines += block.count(b"\n")
        if (newline := block.rfind(b"\n")) >= 0:
            whole = at + newline + 1
        at += len(block)
    return Measure(lines, whole)


def _measured_to_the_end(content: Iterator[bytes]) -> Measure:
    """A compressed file is complete: a last line without a newline is one, too."""
    lines = whole = at = 0
    try:
        for block in content:
            lines += block.count(b"\n")
            if (newline := block.rfind(b"\n")) >= 0:
                whole = at + newline + 1
            at += len(block)
    except DamagedStream as damaged:
        return Measure(lines, whole, str(damaged))
    return Measure(lines + (at > whole), at)


def ranges_of(
    file: LogFile, identity: Identity, read: ReadSoFar | None, measures: Sequence[Measure]
) -> list[LogRange]:
    """What was not read before of a file, of which these chunks were measured.

    The order is 0, for the file's place among others is not known here. A compressed file has a
    range even without new lines, so that it is not measured again.
    """
    read = read or ReadSoFar()
    stored = None
    if file.is_compressed:
        stored = file.size
        measures = [
            Measure(max(whole.lines - read.lines, 0), max(whole.end, read.end), whole.flaw)
            for whole in measures
        ]
    ranges = []
    begin, first_line = read.end, read.lines + 1
    for part in measures:
        if part.lines or file.is_compressed:
            ranges.append(
                LogRange(
                    identity,
                    file.path,
                    stored,
                    0,
                    begin,
                    part.end,
                    first_line,
                    part.lines,
                    part.flaw,
                )
            )
            begin, first_line = part.end, first_line + part.lines
    return ranges
