"""The files of a log: rotated pieces in order of time, directories, the standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from lockstep.conform.time_order import in_order_of_time
from lockstep.errors import LockstepError
from lockstep.system.physical_lines import STANDARD_INPUT, physical_lines
from models.kafka_files.line_time import time_ms

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
    several brokers are not one log. What shows no time (the standard input or another pipe, which
    cannot be read twice; an unreadable file) keeps its place.

    Raises `LockstepError` for a path that does not exist and for a directory without files.
    """
    files = [_looked_at(path) for log in logs for path in _paths(str(log))]
    return in_order_of_time(files, lambda file: file.first_time_ms)


def _paths(log: str) -> list[str]:
    if log == STANDARD_INPUT:
        return [log]
    try:
        if not stat.S_ISDIR(os.stat(log).st_mode):
            return [log]
        names = sorted(os.listdir(log))
    except OSError as error:
        raise LockstepError(f"{log} cannot be read: {error.strerror or error}") from None
    paths = [os.path.join(log, name) for name in names if not name.startswith(".")]
    files = [path for path in paths if os.path.isfile(path)]
    if not files:
        raise LockstepError(f"{log} has no files", cure="name a directory that holds log files")
    return files


def _looked_at(path: str) -> LogFile:
    # What is read from a pipe could not be read again.
    if not os.path.isfile(path):
        return LogFile(path)
    lines = islice(physical_lines(path), _LINES_LOOKED_AT)
    try:
        times = (time_ms(line.content) for line in lines)
        return LogFile(path, next((time for time in times if time is not None), None))
    except OSError as error:
        return LogFile(path, unreadable=error.strerror or str(error))
