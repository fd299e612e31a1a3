"""The files of a fleet's logs: what their names and their beginnings show."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from lockstep.errors import LockstepError
from lockstep.system.compressed_stream import LONGEST_MAGIC, DamagedStream, compression_of
from lockstep.system.physical_lines import STANDARD_INPUT, physical_lines
from lockstep_kafka.files.layouts import layout_of
from lockstep_kafka.files.log_files import in_order_of_time, log_paths

HEAD_BYTES = 1_024
"""As much of a file tells it from all others: a first line has a time, and names a connection."""

_LINES_LOOKED_AT = 1_000
_LOOKERS = 16

FirstTime = Callable[[bytes], int | None]
"""The time that a line begins with, in milliseconds since 1970; None where it has none."""


@dataclass(frozen=True)
class LogFile:
    """A file as a look at it shows it.

    `size` is in bytes, as the file stands there. `head` are the first bytes of the content, and
    `first_ms` is the first time in it, None where the first lines show none. `layout` is that of
    the first request, None where the first lines have none. `unreadable` says why the file cannot
    be read, or is None.
    """

    path: str
    size: int = 0
    is_compressed: bool = False
    head: bytes = b""
    first_ms: int | None = None
    layout: str | None = None
    unreadable: str | None = None


def look_at(logs: Sequence[str], first_time: FirstTime) -> list[LogFile]:
    """The files that some logs stand for, in the order of the first time in each.

    A log is what `log_paths` reads, but for standard input and pipes. A file that shows no time
    keeps its place. `LockstepError` for a log that stands for no file.
    """
    paths = _paths(logs)
    with ThreadPoolExecutor(_LOOKERS) as lookers:
        files = list(lookers.map(lambda path: _look(path, first_time), paths))
    return in_order_of_time(files, lambda file: file.first_ms)


def _paths(logs: Sequence[str]) -> list[str]:
    if STANDARD_INPUT in logs:
        raise LockstepError(
            "standard input cannot be read with --engine spark: a task that fails reads its part "
            "again",
            cure="name files, or leave --engine spark out",
        )
    paths = [os.path.abspath(path) for path in log_paths(logs)]
    for path in paths:
        if not os.path.isfile(path):
            raise LockstepError(f"{path} is no file", cure="name a file, a folder or a pattern")
    return paths


def _look(path: str, first_time: FirstTime) -> LogFile:
    head = bytearray()
    first_ms = layout = None
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            compression = compression_of(file.read(LONGEST_MAGIC))
        with suppress(DamagedStream):
            for line in islice(physical_lines(path), _LINES_LOOKED_AT):
                if len(head) < HEAD_BYTES:
                    head += line.content + b"\n" * line.has_end
                layout = layout or layout_of(line.content)
                first_ms = first_time(line.content)
                if first_ms is not None and len(head) >= HEAD_BYTES:
                    break
    except OSError as error:
        return LogFile(path, unreadable=error.strerror or str(error))
    begins = bytes(head[:HEAD_BYTES])
    return LogFile(path, size, compression is not None, begins, first_ms, layout)
