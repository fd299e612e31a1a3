"""The followers of all brokers whose logs are read, and how far the reading is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from lockstep_kafka.files.lines import Reason, Request, Skipped, finding_of
from lockstep_kafka.files.log_files import BrokerPaths, LogFile, broker_of
from lockstep_kafka.files.physical_lines import PhysicalLine, physical_lines
from lockstep_kafka.files.request_log import SeenLayout, read_request_log
from lockstep_kafka.findings import CountedLines, Finding, LayoutFinding, Progress
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations

_LINES_OF_PROGRESS = 5_000
"""How many lines are read between two reports of how far the reading is."""


@dataclass
class Reading:
    """How far the files are read, in bytes as they are stored."""

    all_bytes: int | None = None
    _before: int = 0
    """Those of the files before this one."""
    _size: int = 0
    _file: BinaryIO | None = None

    @classmethod
    def of(cls, files: Sequence[LogFile]) -> Reading:
        """Before anything is read; pipes have no size."""
        paths = [file.path for file in files]
        return cls(sum(map(os.path.getsize, paths)) if all(map(os.path.isfile, paths)) else None)

    def open(self, file: BinaryIO) -> None:
        """The next file is read."""
        self._before += self._size
        self._file, self._size = file, os.fstat(file.fileno()).st_size

    @property
    def read_bytes(self) -> int:
        """How many are read."""
        if self._file is None or self._file.closed:
            return self._before + self._size
        return self._before + (self._file.tell() if self._file.seekable() else 0)


class Brokers:
    """The followers of all brokers."""

    def __init__(self, explanations: Explanations, paths: BrokerPaths, reading: Reading) -> None:
        self.lines = 0
        """How many were read."""
        self.followers: dict[str, BrokerFollower] = {}
        self._explanations = explanations
        self._paths = paths
        self._reading = reading
        self._reported = 0

    def read(
        self, path: str, position: int, lines: Iterable[PhysicalLine] | None = None
    ) -> Iterator[Finding]:
        """Follow a file; `position` is that of its line 0. `lines` are its lines, if at hand."""
        seen = SeenLayout()
        lines = physical_lines(path, opened=self._reading.open) if lines is None else lines
        for line in read_request_log(path, seen, lines):
            if isinstance(line, Skipped):
                yield finding_of(line)
                self.lines += line.reason is not Reason.UNREADABLE
            else:
                self.lines += 1
                yield from self._follow(line, position + line.line)
            if self.is_due():
                yield from self.progress(path)
        yield from layout_found(path, seen)

    def is_due(self) -> bool:
        """Whether it was not said for some thousand lines how far the reading is."""
        return self.lines - self._reported >= _LINES_OF_PROGRESS

    def progress(self, file: str) -> Iterator[Finding]:
        """How far the reading is, and the lines that were followed since this was last asked."""
        self._reported = self.lines
        followers = self.followers.values()
        for broker, follower in self.followers.items():
            yield CountedLines(broker, follower.take_counts())
        yield Progress(
            file,
            self.lines,
            sum(follower.followed for follower in followers),
            sum(follower.others for follower in followers),
            self._reading.read_bytes,
            self._reading.all_bytes,
            sum(follower.in_columns for follower in followers),
        )

    def _follow(self, request: Request, position: int) -> Sequence[Finding]:
        broker = broker_of(request, self._paths)
        follower = self.followers.get(broker)
        if follower is None:
            follower = self.followers[broker] = BrokerFollower(broker, self._explanations)
        return follower.follow(request, position)


def layout_found(path: str, seen: SeenLayout) -> Iterator[LayoutFinding]:
    """What the layout of a file is, if it has any line."""
    if seen.name is not None or seen.first is not None:
        yield LayoutFinding(path, seen.name, *(seen.first or ()))
