"""Ranges of log files: which bytes of which file are read together, and which were read before.

A file is known by how its content begins and by what was last read of it, wherever it stands and
however it is compressed: so a rotated, compressed or longer file is gone on with where it was left.
Bytes are counted in the content.
"""

from __future__ import annotations

import hashlib
import io
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

from lockstep_kafka.files.physical_lines import DamagedStream, blocks_of
from lockstep_kafka.fleet.log_files import HEAD_BYTES, LogFile

CHUNK = 64 * 2**20
"""The bytes of a plain file that one task reads."""

_BLOCK = 2**20


@dataclass(frozen=True)
class Identity:
    """How the content of a file begins: its first `size` bytes, by their SHA-256.

    Where several files begin so, the digests of all but the first have `.1`, `.2` behind them.
    `broker` is that of its path, where paths name brokers; empty otherwise.
    """

    broker: str
    size: int
    digest: str

    @property
    def beginning(self) -> Identity:
        """What files that begin alike have in common."""
        return replace(self, digest=self.digest.partition(".")[0])

    def free(self, taken: Collection[Identity]) -> Identity:
        """The first one of this beginning that is not taken."""
        free, count = self.beginning, 0
        while free in taken:
            count += 1
            free = replace(self.beginning, digest=f"{self.beginning.digest}.{count}")
        return free


@dataclass(frozen=True)
class ReadSoFar:
    """How much of a file was read: bytes, and lines.

    `stored` is the size of the compressed file, None where it was plain. `flaw` says why it cannot
    be read on, or is None. `tail` is the digest of the bytes before `end`, 1,024 at most, and None
    where an older version did not write it.
    """

    end: int = 0
    lines: int = 0
    stored: int | None = None
    flaw: str | None = None
    tail: str | None = None


BrokersIn = Callable[[bytes], set[str]]
"""The brokers that whole lines name."""


class ReadFiles:
    """The files that were read before."""

    def __init__(self, read: Mapping[Identity, ReadSoFar]) -> None:
        self.read = read
        self._beginnings: defaultdict[Identity, list[Identity]] = defaultdict(list)
        self._sizes: defaultdict[str, set[int]] = defaultdict(set)
        for identity in read:
            self._beginnings[identity.beginning].append(identity)
            self._sizes[identity.broker].add(identity.size)

    def beginnings(self, file: LogFile, broker: str) -> list[Identity]:
        """What the file may be known by, the longest first, and then how a new one would be.

        A file that was short when it was first read is known by the bytes that it then had.
        """
        sizes = sorted(self._sizes[broker], reverse=True)
        known = [_identity(file.head, broker, size) for size in sizes if 0 < size <= len(file.head)]
        return [*known, _identity(file.head, broker, len(file.head))]

    def continued(
        self, file: LogFile, beginnings: Sequence[Identity], unchanged: Collection[Identity]
    ) -> list[Identity]:
        """The known files that begin so and of which the last bytes that were read stand there.

        Where these are not known it is taken for such a one, unless that is there unchanged. The
        one of which most was read comes first.
        """
        known = [
            one
            for beginning in beginnings
            for one in self._beginnings[beginning]
            if self.read[one].tail is not None or one not in unchanged
        ]
        same = [one for one in known if file.is_compressed and self.read[one].stored == file.size]
        if same or not known:
            return same
        tails = tails_at(file, [self.read[one].end for one in known])
        known = [
            one for one in known if self.read[one].tail in (None, tails.get(self.read[one].end))
        ]
        return sorted(known, key=lambda one: self.read[one].end, reverse=True)


def tails_at(file: LogFile, ends: Sequence[int]) -> dict[int, str]:
    """The digests of the bytes before some places, which a shorter file does not have."""
    with open(file.path, "rb") as content:
        if not file.is_compressed:
            return {end: _tail(content, end) for end in ends if end <= file.size}
        tails: dict[int, str] = {}
        at, held = 0, b""
        with suppress(DamagedStream):
            for block in chain((b"",), blocks_of(content)):
                at += len(block)
                held = held[-HEAD_BYTES:] + block
                for end in ends:
                    if end <= at and end not in tails:
                        tails[end] = digest_of(held[: len(held) - (at - end)][-HEAD_BYTES:])
                if at >= max(ends):
                    break
        return tails


def _tail(file: io.BufferedReader, end: int) -> str:
    begin = max(end - HEAD_BYTES, 0)
    file.seek(begin)
    return digest_of(file.read(end - begin))


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
    in the chunk. `tail` is as in `ReadSoFar`.
    """

    lines: int
    end: int
    flaw: str | None = None
    brokers: tuple[str, ...] = ()
    tail: str | None = None


@dataclass(frozen=True)
class LogRange:
    """Whole lines of a file: `lines` of them from `first_line` on, in the bytes `begin` to `end`.

    Ranges are followed in the order of `order`, which all ranges of a file in one run share, and
    then of their lines. `stored` is the size of the file where it is compressed, None where it is
    plain. `flaw` says why the file cannot be read on behind them, or is None. Lines that name a
    broker name one of `brokers`. `disk_size` and `written_ns` are how the file was stored. `tail`
    is as in `ReadSoFar`.
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
    tail: str | None = None


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
        end = max(counted.end, chunk.begin)
        return replace(counted, end=end, tail=_tail(file, end))


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
    held, behind = bytearray(), b""
    try:
        for block in blocks:
            at += len(block)
            newline = block.rfind(b"\n") + 1
            if not newline:
                held += block
                continue
            lines += block.count(b"\n")
            whole = at - len(block) + newline
            ended = bytes(held) + block[:newline]
            brokers |= brokers_in(ended)
            behind = (behind + ended[-HEAD_BYTES:])[-HEAD_BYTES:]
            held = bytearray(block[newline:])
    except DamagedStream as damaged:
        flaw = str(damaged)
    if is_complete and flaw is None and held:
        lines, whole = lines + 1, at
        brokers |= brokers_in(bytes(held))
        behind = (behind + held[-HEAD_BYTES:])[-HEAD_BYTES:]
    return Measure(lines, whole, flaw, tuple(sorted(brokers)), digest_of(behind))


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
            replace(part, lines=max(part.lines - read.lines, 0))
            if part.end > read.end
            else replace(part, lines=0, end=read.end, tail=read.tail)
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
                    tail=part.tail,
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
        tail=read.tail,
    )
