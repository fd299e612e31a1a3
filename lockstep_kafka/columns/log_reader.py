"""Reads log files for the followers of their brokers, as text where they can read it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO, Protocol

from lockstep_kafka.columns.follower import ColumnFollower, Text
from lockstep_kafka.columns.kernels.layout import ANOTHER_BROKER, DONE
from lockstep_kafka.files.layouts import PLAIN, is_piece, joined_lines
from lockstep_kafka.files.lines import LogLine, Reason, Skipped, finding_of
from lockstep_kafka.files.physical_lines import (
    LONGEST_LINE,
    STANDARD_INPUT,
    DamagedStream,
    PhysicalLine,
    blocks_of,
    lines_of,
)
from lockstep_kafka.files.request_log import SeenLayout, read_line
from lockstep_kafka.findings import Finding
from lockstep_kafka.sessions.brokers import Brokers, layout_found


class ColumnBrokers(Brokers):
    """The followers of all brokers, which are given text."""

    followers: dict[str, ColumnFollower]  # type: ignore[assignment]

    def read(
        self, path: str, position: int, lines: Iterable[PhysicalLine] | None = None
    ) -> Iterator[Finding]:
        assert lines is None, "a file that grows is followed line by line"
        reading = FileReading(self, path, position)
        try:
            with _blocks(path, self._reading.open) as blocks:
                for finding in reading.findings(blocks):
                    yield finding
                    if self.is_due():
                        yield from self.progress(path)
        except OSError as error:
            reason = error.strerror or str(error)
            yield finding_of(Skipped(reading.last + 1, path, Reason.UNREADABLE, reason))
        yield from layout_found(path, reading.seen)

    def follower(self, connection: str, file: str) -> ColumnFollower:
        """The follower of the broker at an end of a connection, or which wrote the file."""
        named = self._paths.broker(file)
        broker = named or connection.partition("-")[0]
        follower = self.followers.get(broker)
        if follower is None:
            prefix = "" if named else f"{broker}-"
            follower = ColumnFollower(broker, self._explanations, prefix=prefix)
            self.followers[broker] = follower
        return follower


@contextmanager
def _blocks(path: str, opened: Callable[[BinaryIO], object]) -> Iterator[Iterator[bytes]]:
    if path == STANDARD_INPUT:
        yield iter(blocks_of(sys.stdin.buffer))
        return
    with open(path, "rb") as file:
        opened(file)
        yield iter(blocks_of(file))


class Followers(Protocol):
    """Followers by broker, and how many lines were read for them."""

    lines: int

    def follower(self, connection: str, file: str) -> ColumnFollower:
        """The follower of the broker of a line."""
        ...


class FileReading:
    """One file on its way to the followers."""

    def __init__(self, brokers: Followers, file: str, position: int = 0) -> None:
        """`position` is that of line 0."""
        self.last = 0
        """The number of the last line that was read."""
        self.seen = SeenLayout()
        self._brokers = brokers
        self._file = file
        self._position = position
        self._active: ColumnFollower | None = None

    def go_on(self, position: int, last: int) -> None:
        """Go on behind line `last`; `position` is that of line 0 from now on."""
        self._position, self.last = position, last

    def findings(self, blocks: Iterator[bytes]) -> Iterator[Finding]:
        """What is found in the content. `DamagedStream` as the blocks raise it."""
        held = bytearray()
        rest: Iterable[bytes] = ()
        while len(held) <= LONGEST_LINE:
            try:
                block = next(blocks)
            except StopIteration:
                break
            except DamagedStream as error:
                rest = _failing(error)
                break
            end = block.rfind(b"\n") + 1
            if not end:
                held += block
                continue
            content, held = bytes(held) + block[:end], bytearray(block[end:])
            begun = yield from self._text(content)
            if begun is not None:
                held[:0] = content[begun:]
                rest = blocks
                break
        else:
            rest = blocks
        lines = lines_of(chain((bytes(held),) if held else (), rest), self.last + 1)
        for line in joined_lines(lines):
            self.last = line.number
            self._brokers.lines += 1
            self._look_at(line)
            yield from self._line(read_line(line, self._file))

    def _text(self, content: bytes) -> Generator[Finding, None, int | None]:
        """Follow whole lines. Where pieces of a line begin, the place of the first is returned."""
        text = Text.of(content, self._file, self._position)
        at = 0
        while at < text.end:
            if self._active is None:
                end = content.index(b"\n", at)
                line = PhysicalLine(self.last + 1, content[at:end], True, None)
                if is_piece(line.content):
                    return at
                self._look_at(line)
                read = read_line(line, self._file)
                if isinstance(read, Skipped):
                    at = end + 1
                    yield from self._odd(read)
                    continue
                self._active = self._brokers.follower(read.connection, read.file)
            follower = self._active
            follower.begin(text, at, self.last + 1)
            code = follower.go_on()
            if follower.at > at and self.seen.name is None:
                self.seen.name = PLAIN
            yield from follower.findings()
            self._count(follower.line - 1)
            at = follower.at
            if code == DONE:
                continue
            if code == ANOTHER_BROKER:
                self._active = self._brokers.follower(follower.connection, self._file)
                continue
            line = follower.odd_line()
            if is_piece(line.content):
                return at
            self._look_at(line)
            read = read_line(line, self._file)
            if isinstance(read, Skipped):
                at += len(line.content) + 1
                yield from self._odd(read)
                continue
            self._active = self._brokers.follower(read.connection, read.file)
            if self._active is follower:
                at += len(line.content) + 1
                self._count(line.number)
                follower.requests.enter(read, self._position + line.number)
                if at == text.end:
                    follower.go_on()
                    yield from follower.findings()
        return None

    def _look_at(self, line: PhysicalLine) -> None:
        if self.seen.name is None:
            self.seen.look_at(line)

    def _count(self, last: int) -> None:
        self._brokers.lines += last - self.last
        self.last = last

    def _odd(self, skipped: Skipped) -> Iterator[Finding]:
        self._count(skipped.line)
        yield finding_of(skipped)

    def _line(self, read: LogLine) -> Iterator[Finding]:
        """Follow a line that was read by itself."""
        if isinstance(read, Skipped):
            yield finding_of(read)
            return
        follower = self._brokers.follower(read.connection, read.file)
        follower.begin(Text.of(b"", self._file, self._position), 0, read.line + 1)
        follower.requests.enter(read, self._position + read.line)
        follower.go_on()
        yield from follower.findings()


def _failing(error: DamagedStream) -> Iterator[bytes]:
    raise error
    yield b""
