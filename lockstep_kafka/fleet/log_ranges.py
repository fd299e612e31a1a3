"""Ranges of log files: which bytes of which file are read together, and which were read before.

A file is known by how its content begins, wherever it stands and however it is compressed: so a
rotated, compressed or longer file is gone on with where it was left. Bytes are counted in the
content.
"""

from __future__ import annotations

import hashlib
import io
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from lockstep_kafka.files.physical_lines import DamagedStream, blocks_of
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

    `stored` is the size of the compressed file, None where it was plain. `flaw` says why it cannot
    be read on, or is None.
    """

    end: int = 0
    lines: int = 0
    stored: int | None = None
    flaw: str | None = None


BrokersIn = Callable[[bytes], set[str]]
"""The brokers that whole lines name."""


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
    return Identity(broker, size, digest_of(head[:size]))


def digest_of(beginning: bytes) -> str:
    """What the beginning of a file is known by."""
    return hashlib.sha256(beginning).hexdigest()


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
    a compressed file cannot be read on from there, or is None. `brokers` are those whose lines end
    in the chunk.
    """

    lines: int
    end: int
    flaw: str | None = None
    brokers: tuple[str, ...] = ()


@dataclass(frozen=True)
class LogRange:
    """Whole lines of a file: `lines` of them from `first_line` on, in the bytes `begin` to `end`.

    Ranges are followed in the order of `order`, which all ranges of a file in one run share, and
    then of their lines. `stored` is the size of the file where it is compressed, None where it is
    plain. `flaw` says why the file cannot be read on behind them, or is None. Lines that name a
    broker name one of `brokers`. `disk_size` and `written_ns` are how the file was stored.
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
    brokers: tuple[str, ...] = ()
    disk_size: int = 0
    written_ns: int = 0
    layout: str | None = None


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


def measured(chunk: Chunk, brokers_in: BrokersIn) -> Measure:
    """Count the lines of a chunk. `OSError` where the file cannot be read."""
    with open(chunk.path, "rb") as file:
        if chunk.end is None:
            return _counted(blocks_of(file), 0, brokers_in, is_complete=True)
        begun = _line_begun_before(file, chunk.begin)
        blocks = chain((begun,), _blocks(file, chunk.begin, chunk.end))
        counted = _counted(blocks, chunk.begin - len(begun), brokers_in, is_complete=False)
        return replace(counted, end=max(counted.end, chunk.begin))


def _line_begun_before(file: io.BufferedReader, place: int) -> bytes:
    """What stands before a place of the line that goes on there; the file is at that place then."""
    begun = b""
    at = place
    while at > 0 and b"\n" not in begun:
        size = min(_BLOCK, at)
        at -= size
        file.seek(at)
        begun = file.read(size) + begun
    file.seek(place)
    return begun[begun.rfind(b"\n") + 1 :]


def _blocks(file: io.BufferedReader, begin: int, end: int) -> Iterator[bytes]:
    while begin < end and (block := file.read(min(_BLOCK, end - begin))):
        begin += len(block)
        yield block


def _counted(
    blocks: Iterator[bytes], begin: int, brokers_in: BrokersIn, *, is_complete: bool
) -> Measure:
    """The newlines count; a last line without one is a line where the file is complete."""
    lines, whole, at = 0, begin, begin
    brokers: set[str] = set()
    flaw = None
    held = bytearray()
    try:
        for block in blocks:
            at += len(block)
            newline = block.rfind(b"\n") + 1
            if not newline:
                held += block
                continue
            lines += block.count(b"\n")
            whole = at - len(block) + newline
            brokers |= brokers_in(bytes(held) + block[:newline])
            held = bytearray(block[newline:])
    except DamagedStream as damaged:
        flaw = str(damaged)
    if is_complete and flaw is None and held:
        lines, whole = lines + 1, at
        brokers |= brokers_in(bytes(held))
    return Measure(lines, whole, flaw, tuple(sorted(brokers)))


def ranges_of(
    file: LogFile, identity: Identity, read: ReadSoFar | None, measures: Sequence[Measure]
) -> list[LogRange]:
    """What was not read before of a file, of which these chunks were measured.

    The order is 0, for the file's place among others is not known here. A compressed file has a
    range even without new lines, so that it is not measured again.
    """
    read = read or ReadSoFar()
    whole = seen_range(file, identity, read)
    if file.is_compressed:
        measures = [
            replace(part, lines=max(part.lines - read.lines, 0), end=max(part.end, read.end))
            for part in measures
        ]
    ranges = []
    begin, first_line = read.end, read.lines + 1
    for part in measures:
        if part.lines or file.is_compressed:
            ranges.append(
                replace(
                    whole,
                    begin=begin,
                    end=part.end,
                    first_line=first_line,
                    lines=part.lines,
                    flaw=part.flaw,
                    brokers=part.brokers,
                )
            )
            begin, first_line = part.end, first_line + part.lines
    return ranges


def seen_range(file: LogFile, identity: Identity, read: ReadSoFar) -> LogRange:
    """What says of a file that it holds nothing new: a range without lines."""
    return LogRange(
        identity,
        file.path,
        file.size if file.is_compressed else None,
        0,
        read.end,
        read.end,
        read.lines + 1,
        0,
        read.flaw,
        disk_size=file.size,
        written_ns=file.stored.written_ns,
        layout=file.layout,
    )
