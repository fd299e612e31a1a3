"""The files that logs stand for, in order of time; their brokers; one that grows as it is read."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, TypeVar

from msgspec import Struct

from lockstep.errors import LockstepError
from lockstep.words import printable
from lockstep_kafka.files.layouts import unwrapped
from lockstep_kafka.files.lines import Request
from lockstep_kafka.files.physical_lines import (
    STANDARD_INPUT,
    PhysicalLine,
    lines_of,
    physical_lines,
)

DEPARTURES = ".departures.jsonl"
"""How the name of a file ends that says what `simulate` seeded into the log beside it."""

_NO_LOG = re.compile(
    rf"[.].*|(readme|licen[cs]e|notice|changelog)([.](txt|md|rst|html|pdf))?|.*{re.escape(DEPARTURES)}",
    re.IGNORECASE | re.DOTALL,
)
"""The names of files that are no logs, though they stand in a folder of logs."""


def log_paths(logs: Sequence[str]) -> list[str]:
    """The paths of the files, each once.

    A log is a file, a folder of files and folders, a glob pattern, or `-`, which is given back as
    it is. In folders, what has a name that begins with a dot is left out, and so are READMEs and
    their like, and what `simulate` says of a log there. A folder that cannot be read stands for
    itself, as a file does. `LockstepError` for a log that stands for no file.
    """
    paths: dict[str, str] = {}
    for log in logs:
        for path in _paths(log):
            paths.setdefault(path if path == STANDARD_INPUT else os.path.abspath(path), path)
    return list(paths.values())


def _paths(log: str) -> list[str]:
    if log == STANDARD_INPUT:
        return [log]
    if os.path.isdir(log):
        paths = sorted(_files_below(log))
    elif not os.path.exists(log) and glob.has_magic(log):
        paths = sorted(path for path in glob.glob(log, recursive=True) if os.path.isfile(path))
    else:
        try:
            os.stat(log)
        except (OSError, ValueError) as error:  # ValueError: no path has a null character
            why = getattr(error, "strerror", None) or error
            raise LockstepError(f"{printable(log)} cannot be read: {why}") from None
        paths = [log]
    if not paths:
        cure = "name files, or a folder that holds some"
        raise LockstepError(f"{printable(log)} has no files", cure=cure)
    return paths


def _files_below(folder: str) -> Iterator[str]:
    unreadable: list[str] = []
    for above, folders, names in os.walk(
        folder, onerror=lambda error: unreadable.append(error.filename)
    ):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(above, name)
            if not _NO_LOG.fullmatch(name) and _may_be_file(path):
                yield path
    yield from unreadable


def _may_be_file(path: str) -> bool:
    """Whether it is a file, or cannot be looked at, which is said when it is read."""
    try:
        return S_ISREG(os.stat(path).st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


File = TypeVar("File")


def in_order_of_time(files: Sequence[File], first_ms: Callable[[File], int | None]) -> list[File]:
    """The files by the first time in each; `first_ms` gives it in milliseconds.

    A file that shows no time keeps its place, and the others are put in order around it. Files of
    one time stay as they are.
    """
    timed = [(time, file) for file in files if (time := first_ms(file)) is not None]
    in_order = iter(sorted(timed, key=lambda pair: pair[0]))
    return [file if first_ms(file) is None else next(in_order)[1] for file in files]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MILLISECOND_TIME = re.compile(rb"\W*([0-9]{13})(?![0-9])")
_DATE_TIME = re.compile(
    rb"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2})"
    rb"(?:[.,]([0-9]{1,9}))?(Z|\s?[+-][0-9]{2}:?[0-9]{2}(?![0-9]))?"
)


def time_ms(prefix: bytes) -> int | None:
    """Milliseconds since 1970: 13 digits at the beginning, or the first date and time of day.

    A date without a time zone is taken for UTC. None where there is neither, or no such date.
    """
    if milliseconds := _MILLISECOND_TIME.match(prefix):
        return int(milliseconds[1])
    match = _DATE_TIME.search(prefix)
    if match is None:
        return None
    date, fraction, zone = match.groups()
    seconds = _seconds(date, zone or b"Z")
    if seconds is None:
        return None
    return seconds * 1000 + int((fraction or b"0")[:3].ljust(3, b"0"))


def moment_of(time_ms: int | None) -> datetime | None:
    """A time that a line has, in UTC; None where there is none, or no such date."""
    try:
        return None if time_ms is None else _EPOCH + time_ms * _MILLISECOND
    except OverflowError:
        return None  # a date before the year 1 or behind the year 9999, as a damaged line may have


@lru_cache(maxsize=64)
def _seconds(date: bytes, zone: bytes) -> int | None:
    # Many lines are written within a second, and a date takes longer to read than all else here.
    try:
        moment = datetime.fromisoformat((date + zone.strip()).decode())
        return (moment - _EPOCH) // timedelta(seconds=1)
    except ValueError:
        return None


LINES_LOOKED_AT = 1000
"""How many lines at the beginning of a file show what it is: a broker's log begins each message
with a time, and only stack traces and such have lines without."""


class LogFile(Struct, frozen=True):
    """A file to read."""

    path: str
    """`-` is the standard input."""
    first_time_ms: int | None = None
    """The first time in it, as in a `FetchLine`; None when it shows none."""
    unreadable: str | None = None
    """Why the file cannot be read, or None."""


def log_files(logs: Sequence[str | Path]) -> list[LogFile]:
    """The files in the order of the first time in each, as a rotated log was written.

    A log is what `log_paths` reads. What shows no time (the standard input or another pipe, which
    cannot be read twice; an unreadable file) keeps its place.

    Raises `LockstepError` for a path that does not exist and for a directory without files.
    """
    files = [_looked_at(path) for path in log_paths([str(log) for log in logs])]
    return in_order_of_time(files, lambda file: file.first_time_ms)


def _looked_at(path: str) -> LogFile:
    # What is read from a pipe could not be read again.
    if not os.path.isfile(path):
        return LogFile(path)
    lines = islice(physical_lines(path), LINES_LOOKED_AT)
    try:
        times = (time_ms(unwrapped(line.content)) for line in lines)
        return LogFile(path, next((time for time in times if time is not None), None))
    except OSError as error:
        return LogFile(path, unreadable=error.strerror or str(error))


_BLOCK = 64 * 2**10

Wait = Callable[[], None]
"""Waits a moment, until there may be more to read. What it raises ends the reading."""


def growing_files(path: str, wait: Wait) -> Iterator[Iterator[PhysicalLine]]:
    """The lines of each file that goes by this name, one file after the other, without an end.

    A line is given out once its newline is there, or its file has ended. Those of one file are to
    be read to their end before the next file is asked for. `OSError` where a file cannot be read.
    """
    while True:
        try:
            with open(path, "rb") as file:
                yield lines_of(_blocks(file, path, wait))
        except FileNotFoundError:
            wait()  # the old one was renamed, and the new one is not there yet


def _blocks(file: BinaryIO, path: str, wait: Wait) -> Iterator[bytes]:
    """What is written to a file, until another one has its name or it was emptied."""
    while True:
        if block := file.read(_BLOCK):
            yield block
        elif _is_over(file, path):
            if block := file.read(_BLOCK):
                yield block  # written between the last look at it and its renaming
                continue
            return
        else:
            wait()


def _is_over(file: BinaryIO, path: str) -> bool:
    now = os.fstat(file.fileno())
    if now.st_size < file.tell():
        return True
    try:
        named = os.stat(path)
    except FileNotFoundError:
        return False  # it may be written on until the new one is there
    return (named.st_dev, named.st_ino) != (now.st_dev, now.st_ino)


_GROUP = "broker"


class BrokerPaths:
    """A pattern that is searched in the path of a file; its group `broker` names the broker there.

    A group `date` may name the day of the file. Without a pattern no path says anything.
    """

    def __init__(self, pattern: str | None = None) -> None:
        """`LockstepError` where the pattern is no regular expression, or has no such group."""
        self._pattern: re.Pattern[str] | None = None
        self._brokers: dict[str, str | None] = {}
        if pattern is None:
            return
        try:
            self._pattern = re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise LockstepError(
                f"{pattern!r} is no regular expression: {error}",
                cure="write one as Python has them, such as '(?P<broker>[^/]+)/[^/]*$'",
            ) from None
        if _GROUP not in self._pattern.groupindex:
            raise LockstepError(
                f"{pattern!r} does not say which part of a path is the broker",
                cure="name that part, such as in '(?P<broker>[^/]+)/[^/]*$'",
            )

    def broker(self, path: str) -> str | None:
        """The broker that a path names; None without a pattern.

        `LockstepError` where the pattern is not in the path.
        """
        if path not in self._brokers:
            match = self._match(path)
            self._brokers[path] = None if match is None else match[_GROUP]
        return self._brokers[path]

    def date(self, path: str) -> str | None:
        """The day that a path names; None where it names none.

        `LockstepError` where the pattern is not in the path.
        """
        match = self._match(path)
        return None if match is None else match.groupdict().get("date")

    def _match(self, path: str) -> re.Match[str] | None:
        if self._pattern is None:
            return None
        match = self._pattern.search(path)
        if match is None or not match[_GROUP]:
            raise LockstepError(
                f"{path} has no broker in its path where {self._pattern.pattern!r} looks for it",
                cure="change the pattern, or leave out the file",
            )
        return match


def broker_of(request: Request, paths: BrokerPaths) -> str:
    """The broker that wrote a request: as the path of its file says, or else its own address.

    `LockstepError` where the path should name a broker, and does not.
    """
    return paths.broker(request.file) or request.connection.partition("-")[0]
