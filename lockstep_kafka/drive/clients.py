"""The clients that are driven, each as a program in a process of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version as version_of
from tempfile import TemporaryFile

from lockstep.errors import LockstepError, nearest
from lockstep_kafka.drive.releases import JARS, NEWEST

_PROGRAMS = "lockstep_kafka.drive.programs"
_MOST_SHOWN = 2_000


@dataclass(frozen=True)
class Client:
    """A client: its name, its version, and the command that consumes with it."""

    name: str
    version: str
    command: Sequence[str]


def _kafka_python(release: str | None) -> Client:
    if importlib.util.find_spec("kafka") is None:
        raise LockstepError("kafka-python is not installed.", cure="pip install kafka-python")
    installed = version_of("kafka-python")
    if release not in (None, installed):
        raise LockstepError(
            f"kafka-python {installed} is installed, and not {release}",
            cure=f"leave out the release, or pip install kafka-python=={release}",
        )
    return Client("kafka-python", installed, (sys.executable, "-m", f"{_PROGRAMS}.kafka_python"))


def _java(release: str | None) -> Client:
    release = release or NEWEST
    if release not in JARS:
        raise LockstepError(
            f"no jars are pinned for release {release} of Apache Kafka",
            cure=f"name one of {', '.join(JARS)}",
        )
    return Client("java", release, (sys.executable, "-m", f"{_PROGRAMS}.java", release))


CLIENTS: Mapping[str, Callable[[str | None], Client]] = {
    "java": _java,
    "kafka-python": _kafka_python,
}
"""How each is found, by its name; the argument is the release, None for the usual one."""


def client_of(options: str) -> Client:
    """The client of `:NAME[:RELEASE]`; `LockstepError` where it cannot be had."""
    name, _, release = options.removeprefix(":").partition(":")
    if name not in CLIENTS:
        known = f"there is: {', '.join(CLIENTS)}"
        raise LockstepError(
            f"there is no client {name!r} to drive", cure=nearest(name, CLIENTS, known)
        )
    return CLIENTS[name](release or None)


class Process:
    """A client's program that runs; `stop` ends it. `say` gives it the commands that it knows."""

    def __init__(self, client: Client, topics: Sequence[str]) -> None:
        self._errors = TemporaryFile()  # noqa: SIM115 - `stop` closes it
        self._process = subprocess.Popen(
            [*client.command, *topics],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            text=True,
        )

    def say(self, *command: object) -> None:
        """Give it a command; one that has ended takes none."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{' '.join(map(str, command))}\n")
            self._process.stdin.flush()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @property
    def state(self) -> str:
        """Whether it runs, and the last line that it has printed on standard error."""
        code = self._process.poll()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace")[-_MOST_SHOWN:].strip().splitlines()
        said = f": {lines[-1].strip()}" if lines else ""
        return f"it runs{said}" if code is None else f"it has ended with {code}{said}"

    def stop(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._errors.close()
