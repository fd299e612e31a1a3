"""The text files of a workspace, of which any may be missing, unreadable, or no text."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.sealed import whole_file


def read_text(file: Path) -> str:
    """The text of a file; `LockstepError` in one line when it is not UTF-8 or cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LockstepError(
            f"{file} is not UTF-8 text: byte {error.start} is damaged", cure="save it as UTF-8"
        ) from None
    except OSError as error:
        raise LockstepError(f"{file} cannot be read: {error.strerror}") from None


def is_file(path: Path) -> bool:
    """Whether there is such a file; False for a path that can be none, as one of 2,000 letters.

    `LockstepError` where something stands in its place: it would be left out in silence.
    """
    if os.path.isfile(path):
        return True
    if os.path.lexists(path):
        raise LockstepError(f"{path} is no file that can be read", cure="move it out of the way")
    return False


def write_text(file: Path, text: str) -> None:
    """Write a file whole or not at all; `LockstepError` in one line when it cannot be written.

    What is there and is no file, such as a device or a pipe, is written to and stays what it is.
    """
    try:
        if file.exists() and not file.is_file():
            with file.open("w", encoding="utf-8") as stream:
                stream.write(text)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(file, 0o644, durable=False) as out:
            out.write(text.encode("utf-8"))
    except OSError as error:
        raise LockstepError(f"{file} cannot be written: {error.strerror}") from None


def add_lines(file: Path, lines: bytes) -> None:
    """Add whole lines at the end of a file, which is made where it is not there.

    `OSError` where that cannot be done. A last line that is not finished is finished first.
    """
    with locked(file) as descriptor:
        content = lines if _is_whole(descriptor) else b"\n" + lines
        while content:
            content = content[os.write(descriptor, content) :]


@contextmanager
def locked(file: Path) -> Iterator[int]:
    """The file, open to read and to add to, while no other process changes it."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Another process may have put a new file in its place meanwhile.
            if _is_same(descriptor, file):
                yield descriptor
                return
        finally:
            os.close(descriptor)


def _is_same(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


def _is_whole(descriptor: int) -> bool:
    """Whether the last line of a file is finished."""
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
