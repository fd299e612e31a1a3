"""The clients that are driven, each as a program in a process of its own."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version as version_of
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory, TemporaryFile

from lockstep.errors import LockstepError, unknown
from lockstep.system.user_cache import cache_folder, make_private
from lockstep.words import printable, shown_path
from lockstep_kafka.drive.jvm import pinned, require_java
from lockstep_kafka.jars import NEWEST

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


def _pinned(
    name: str, folder: str, release: str | None, file: str, pattern: str
) -> tuple[Path, str]:
    """The folder of a client's program, and the version that a file in it pins."""
    source = Path(__file__).parent / "programs" / folder
    pinned = re.findall(pattern, (source / file).read_text(encoding="utf-8"), re.MULTILINE)[0]
    if release not in (None, pinned):
        raise LockstepError(
            f"{name} {pinned} is pinned, and not {release}", cure="leave out the release"
        )
    make_private(cache_folder())
    return source, str(pinned)


def _built(name: str, tool: str, arguments: Sequence[str], folder: Path, cure: str) -> None:
    """Build a client by a tool that is on the PATH."""
    found = shutil.which(tool)
    if found is None:
        raise LockstepError(f"{tool} is needed to drive {name}.", cure=f"put `{tool}` on the PATH")
    try:
        made = subprocess.run(
            (found, *arguments),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_BUILDING_SECONDS,
        )
        failed, said = made.returncode != 0, made.stderr
    except subprocess.TimeoutExpired:
        failed, said = True, f"{tool} took longer than {_BUILDING_SECONDS} s"
    if failed:
        why = printable(said.strip().splitlines()[-1]) if said.strip() else f"{tool} says nothing"
        raise LockstepError(f"{name} is not built: {why}", cure=cure)


def go_program(name: str, release: str | None = None) -> Client:
    """A program in Go, at the version that `go.mod` pins and `go.sum` has the digests of."""
    folder = name.replace("-", "_")
    source, version = _pinned(name, folder, release, "go.mod", r"^require \S+ v(\S+)$")
    built = cache_folder() / f"{name}-{version}"
    cure = "see that Go reaches its modules: `go mod download` in " + shown_path(source)
    _built(name, "go", ("build", "-mod=readonly", "-o", str(built), "."), source, cure)
    return Client(name, version, (str(built),))


def _of_node(name: str, package: str, release: str | None) -> Client:
    """A package of `package.json`; `package-lock.json` has the digests."""
    source, version = _pinned(name, "node", release, "package.json", rf'"{package}": "(\S+)"')
    node = shutil.which("node")
    if node is None:
        raise LockstepError(f"Node is needed to drive {name}.", cure="put `node` on the PATH")
    digest = hashlib.sha256()
    for file in sorted(source.glob("*.js*")):
        digest.update(file.read_bytes())
    folder = cache_folder() / f"node-{digest.hexdigest()[:16]}"
    if not folder.is_dir():
        with TemporaryDirectory(dir=cache_folder()) as making:
            whole = shutil.copytree(source, Path(making) / "clients")
            arguments = ("ci", "--ignore-scripts", "--no-audit", "--no-fund")
            _built(name, "npm", arguments, whole, "see that npm reaches its registry")
            with suppress(OSError):  # another process was sooner
                whole.rename(folder)
    return Client(name, version, (node, str(folder / f"{name}.js")))


def _java(release: str | None) -> Client:
    release = release or NEWEST
    require_java(pinned(release))
    return Client("java", release, (sys.executable, "-m", f"{_PROGRAMS}.java", release))


CLIENTS: Mapping[str, Callable[[str | None], Client]] = {
    "aiokafka": _of_python("aiokafka", "aiokafka", "aiokafka", "aiokafka"),
    "franz-go": partial(go_program, "franz-go"),
    "java": _java,
    "kafka-go": partial(go_program, "kafka-go"),
    "kafkajs": partial(_of_node, "kafkajs", "kafkajs"),
    "kafka-python": _of_python("kafka-python", "kafka-python", "kafka", "kafka_python"),
    "librdkafka": _of_python("librdkafka", "confluent-kafka", "confluent_kafka", "librdkafka"),
    "platformatic": partial(_of_node, "platformatic", "@platformatic/kafka"),
    "sarama": partial(go_program, "sarama"),
}
"""How each is found, by its name; the argument is the release, None for the usual one."""


def client_of(options: str) -> Client:
    """The client of `:NAME[:RELEASE]`; `LockstepError` where it cannot be had."""
    name, _, release = options.removeprefix(":").partition(":")
    if name not in CLIENTS:
        raise unknown(f"there is no client {name!r} to drive", name, CLIENTS, "there is")
    return CLIENTS[name](release or None)


_DOING_SECONDS = 5.0


class Process:
    """A client's program that runs; `stop` ends it. `say` gives it the commands that it knows."""

    def __init__(self, client: Client, topics: Sequence[str]) -> None:
        self._errors = TemporaryFile()  # noqa: SIM115 - `stop` closes it
        self._process = subprocess.Popen(
            [*client.command, *topics],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._done: Queue[str] = Queue()
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._done.put(line)

    def say(self, *command: object) -> None:
        """Give it a command; one that has ended takes none."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{' '.join(map(str, command))}\n")
            self._process.stdin.flush()

    def do(self, *command: object) -> None:
        """Give it a command, and wait until it is done, or for some seconds."""
        while not self._done.empty():
            self._done.get()
        self.say(*command)
        with suppress(Empty):
            self._done.get(timeout=_DOING_SECONDS)

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
        self._listening.join()
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._errors.close()
