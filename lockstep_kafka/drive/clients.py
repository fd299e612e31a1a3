"""The clients that are driven, each as a program in a process of its own."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from tempfile import TemporaryFile

from lockstep.errors import LockstepError, nearest
from lockstep.system.user_cache import cache_folder, make_private
from lockstep.words import printable, shown_path
from lockstep_kafka.drive.jvm import pinned, require_java
from lockstep_kafka.drive.releases import NEWEST

_PROGRAMS = "lockstep_kafka.drive.programs"
_MOST_SHOWN = 2_000
_BUILDING_SECONDS = 900


@dataclass(frozen=True)
class Client:
    """A client: its name, its version, and the command that consumes with it."""

    name: str
    version: str
    command: Sequence[str]


def _of_python(name: str, package: str, module: str, program: str) -> Callable[..., Client]:
    """A client that is a package of this Python."""

    def found(release: str | None) -> Client:
        if importlib.util.find_spec(module) is None:
            raise LockstepError(f"{package} is not installed.", cure=f"pip install {package}")
        installed = version_of(package)
        if release not in (None, installed):
            raise LockstepError(
                f"{package} {installed} is installed, and not {release}",
                cure=f"leave out the release, or pip install {package}=={release}",
            )
        return Client(name, installed, (sys.executable, "-m", f"{_PROGRAMS}.{program}"))

    return found


def _franz_go(release: str | None) -> Client:
    """franz-go, at the version that `go.mod` pins and `go.sum` has the digests of."""
    source = Path(__file__).parent / "programs" / "franz_go"
    pinned = re.findall(r"^require \S+ v(\S+)$", (source / "go.mod").read_text(), re.MULTILINE)[0]
    if release not in (None, pinned):
        raise LockstepError(
            f"franz-go {pinned} is pinned, and not {release}", cure="leave out the release"
        )
    go = shutil.which("go")
    if go is None:
        raise LockstepError("Go is needed to drive franz-go.", cure="put `go` on the PATH")
    make_private(cache_folder())
    built = cache_folder() / f"franz-go-{pinned}"
    command = (go, "build", "-mod=readonly", "-o", str(built), ".")
    try:
        made = subprocess.run(
            command, cwd=source, capture_output=True, text=True, timeout=_BUILDING_SECONDS
        )
        failed, said = made.returncode != 0, made.stderr
    except subprocess.TimeoutExpired:
        failed, said = True, f"{go} took longer than {_BUILDING_SECONDS} s"
    if failed:
        why = printable(said.strip().splitlines()[-1]) if said.strip() else f"{go} says nothing"
        cure = "see that Go reaches its modules: `go mod download` in " + shown_path(source)
        raise LockstepError(f"franz-go is not built: {why}", cure=cure)
    return Client("franz-go", pinned, (str(built),))


def _java(release: str | None) -> Client:
    release = release or NEWEST
    require_java(pinned(release))
    return Client("java", release, (sys.executable, "-m", f"{_PROGRAMS}.java", release))


CLIENTS: Mapping[str, Callable[[str | None], Client]] = {
    "franz-go": _franz_go,
    "java": _java,
    "kafka-python": _of_python("kafka-python", "kafka-python", "kafka", "kafka_python"),
    "librdkafka": _of_python("librdkafka", "confluent-kafka", "confluent_kafka", "librdkafka"),
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
