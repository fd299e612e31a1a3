"""The files of a log: rotated pieces in order of time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from lockstep.system.physical_lines import physical_lines
from lockstep_kafka.files.line_time import time_ms
from lockstep_kafka.files.log_paths import log_paths
from lockstep_kafka.files.time_order import in_order_of_time

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
    lines = islice(physical_lines(path), _LINES_LOOKED_AT)
    try:
        times = (time_ms(line.content) for line in lines)
        return LogFile(path, next((time for time in times if time is not None), None))
    except OSError as error:
        return LogFile(path, unreadable=error.strerror or str(error))
