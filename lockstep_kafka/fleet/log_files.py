"""The files of a fleet's logs: what their names and their beginnings show."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import BinaryIO

from lockstep.errors import LockstepError
from lockstep_kafka.files.layouts import joined_lines
from lockstep_kafka.files.log_files import LINES_LOOKED_AT, in_order_of_time, log_paths
from lockstep_kafka.files.physical_lines import (
    LONGEST_MAGIC,
    STANDARD_INPUT,
    DamagedStream,
    blocks_of,
    compression_of,
    physical_lines,
)
from lockstep_kafka.files.request_log import SeenLayout

HEAD_BYTES = 1_024
"""So much of a file identifies it: a first line has a time, and names a connection."""

_LOOKERS = 16

FirstTime = Callable[[bytes], int | None]
"""The time that a line begins with, in milliseconds since 1970; None where it has none."""


@dataclass(frozen=True)
class Stored:
    """How a file lies on disk: its size in bytes, and when it was last written, in nanoseconds."""

    size: int = 0
    written_ns: int = 0


@dataclass(frozen=True)
class LogFile:
    """A file as a look at it shows it.

    `head` are the first bytes of the content, and `first_ms` is the first time in it, None where
    the first lines show none. `layout` is that of the first request, None where there is none;
    `first_line` is the first line then, with its number. `unreadable` says why the file cannot be
    read, or is None.
    """

    path: str
    stored: Stored = Stored()
    is_compressed: bool = False
    head: bytes = b""
    first_ms: int | None = None
    layout: str | None = None
    first_line: tuple[int, str] | None = None
    unreadable: str | None = None

    @property
    def size(self) -> int:
        """In bytes, as the file lies there."""
        return self.stored.size


def paths_of(logs: Sequence[str]) -> list[str]:
    """The files that some logs stand for, which are those of `log_paths`, but no pipes.

    `LockstepError` for a log that stands for no file, and where no log is named.
    """
    if not logs:
        raise LockstepError("no log is named", cure="name files, folders or patterns")
    if STANDARD_INPUT in logs:
        raise LockstepError(
            "standard input cannot be read into tables: what fails is read again",
            cure="name files, or leave out --engine and --out",
        )
    paths = [os.path.abspath(path) for path in log_paths(logs)]
    for path in paths:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise LockstepError(f"{path} is no file", cure="name a file, a folder or a pattern")
    return paths


def look_at(
    paths: Sequence[str], first_time: FirstTime, known: Mapping[str, Stored] = MappingProxyType({})
) -> list[LogFile]:
    """Files in the order of the first time in each; those that are stored as is known are left out.

    A file that shows no time keeps its place.
    """
    with ThreadPoolExecutor(_LOOKERS) as lookers:
        looked_at = lookers.map(lambda path: _look(path, first_time, known.get(path)), paths)
        files = [file for file in looked_at if file is not None]
    return in_order_of_time(files, lambda file: file.first_ms)


def _look(path: str, first_time: FirstTime, known: Stored | None) -> LogFile | None:
    first_ms, seen = None, SeenLayout()
    try:
        status = os.stat(path)
        stored = Stored(status.st_size, status.st_mtime_ns)
        if stored == known:
            return None
        with open(path, "rb") as file:
            compression = compression_of(file.read(LONGEST_MAGIC))
            file.seek(0)
            head = head_of(file)
        with suppress(DamagedStream):
            for line in joined_lines(physical_lines(path)):
                seen.look_at(line)
                if first_ms is None and line.number <= LINES_LOOKED_AT:
                    first_ms = first_time(line.content)
                if seen.name is not None and (first_ms or line.number >= LINES_LOOKED_AT):
                    break
    except OSError as error:
        return LogFile(path, unreadable=error.strerror or str(error))
    is_compressed = compression is not None
    return LogFile(path, stored, is_compressed, head, first_ms, seen.name, seen.first)


def head_of(file: BinaryIO) -> bytes:
    """The first bytes of the content of a file that is at its beginning."""
    head = bytearray()
    with suppress(DamagedStream):
        for block in blocks_of(file):
            head += block
            if len(head) >= HEAD_BYTES:
                break
    return bytes(head[:HEAD_BYTES])
