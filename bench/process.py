"""Runs a program and measures all of it, from its start to its end.

The system adds a process's time to its parent's when the parent waits for it. Not all do: Spark
kills its Python workers and waits for none. What loses its parent therefore becomes a child of this
process, which waits for it. Of a worker that was idle for a minute nobody gets the time, for its
parent ignores that it ended: so the times of all processes are also read while they run.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
_LOOK_SECONDS = 0.25
_GRACE = 10.0
"""Seconds that processes have to end after the one that started them; then they are killed."""


@dataclass(frozen=True)
class Run:
    """What a process took and said.

    `seconds` are by the clock, until the process that was started ended. `cpu_seconds` are those of
    all threads of it and of all processes below it, in user code and in the kernel, but for the
    last moment of one that nobody waits for. `peak_bytes` is the most memory that was resident in
    one of them; below some 50 MB it says nothing, since the system counts what the parent had when
    it started the process. `output` is standard output and `errors` standard error, where a verb
    that takes long says how far it is.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    exit_code: int
    output: str
    ran_out_of_time: bool
    errors: str = ""

    @property
    def everything(self) -> str:
        """Standard output, then standard error."""
        return f"{self.output}\n{self.errors}"

    @property
    def last_words(self) -> str:
        """The last line that is not blank."""
        lines = [line.strip() for line in self.everything.splitlines() if line.strip()]
        return lines[-1] if lines else "no output"


def measure(
    command: Sequence[str | Path],
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    limit: float | None = None,
) -> Run:
    """Run a command in a folder until it ends, or for `limit` seconds; it is killed then.

    `environment` is added to this process's own.
    """
    with (
        _adopted_orphans() as orphans,
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as complained,
    ):
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=complained,
            start_new_session=True,
        )
        expired, seen = threading.Event(), _Seen(process.pid)

        def stop() -> None:
            expired.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit, stop) if limit is not None else None
        grace = 0.0
        try:
            if timer is not None:
                timer.start()
            with seen:
                _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
            grace = 0.0 if expired.is_set() else _GRACE
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        finally:
            if timer is not None:
                timer.cancel()
            cpu_seconds = orphans.end(grace)
        # Given what `wait4` has already taken, so that it does not wait for a process that is gone.
        process.returncode = os.waitstatus_to_exitcode(status)
        output, errors = (_text(file) for file in (printed, complained))
    return Run(
        seconds=seconds,
        cpu_seconds=max(used.ru_utime + used.ru_stime + cpu_seconds, seen.cpu_seconds),
        peak_bytes=used.ru_maxrss * 1024,
        exit_code=process.returncode,
        output=output,
        ran_out_of_time=expired.is_set(),
        errors=errors,
    )


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


@contextmanager
def _adopted_orphans() -> Iterator[_Orphans]:
    """Within the block, what loses its parent below this process becomes a child of this one."""
    _adopt(True)
    try:
        yield _Orphans(frozenset(_children()))
    finally:
        _adopt(False)


@dataclass(frozen=True)
class _Orphans:
    """The children that this process did not start itself; `own` are those that it had before."""

    own: frozenset[int]

    def end(self, grace: float) -> float:
        """The seconds of the processor that they took; who runs on beyond the grace is killed."""
        seconds, deadline = 0.0, time.monotonic() + grace
        while left := [child for child in _children() if child not in self.own]:
            is_late = time.monotonic() >= deadline
            for child in left:
                if is_late:
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                ended, _, used = os.wait4(child, 0 if is_late else os.WNOHANG)
                if ended:
                    seconds += used.ru_utime + used.ru_stime
            time.sleep(0.01)
        return seconds


class _Seen:
    """The time of the processor that a process and those below it took, as far as it was seen."""

    def __init__(self, process: int) -> None:
        self._first = process
        self._processes: set[tuple[int, int]] = set()
        """Each by its number and when it was started: numbers are given again."""
        self._seconds: dict[tuple[int, int], float] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look_until_the_end, daemon=True)

    @property
    def cpu_seconds(self) -> float:
        """That of all that were seen."""
        return sum(self._seconds.values())

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *of_error: object) -> None:
        self._end.set()
        self._thread.join()

    def _look_until_the_end(self) -> None:
        while not self._end.wait(_LOOK_SECONDS):
            found = {int(folder.name): _status(folder) for folder in Path("/proc").glob("[0-9]*")}
            there = {process: status for process, status in found.items() if status is not None}
            for process in sorted(there, key=lambda one: there[one].start):
                parent, start, seconds = there[process]
                above = (parent, there[parent].start) if parent in there else None
                if process == self._first or {above, (process, start)} & self._processes:
                    self._processes.add((process, start))
                    self._seconds[process, start] = seconds


class _Status(NamedTuple):
    parent: int
    start: int
    seconds: float


def _status(folder: Path) -> _Status | None:
    """What the system says of a process; None of one that is gone."""
    try:
        fields = folder.joinpath("stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    ticks = os.sysconf("SC_CLK_TCK")
    return _Status(int(fields[1]), int(fields[19]), (int(fields[11]) + int(fields[12])) / ticks)


def _adopt(orphans: bool) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_PR_SET_CHILD_SUBREAPER, int(orphans), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system lets no process adopt orphans")


def _children() -> Iterator[int]:
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended
            yield from map(int, task.read_text().split())
