"""Request logs of Apache Kafka's brokers, followed through the model `fetch_session`.

Each broker is followed by itself; clients and brokers are judged apart. docs/reference/conform.md
says what is inferred, and why.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from lockstep.system.physical_lines import PhysicalLine, physical_lines
from lockstep_kafka.files.broker_paths import BrokerPaths
from lockstep_kafka.files.growing_file import Wait, growing_files
from lockstep_kafka.files.lines import Reason, Request, Skipped, finding_of
from lockstep_kafka.files.log_files import LogFile, log_files
from lockstep_kafka.files.request_log import SeenLayout, read_request_log
from lockstep_kafka.findings import CountedLines, Finding, LayoutFinding, Progress
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import LoadModel

_LINES_OF_PROGRESS = 5_000
"""How many lines are read between two reports of how far the reading is."""

_LINES_OF_A_FILE = 2**40
"""More than any file has: lines of all files are numbered through."""


def broker_of(request: Request, paths: BrokerPaths) -> str:
    """The broker that wrote a request: as the path of its file says, or else its own address.

    `LockstepError` where the path should name a broker, and does not.
    """
    return paths.broker(request.file) or request.connection.partition("-")[0]


def observe(
    logs: Sequence[str], load: LoadModel, paths: BrokerPaths, *, wait: Wait | None = None
) -> Iterator[Finding]:
    """Follow every session of some logs: files, folders, patterns, or `-`.

    With `wait` there is one log, a file, of which all that is written to it from now on is followed
    as well, until `wait` raises KeyboardInterrupt. `LockstepError` for a log that does not exist,
    or whose path should name a broker, and does not.
    """
    files = log_files(logs)
    for file in files:
        paths.broker(file.path)  # one that names no broker is told before anything is followed
    reading = _Reading.of(files) if wait is None else _Reading()
    brokers = _Brokers(Explanations(load), paths, reading)
    interruption: KeyboardInterrupt | None = None
    try:
        for place, (path, lines) in enumerate(_sources(files, wait, reading)):
            seen = SeenLayout()
            for line in read_request_log(path, seen, lines):
                if isinstance(line, Skipped):
                    yield finding_of(line)
                    brokers.lines += line.reason is not Reason.UNREADABLE
                else:
                    brokers.lines += 1
                    yield from brokers.follow(line, place * _LINES_OF_A_FILE + line.line)
                if brokers.lines % _LINES_OF_PROGRESS == 0:
                    yield from brokers.progress(path)
            if seen.name is not None or seen.first is not None:
                yield LayoutFinding(path, seen.name, *(seen.first or ()))
    except KeyboardInterrupt as error:
        interruption = error  # those that are held for their order then still come out
    for follower in brokers.followers.values():
        yield from follower.close()
    yield from brokers.progress("")
    if interruption is not None:
        raise interruption


@dataclass
class _Reading:
    """How far the files are read, in bytes as they are stored."""

    all_bytes: int | None = None
    _before: int = 0
    """Those of the files before this one."""
    _size: int = 0
    _file: BinaryIO | None = None

    @classmethod
    def of(cls, files: Sequence[LogFile]) -> _Reading:
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


def _sources(
    files: Sequence[LogFile], wait: Wait | None, reading: _Reading
) -> Iterator[tuple[str, Iterable[PhysicalLine]]]:
    """The files to read, with their lines."""
    if wait is None:
        for one in files:
            yield one.path, physical_lines(one.path, opened=reading.open)
        return
    (file,) = files
    for lines in growing_files(file.path, wait):
        yield file.path, lines


class _Brokers:
    """The followers of all brokers."""

    def __init__(self, explanations: Explanations, paths: BrokerPaths, reading: _Reading) -> None:
        self.lines = 0
        """How many were read."""
        self.followers: dict[str, BrokerFollower] = {}
        self._explanations = explanations
        self._paths = paths
        self._reading = reading

    def follow(self, request: Request, position: int) -> Sequence[Finding]:
        broker = broker_of(request, self._paths)
        follower = self.followers.get(broker)
        if follower is None:
            follower = self.followers[broker] = BrokerFollower(broker, self._explanations)
        return follower.follow(request, position)

    def progress(self, file: str) -> Iterator[Finding]:
        """How far the reading is, and the lines that were followed since this was last asked."""
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
        )
