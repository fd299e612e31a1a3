"""What tasks do before the shuffle: lines are put down to brokers.

Where all lines of a range are one broker's, the range goes on as it is, and the task that follows
the broker reads it. Lines of several brokers in one range are sorted out here: their text goes on,
compressed. Records of a topic are sorted out by the task that follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any, BinaryIO

import pyarrow
import zstandard

from lockstep_kafka.files.layouts import joined_lines
from lockstep_kafka.files.lines import Skipped, finding_of
from lockstep_kafka.files.log_files import BrokerPaths, broker_of
from lockstep_kafka.files.physical_lines import DamagedStream, PhysicalLine, blocks_of, lines_of
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.findings import LineFinding
from lockstep_kafka.fleet.columns import PIECES, Batches, batches_of, rows_of
from lockstep_kafka.fleet.log_files import head_of
from lockstep_kafka.fleet.log_ranges import Chunk, Measure, digest_of, measured
from lockstep_kafka.fleet.reading import Observed, quarantined

_BLOCK = 2**20
_MOST_LINES = 4_096
"""Lines of a piece."""

_CONNECTION = b'"connection":"'
_NAMED = re.compile(re.escape(_CONNECTION) + rb'([^"\\-]*)-')


def brokers_in(lines: bytes, file: str, paths: BrokerPaths) -> set[str]:
    """The brokers that whole lines of a file name, as `broker_of` says."""
    named = paths.broker(file)
    if named is not None:
        return {named}
    first = _NAMED.search(lines)
    count = lines.count(b"\n") + (not lines.endswith(b"\n"))
    if first is not None and lines.count(first[0]) == count:
        return {first[1].decode("utf-8", "replace")}
    whole = (PhysicalLine(0, line, True, None) for line in lines.split(b"\n"))
    of_lines = (broker_of_line(line, file, paths) for line in whole)
    return {broker for broker in of_lines if isinstance(broker, str)}


def measure(observed: Observed, chunk: Chunk) -> Measure:
    """Count the lines of a chunk, and find whose they are."""
    return measured(chunk, partial(brokers_in, file=chunk.path, paths=observed.paths))


def broker_of_line(line: PhysicalLine, file: str, paths: BrokerPaths) -> str | Skipped:
    """The broker of a line, or why it is no request."""
    if line.flaw is None and line.has_end:
        named = _NAMED.findall(line.content)
        if len(named) == 1 and line.content.count(_CONNECTION) == 1:
            return paths.broker(file) or str(named[0], "utf-8", "replace")
    read = read_line(line, file)
    return read if isinstance(read, Skipped) else broker_of(read, paths)


@dataclass(frozen=True)
class SomeLines:
    """Where lines of a file stand that are one unit: a range, or records of a topic."""

    file: str
    order: int


@dataclass
class _Gathered:
    """Lines of one broker on their way into a piece."""

    content: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    size: int = 0

    def add(self, number: int, content: bytes) -> bool:
        """Take a line up; whether these are enough for a piece."""
        self.content.append(content)
        self.numbers.append(number)
        self.size += len(content)
        return self.size >= _BLOCK or len(self.numbers) >= _MOST_LINES


def sorted_out(
    lines: Iterable[tuple[SomeLines, PhysicalLine]], paths: BrokerPaths
) -> Iterator[dict[str, Any]]:
    """The pieces of some lines, broker by broker, with their content as it is.

    Those of one broker are in the order of its lines, and each is of one source.
    """
    gathered: dict[str, tuple[SomeLines, _Gathered]] = {}
    for source, line in lines:
        broker = broker_of_line(line, source.file, paths)
        if isinstance(broker, Skipped):
            finding = finding_of(broker)
            assert isinstance(finding, LineFinding), "a line is no file"
            named = paths.broker(source.file)
            row = {"broker": named, "order": source.order, "line": line.number}
            yield {**row, "quarantined": quarantined(finding)}
            continue
        if broker in gathered and gathered[broker][0] != source:
            yield _piece_of(broker, *gathered.pop(broker))
        _, of_broker = gathered.setdefault(broker, (source, _Gathered()))
        if of_broker.add(line.number, line.content):
            yield _piece_of(broker, *gathered.pop(broker))
    for broker, rest in gathered.items():
        yield _piece_of(broker, *rest)


def _piece_of(broker: str, source: SomeLines, gathered: _Gathered) -> dict[str, Any]:
    return {
        "broker": broker,
        "order": source.order,
        "line": gathered.numbers[0],
        "file": source.file,
        "content": b"".join(line + b"\n" for line in gathered.content),
        "numbers": gathered.numbers,
    }


def piece(values: dict[str, Any]) -> tuple[Any, ...]:
    """A row of `PIECES`; what is not given is null."""
    return tuple(map(values.get, PIECES.names))


@dataclass(frozen=True)
class RangePieces:
    """Ranges of files to pieces (`RANGES` to `PIECES`)."""

    observed: Observed

    def __call__(self, ranges: Batches) -> Batches:
        """Only what has lines of several brokers is read."""
        return batches_of(self._rows(ranges), PIECES, "content")

    def _rows(self, ranges: Batches) -> Iterator[tuple[Any, ...]]:
        columns = ("path", "order", "first_line", "brokers", *_OF_RANGE)
        for path, order, line, brokers, *of_range in rows_of(ranges, columns):
            place = dict(zip(_OF_RANGE, of_range, strict=True))
            if place["begin"] == place["end"] and place["flaw"] is None:
                continue
            if len(brokers) == 1:
                whole = {"broker": brokers[0], "order": order, "line": line, "file": path}
                yield piece({**whole, **place})
                continue
            with suppress(DamagedStream):  # a line that says so comes before it
                read = lines_of(range_blocks(path, place), line, place["begin"])
                source = SomeLines(path, order)
                with_source = ((source, one) for one in joined_lines(read))
                for one in sorted_out(with_source, self.observed.paths):
                    if "content" in one:
                        one["content"] = zstandard.compress(one["content"], level=1)
                    yield piece(one)


_OF_RANGE = ("size", "digest", "begin", "end", "stored", "flaw")


def unpacked(piece: Mapping[str, Any]) -> Mapping[str, Any]:
    """A piece as it was before the shuffle."""
    if piece["numbers"] is None:
        return piece
    return {**piece, "content": zstandard.decompress(piece["content"])}


RECORD = ("file", "order", "line", "content")
"""The columns of a record of a topic."""


def record_pieces(records: pyarrow.RecordBatch, paths: BrokerPaths) -> list[dict[str, Any]]:
    """The pieces of some records of a topic (`RECORD`), in their order."""
    lines = (
        (
            SomeLines(file, order),
            PhysicalLine(line, (content or b"").removesuffix(b"\n"), True, None),
        )
        for file, order, line, content in rows_of([records], RECORD)
    )
    return sorted(sorted_out(lines, paths), key=itemgetter("order", "line"))


def range_blocks(path: str, place: Mapping[str, Any]) -> Iterator[bytes]:
    """The content of a range of a file. `DamagedStream` at its flaw.

    `OSError` where the file cannot be read, `EOFError` where it is another one by now.
    """
    begin, end, flaw = place["begin"], place["end"], place["flaw"]
    with open(path, "rb") as file:
        if not is_known(file, place):
            raise EOFError(f"{path} has become another file while it was read")
        if place["stored"] is None:
            yield from _plain(file, begin, end)
            return
        at = 0
        for block in blocks_of(file) if end else ():
            if at + len(block) > begin:
                yield block[max(begin - at, 0) : end - at]
            at += len(block)
            if at >= end:
                break
        if at < end:
            raise _shorter(file, end)
        if flaw is not None:
            raise DamagedStream(flaw)


def is_known(file: BinaryIO, place: Mapping[str, Any]) -> bool:
    """Whether the content begins as that of the range; the file is at its beginning then."""
    head = head_of(file)[: place["size"]]
    file.seek(0)
    return digest_of(head) == str(place["digest"]).partition(".")[0]


def _plain(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    while begin < end:
        block = file.read(min(_BLOCK, end - begin))
        if not block:
            raise _shorter(file, end)
        begin += len(block)
        yield block


def _shorter(file: BinaryIO, end: int) -> EOFError:
    return EOFError(f"{file.name} has become shorter than {end} bytes while it was read")
