"""The files of a log: rotated pieces in order of time, directories, the standard input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from lockstep.errors import LockstepError
from models.kafka_files.line_time import time_ms
from models.kafka_files.physical_lines import STANDARD_INPUT, physical_lines

_LINES_LOOKED_AT = 1000
"""A broker's log begins each message with a time; only stack traces and such have lines without."""


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

    A directory stands for the regular files in it, without those whose name begins with a dot and
    without those of directories in it: a broker writes its log into one directory, and the logs of
    several brokers are not one log. What shows no time (the standard input, which must not be read
    twice, or an unreadable file) keeps its place; the others are put in order around it.

    Raises `LockstepError` for a path that does not exist and for a directory without files.
    """
    files = [_looked_at(path) for log in logs for path in _paths(str(log))]
    timed = sorted(
        (file for file in files if file.first_time_ms is not None),
        key=lambda file: file.first_time_ms or 0,
    )
    in_order = iter(timed)
    return [file if file.first_time_ms is None else next(in_order) for file in files]


def _paths(log: str) -> Iterator[str]:
    path = Path(log)
    if log == STANDARD_INPUT or not path.is_dir():
        if log != STANDARD_INPUT and not path.exists():
            raise LockstepError(f"{log} cannot be read: No such file or directory")
        yield log
        return
    try:
        inside = sorted(path.iterdir())
    except OSError as error:
        raise LockstepError(f"{log} cannot be read: {error.strerror or error}") from None
    files = [str(file) for file in inside if not file.name.startswith(".") and file.is_file()]
    if not files:
        raise LockstepError(f"{log} has no files", cure="name a directory that holds log files")
    yield from files


def _looked_at(path: str) -> LogFile:
    if path == STANDARD_INPUT:
        return LogFile(path)
    try:
        times = (time_ms(line.content) for line in islice(physical_lines(path), _LINES_LOOKED_AT))
        return LogFile(path, next((time for time in times if time is not None), None))
    except OSError as error:
        return LogFile(path, unreadable=error.strerror or str(error))
