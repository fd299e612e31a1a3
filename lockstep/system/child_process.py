"""Programs that lockstep starts, Java among them. None outlives it, however it dies."""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import IO

from lockstep.errors import LockstepError


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


MINIMUM_JAVA = 17
"""The oldest Java release accepted: Kafka and Spark need it, TLC is content with less."""

_CURE = (
    f"install a Java {MINIMUM_JAVA} runtime or a later one; point JAVA_HOME at it or put it on PATH"
)
_START_SECONDS = 60.0


def find_java() -> Path:
    """The `java` program to use: that of JAVA_HOME if it is new enough, else the one on PATH.

    The path is the runtime's own program, as the runtime itself names it, so that a version
    manager's launcher never stands between us and the process that may have to be stopped.

    Raises LockstepError, in one sentence with its cure, when none is there or all are too old.
    """
    rejected: list[str] = []
    for origin, program in _candidates():
        if not program.is_file():
            rejected.append(f"{origin} names {program}, which is not there")
            continue
        probed = _probe(program)
        if probed is None:
            rejected.append(f"{program} ({origin}) does not start")
            continue
        version, home = probed
        if version < MINIMUM_JAVA:
            rejected.append(f"{program} ({origin}) is Java {version}")
            continue
        own = home / "bin" / program.name
        return own if own.is_file() else program
    why = "; ".join(rejected) if rejected else "JAVA_HOME is not set and PATH has no java"
    raise LockstepError(f"Java {MINIMUM_JAVA} or later is needed: {why}.", cure=_CURE)


def java_release(program: Path) -> int | None:
    """The feature release of a `java` program, such as 17; None if it does not start."""
    probed = _probe(program)
    return None if probed is None else probed[0]


def _candidates() -> list[tuple[str, Path]]:
    candidates: list[tuple[str, Path]] = []
    home = os.environ.get("JAVA_HOME")
    if home:
        name = "java.exe" if os.name == "nt" else "java"
        candidates.append(("JAVA_HOME", Path(home) / "bin" / name))
    on_path = shutil.which("java")
    if on_path:
        candidates.append(("PATH", Path(on_path)))
    return candidates


@functools.cache
def _probe(program: Path) -> tuple[int, Path] | None:
    """(feature release, home folder) as the runtime reports them, or None if it does not start."""
    try:
        answer = output_of([str(program), "-XshowSettings:properties", "-version"], _START_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    settings = answer.stdout
    # Java 8 and older call themselves 1.8; from 9 on the first number is the feature release.
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", settings, re.MULTILINE)
    home = re.search(r"^\s*java\.home = (.+?)\s*$", settings, re.MULTILINE)
    if answer.returncode != 0 or version is None or home is None:
        return None
    return int(version.group(1)), Path(home.group(1))
