"""Processes that tests start: as a terminal starts them, and ended however the test ends.

What a shell starts in the background ignores SIGINT, `nohup` lets ignore SIGHUP, and a process
ignores what the one that started it does. So nothing else in the tests starts a process that it
does not wait for, or sends one a signal; `tests/test_processes.py` looks for that.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias

from lockstep.system.interruption import ENDING_SIGNALS

COMMAND = [sys.executable, "-m", "lockstep"]
_MARK = "LOCKSTEP_TEST_MARK"
_SECONDS = 240.0
"""Until what must happen is given up."""
_PR_SET_PDEATHSIG = 1
_PROGRESS = re.compile(r"^lockstep: [\d,]+ s  .*\n", re.MULTILINE)
"""What a command says now and then that takes long: none of it where the machine is fast."""

_File: TypeAlias = int | IO[bytes] | None


@dataclass
class Started:
    """A process; `temporary` is a temporary folder of its own."""

    process: subprocess.Popen[str]
    temporary: Path | None
    _mark: bytes

    def alive(self) -> set[int]:
        """The ids of it and of all that it started, its descendants' descendants included."""
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marked = self._mark in folder.joinpath("environ").read_bytes()
            except OSError:
                continue  # it ended meanwhile
            if marked and is_alive(int(folder.name)):
                found.add(int(folder.name))
        return found

    def below(self) -> set[int]:
        """The same without the process itself."""
        return self.alive() - {self.process.pid}

    def line(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def await_that(self, is_so: Callable[[], bool], seconds: float = _SECONDS) -> None:
        """Wait until something is so."""
        end = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < end, "it did not come to pass"
            time.sleep(0.01)

    def ended(self, seconds: float = _SECONDS) -> tuple[int, str, str]:
        """Its exit code and what it printed, once it and all that it started have ended.

        Lines of progress are left out of standard error.
        """
        out, err = self.process.communicate(timeout=seconds)
        end = time.monotonic() + seconds
        while (alive := self.alive()) and time.monotonic() < end:
            time.sleep(0.01)
        assert [command_of(number) for number in alive] == []
        return self.process.returncode, out, err and without_progress(err)

    def left(self) -> list[str]:
        """The names in its temporary folder."""
        assert self.temporary is not None
        return sorted(path.name for path in self.temporary.iterdir())


def started(
    *arguments: str, temporary: Path | None = None, ignored: Collection[int] = (), **changed: str
) -> AbstractContextManager[Started]:
    """Start lockstep in the current folder, as `started_program` does."""
    command = [*COMMAND, *arguments]
    return started_program(command, temporary=temporary, ignored=ignored, changed=changed)


@contextmanager
def started_program(
    command: Sequence[str],
    folder: Path | None = None,
    *,
    temporary: Path | None = None,
    ignored: Collection[int] = (),
    changed: Mapping[str, str] | None = None,
    stdin: _File = subprocess.DEVNULL,
    stdout: _File = subprocess.PIPE,
    stderr: _File = subprocess.PIPE,
) -> Iterator[Started]:
    """Start a program; what is alive of it at the end is killed, each by its id.

    It ignores the signals that are to be `ignored`, and no other; `changed` is of its environment.
    """
    mark = str(uuid.uuid4())
    environment = {**os.environ, _MARK: mark, **(changed or {})}
    if temporary is not None:
        temporary.mkdir(exist_ok=True)
        environment["TMPDIR"] = str(temporary)
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        text=True,
        preexec_fn=partial(_begin, frozenset(ignored), os.getpid()),
    )
    one = Started(process, temporary, f"{_MARK}={mark}".encode())
    try:
        yield one
    finally:
        while alive := one.alive():
            for number in alive:
                kill(number)
            process.poll()
        process.communicate()


def _begin(ignored: Collection[int], parent: int) -> None:
    """What is done in the new process; it ends with the one of the tests, should that be killed."""
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def without_progress(err: str) -> str:
    """What a command wrote to standard error but for the lines of progress."""
    return _PROGRESS.sub("", err)


def kill(process: int) -> None:
    """Kill a process, which may have ended."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def is_alive(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody waited for does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def command_of(process: int) -> str:
    """The command line of a process; nothing of one that is gone."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def java_that_waits(home: Path) -> Path:
    """A Java that answers as 17 does and, asked to run TLC, waits with a child of its own.

    The file that it makes when it waits.
    """
    program, waiting = home / "bin" / "java", home / "waiting"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in *-version*)\n'
        f'  echo "    java.home = {home}"; echo "    java.specification.version = 17"; exit;;\n'
        "esac\n"
        f"touch {waiting}\n"
        "sleep 600\n"
    )
    program.chmod(0o755)
    return waiting
