"""Real processes of the command, followed with all that they start, and what they leave behind."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

COMMAND = [sys.executable, "-m", "lockstep"]
_MARK = "LOCKSTEP_TEST_MARK"
_SECONDS = 60.0
"""Until what must happen is given up."""


@dataclass
class Started:
    """A process in the current folder, with a temporary folder of its own."""

    process: subprocess.Popen[str]
    temporary: Path
    _mark: bytes

    def alive(self) -> set[int]:
        """The ids of it and of all that it started, its descendants' descendants included."""
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marked = self._mark in folder.joinpath("environ").read_bytes()
                state = folder.joinpath("stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue  # it ended meanwhile
            if marked and state != "Z":
                found.add(int(folder.name))
        return found

    def await_that(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + _SECONDS
        while not is_so():
            assert time.monotonic() < end, "it did not come to pass"
            time.sleep(0.01)

    def ended(self) -> tuple[int, str, str]:
        """Its exit code and what it printed, once it and all that it started have ended."""
        out, err = self.process.communicate(timeout=_SECONDS)
        self.await_that(lambda: not self.alive())
        return self.process.returncode, out, err

    def left(self) -> list[str]:
        """The names in its temporary folder."""
        return sorted(path.name for path in self.temporary.iterdir())


def _heed_ctrl_c() -> None:
    """What a shell starts in the background ignores SIGINT, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def started(
    *arguments: str, temporary: Path, before: Callable[[], None] = _heed_ctrl_c, **changed: str
) -> Iterator[Started]:
    """Start the command; what is alive of it at the end is killed, each by its id."""
    mark = f"{_MARK}={uuid.uuid4()}"
    name, _, value = mark.partition("=")
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        env={**os.environ, name: value, "TMPDIR": str(temporary), **changed},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    )
    one = Started(process, temporary, mark.encode())
    try:
        yield one
    finally:
        for number in one.alive():
            os.kill(number, signal.SIGKILL)
        process.communicate()


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
