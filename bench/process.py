"""Runs a program and measures all of it, from its start to its end."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """What a process took and said.

    `seconds` are by the clock, `cpu_seconds` those of all its threads in user code and in the
    kernel. `peak_bytes` is the most memory that was resident; below some 50 MB it says nothing,
    since the system counts what the parent had when it started the process. `output` is standard
    output and standard error as they came.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    exit_code: int
    output: str
    ran_out_of_time: bool

    @property
    def last_words(self) -> str:
        """The last line of the output that is not blank."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
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
    with tempfile.TemporaryFile() as printed:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        expired = threading.Event()

        def stop() -> None:
            expired.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit, stop) if limit is not None else None
        try:
            if timer is not None:
                timer.start()
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        finally:
            if timer is not None:
                timer.cancel()
        seconds = time.perf_counter() - started
        # Told what `wait4` has already taken, so that it does not wait for a process that is gone.
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        output = printed.read().decode(errors="replace")
    return Run(
        seconds=seconds,
        cpu_seconds=used.ru_utime + used.ru_stime,
        peak_bytes=used.ru_maxrss * 1024,
        exit_code=process.returncode,
        output=output,
        ran_out_of_time=expired.is_set(),
    )
