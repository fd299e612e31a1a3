"""Searches that end before their time: in the middle of a write, or killed by the system."""

from __future__ import annotations

import os
import random
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

import pytest

from lockstep.errors import LockstepError
from lockstep.machine.search import checkpoint
from tests.agreement.case import Case
from tests.processes import kill

_LONGEST = 5.0
"""Seconds after which a search is killed at the latest."""


class Interrupted(BaseException):
    """Stands for the end of the process: nothing handles it."""


def interrupted(case: Case, folder: Path, chance: random.Random) -> bool:
    """Go on with a search whose process ends at some write to disk; whether it came so far."""
    remaining_writes = chance.randint(0, 3)
    real = os.fsync

    def ends(descriptor: int) -> None:
        nonlocal remaining_writes
        remaining_writes -= 1
        if remaining_writes < 0:
            raise Interrupted
        real(descriptor)

    # Each level is written by itself, so that there are as many writes as can be.
    alone = patch.object(checkpoint, "_PAUSE", 0)
    with alone, patch.object(os, "fsync", ends), suppress(Interrupted):
        _explore(case, folder)
        return False
    return True


def killed(case: Case, folder: Path, chance: random.Random) -> bool:
    """Let a process go on with a search and kill it; whether it was still at work."""
    child = _fork()
    if child == 0:
        with _slow_disk():
            try:
                _explore(case, folder)
            finally:
                os._exit(0)
    changes, appearances = chance.randint(0, 8), set[object]()
    deadline = time.monotonic() + _LONGEST
    while len(appearances) <= changes and time.monotonic() < deadline:
        appearances.add(_appearance(folder))
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.WIFSIGNALED(status)
        time.sleep(chance.random() / 1000)
    kill(child)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def _appearance(folder: Path) -> object:
    """The names, sizes and times of the files in a folder."""
    files = []
    for file in sorted(folder.glob("*")):
        with suppress(FileNotFoundError):
            files.append((file.name, file.stat().st_size, file.stat().st_mtime_ns))
    return tuple(files)


def assert_damage_is_refused(case: Case, folder: Path) -> bool:
    """What a search kept is refused while a file of states lacks a word; whether there is one."""
    files = [file for file in folder.glob("*.states") if file.stat().st_size]
    if not files:
        return False
    whole = files[0].read_bytes()
    files[0].write_bytes(whole[:-8])
    with pytest.raises(LockstepError):
        _explore(case, folder)
    files[0].write_bytes(whole)
    return True


def _explore(case: Case, folder: Path) -> None:
    case.explored(checkpoint=folder, threads=1)


def _fork() -> int:
    with warnings.catch_warnings():
        # Threads of the test runner are not in the child, which needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


@contextmanager
def _slow_disk() -> Iterator[None]:
    """Writes take long enough to be killed in."""
    real = os.fsync

    def slow(descriptor: int) -> None:
        time.sleep(0.002)
        real(descriptor)

    with patch.object(os, "fsync", slow):
        yield
