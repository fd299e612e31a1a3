"""Programs that lockstep starts. None of them outlives it, however it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import IO


@contextmanager
def child_process(
    command: Sequence[str], folder: Path | None, stderr: int | IO[bytes]
) -> Iterator[subprocess.Popen[str]]:
    """Start a program in `folder`, by way of `keeper.py`; its standard output is a pipe of text.

    It reads nothing. At the end of the block it is killed if it still runs, and so are its own
    children. A program that cannot be started ends with exit code 1 and says why.
    """
    # As text: where lockstep is in an archive, nothing else can run a file of it.
    keeper = resources.files(__package__).joinpath("keeper.py").read_text("utf-8")
    reader, writer = os.pipe()
    try:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", keeper, *command],
                cwd=folder,
                stdin=reader,
                stdout=subprocess.PIPE,
                stderr=stderr,
                encoding="utf-8",
                errors="replace",
                process_group=0,
            )
        finally:
            os.close(reader)
        try:
            yield process
        finally:
            kill(process)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    finally:
        os.close(writer)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill what `child_process` started with all of its children; nothing if it has ended."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def output_of(
    command: Sequence[str], timeout: float, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; both of its outputs are in `stdout`.

    OSError when nothing can be started, and TimeoutExpired when it does not end within `timeout`
    seconds.
    """
    with child_process(command, folder, subprocess.STDOUT) as process:
        output, _ = process.communicate(timeout=timeout)
    return subprocess.CompletedProcess(list(command), process.returncode, output)
