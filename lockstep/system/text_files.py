"""Text files, of which any may be missing or unreadable, and folders that go at the end."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
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


@contextmanager
def scratch_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A new folder in `parent` (by default the temporary folder) that is gone after the block.

    It is locked as long as its process lives. Folders of the same prefix that nobody holds are what
    killed processes have left, and are removed here. OSError when no folder can be made.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    for stale in parent.glob(f"{prefix}*"):
        _remove_abandoned(stale)
    folder, lock = _new_folder(prefix, parent)
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # Ctrl-C may have ended the first
            os.close(lock)


def _new_folder(prefix: str, parent: Path) -> tuple[Path, int]:
    """A new folder, and the open file that holds its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            lock = _locked(folder)
        except FileNotFoundError:
            continue  # it was taken for abandoned before it was locked
        if lock is not None and folder.exists():
            return folder, lock
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """An open file with the folder's lock; None if another process has it."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _remove_abandoned(folder: Path) -> None:
    try:
        lock = _locked(folder)
    except OSError:
        return  # not a folder, another user's, or gone meanwhile
    if lock is None:
        return
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
