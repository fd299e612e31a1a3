"""A log that is still being written, and rotated: its lines as they come.

As `tail -F` does, what goes by the name of the file is read. When another file has that name, or
the file was emptied, what is left of the old one is read first; the new one begins with line 1.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

from lockstep.system.physical_lines import PhysicalLine, lines_of

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
