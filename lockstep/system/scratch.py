"""Folders for what is needed while lockstep runs, and for no longer."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
