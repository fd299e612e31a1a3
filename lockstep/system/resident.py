"""The memory that this process has and may take, and what stays out of the collector's way."""

from __future__ import annotations

import gc
import os

from lockstep.errors import LockstepError

_LEAST = 16 * 2**20
"""Bytes that a search needs beside what the process has before it begins."""


class ResidentBound:
    """A bound on resident memory: interpreter, code, and all that a search takes.

    Pages of files that are mapped later are not counted: the system takes them back when it needs
    room. LockstepError when the process has as much before the search begins.
    """

    def __init__(self, bound: int) -> None:
        """`bound` is in bytes."""
        self.bound = bound
        resident, self._of_files = _resident()
        self.before = resident
        """The bytes that the process has before the search."""
        if resident + _LEAST > bound:
            raise LockstepError(
                f"{in_mib(bound)} of memory are too few: "
                f"lockstep takes {in_mib(resident)} before the first state",
                cure=f"name at least {in_mib(resident + 4 * _LEAST).replace(' ', '')}",
            )

    @property
    def used(self) -> int:
        """The bytes that the process has now."""
        resident, of_files = _resident()
        return resident - of_files + self._of_files

    @property
    def is_met(self) -> bool:
        """Whether the process has as much as it may have."""
        return self.used >= self.bound

    def __str__(self) -> str:
        return f"{in_mib(self.bound)} of memory"


def in_mib(size: int) -> str:
    """A number of bytes for readers."""
    return f"{size / 2**20:,.0f} MiB"


def resident_memory() -> int:
    """The bytes that the process has in memory, pages of files included."""
    return _resident()[0]


def _resident() -> tuple[int, int]:
    """The bytes that the process has in memory, and how many of them are pages of files."""
    with open("/proc/self/statm", encoding="ascii") as line:
        _, resident, of_files, *_ = line.read().split()
    page = os.sysconf("SC_PAGE_SIZE")
    return int(resident) * page, int(of_files) * page


def granted_memory(memory: int | None) -> int:
    """The bytes that were asked for; unless they were, nine tenths of what is free."""
    return available_memory() * 9 // 10 if memory is None else memory


def available_memory() -> int:
    """Bytes that this process may still take without harm: what is free, of the cgroup too."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            fields = dict(line.split(":", 1) for line in lines)
        free = int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit:
            most = int(limit.read())
        with open("/sys/fs/cgroup/memory.current", encoding="ascii") as now:
            free = min(free, most - int(now.read()))
    except (OSError, ValueError):
        pass
    return max(0, free)


def look_seldom() -> None:
    """Look for garbage less often than Python does by itself.

    Most of what a model is made of lives until the end. To look at all of it takes a tenth of the
    time until a search begins, and most of the time of a process that has loaded many models.
    """
    gc.set_threshold(100_000, 50, 50)
