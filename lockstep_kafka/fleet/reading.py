"""Ranges of files to lines, and lines to requests: what tasks do before the shuffle."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from msgspec import structs

from lockstep.spark.workspace_text import WorkspaceText
from lockstep.system.compressed_stream import DamagedStream
from lockstep.system.physical_lines import blocks_of, lines_of
from lockstep_kafka.files.broker_paths import BrokerPaths, broker_of
from lockstep_kafka.files.lines import Skipped, encode_request, finding_of
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.findings import LineFinding
from lockstep_kafka.fleet.columns import LINES, REQUESTS, TEXTS, Batches, batches_of, rows_of
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import loader


@dataclass(frozen=True)
class Observed:
    """The text of the model, and `broker_from`, the pattern that names brokers in paths."""

    workspace: WorkspaceText
    broker_from: str | None = None

    @property
    def paths(self) -> BrokerPaths:
        """Which broker a path names."""
        return _paths(self.broker_from)

    def follower(self, broker: str, state: bytes | None) -> BrokerFollower:
        """A follower of a broker, from the beginning of its log, or where another one was saved."""
        return BrokerFollower(broker, _explanations(self.workspace), state)


def time_of_line(line: bytes) -> int | None:
    """When a request was written, in milliseconds since 1970; None for what is no request."""
    read = read_line((1, line, True, None), "")
    return None if isinstance(read, Skipped) else read.time_ms


@functools.cache
def _paths(pattern: str | None) -> BrokerPaths:
    return BrokerPaths(pattern)


@functools.cache
def _explanations(workspace: WorkspaceText) -> Explanations:
    return Explanations(loader(workspace.unpacked()))


_BLOCK = 2**20

_Line = tuple[str, int, int, int, bytes, bool, str | None]
"""A row of `LINES`."""


def lines(ranges: Batches) -> Batches:
    """The lines of ranges of files (`RANGES` to `LINES`)."""
    return batches_of(_lines(ranges), LINES, "content")


def _lines(ranges: Batches) -> Iterator[_Line]:
    columns = ("path", "order", "begin", "end", "first_line", "stored", "flaw")
    for path, order, begin, end, first_line, stored, flaw in rows_of(ranges, columns):
        if begin == end and flaw is None:
            continue
        with open(path, "rb") as file:
            if stored is None:
                content = _plain(file, begin, end)
            else:
                content = _compressed(file, begin, end, flaw)
            with suppress(DamagedStream):  # a line that says so comes before it
                for number, text, has_end, why, offset in lines_of(content, first_line, begin):
                    yield path, order, number, offset, text, has_end, why


def _plain(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    while begin < end:
        block = file.read(min(_BLOCK, end - begin))
        if not block:
            raise _shorter(file, end)
        begin += len(block)
        yield block


def _compressed(file: BinaryIO, begin: int, end: int, flaw: str | None) -> Iterator[bytes]:
    """The content from one byte to another; what follows a flaw cannot be read."""
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


def _shorter(file: BinaryIO, end: int) -> EOFError:
    return EOFError(f"{file.name} has become shorter than {end} bytes while it was read")


@dataclass(frozen=True)
class ReadRequests:
    """Lines to requests (`LINES` to `REQUESTS`)."""

    observed: Observed

    def __call__(self, lines: Batches) -> Batches:
        """Read each line; one that is no request is quarantined."""
        return batches_of(self._rows(lines), REQUESTS, "request")

    def _rows(self, lines: Batches) -> Iterator[tuple[object, ...]]:
        paths = self.observed.paths
        columns = ("file", "order", "line", "content", "has_end", "flaw")
        for file, order, number, content, has_end, flaw in rows_of(lines, columns):
            read = read_line((number, content, has_end, flaw), file)
            if isinstance(read, Skipped):
                finding = finding_of(read)
                assert isinstance(finding, LineFinding), "a line is no file"
                yield paths.broker(file), order, number, None, quarantined(finding)
            else:
                broker = broker_of(read, paths)
                yield broker, order, number, encode_request(read), None


def quarantined(finding: LineFinding) -> dict[str, object]:
    """What is said of a line, as a row has it."""
    named = {name: getattr(finding, name) for name in ("reason", "detail", "is_loss")}
    return {**structs.asdict(finding.at), **named}


def texts(ranges: Batches) -> Batches:
    """The text of some lines (`WANTED` to `TEXTS`): each range has the numbers of those."""
    return batches_of(_texts(ranges), TEXTS, "text")


def _texts(ranges: Batches) -> Iterator[tuple[object, ...]]:
    for batch in ranges:
        for row in range(batch.num_rows):
            one = batch.slice(row, 1)
            wanted = set(one.column("wanted")[0].as_py())
            for line in _lines(iter([one])):
                file, _, number, offset, content, _, _ = line
                if number in wanted:
                    wanted.remove(number)
                    yield file, number, offset, content.decode("utf-8", "replace")
                if not wanted:
                    break
