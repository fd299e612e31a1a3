"""The command `lockstep` in a process of its own, forked from one that has run it already.

A page of the documentation runs a dozen commands, each of which would import the same, and load the
same machine code, for longer than it works. A forked command has its own folder, environment,
arguments and output, and ends as any process does.

    with forked_commands() as run:
        code, output = run(["check"], folder, environment)
"""

from __future__ import annotations

import io
import json
import os
import runpy
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from lockstep.cli.main import run
from tests.processes import started_program

ROOT = Path(__file__).parents[2]
Run: TypeAlias = Callable[[Sequence[str], Path, Mapping[str, str]], tuple[int, str]]
"""Runs a command: its arguments, folder and environment give its exit code and what it printed."""

_SECONDS = 240.0
"""Until the process from which commands are forked has begun."""
_WORKSPACE = ROOT / "tests" / "workspaces" / "turnstile"
_FIRST = ("check", "turnstile", "--engine", "compiled")
"""What is run before the first fork: commands of the pages then find loaded what this loads."""
_IMPORTED = ("lockstep.explore.live_search", "lockstep.report.prove", "lockstep.report.review")
"""What others import besides. None of them is run: what a solver has done changes what it finds."""


@contextmanager
def forked_commands() -> Iterator[Run]:
    """Start the process from which commands are forked; it ends with the block."""
    with tempfile.TemporaryDirectory(prefix="lockstep-forked-") as name:
        address = str(Path(name) / "socket")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
            listening.settimeout(_SECONDS)
            listening.bind(address)
            listening.listen(1)
            with started_program([sys.executable, "-m", __name__, address], ROOT, stdout=None):
                connection, _ = listening.accept()
                with connection:
                    yield lambda *request: _run(connection, *request)


def _run(
    connection: socket.socket,
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
) -> tuple[int, str]:
    request = json.dumps([list(arguments), str(folder), dict(environment)]).encode()
    with tempfile.TemporaryFile() as output:
        socket.send_fds(connection, [len(request).to_bytes(8, "big")], [output.fileno()])
        connection.sendall(request)
        answer = connection.recv(16)
        assert answer, "the process from which commands are forked has ended"
        output.seek(0)
        return int(answer), output.read().decode("utf-8")


def serve(address: str) -> None:
    """Fork a process for each request; in that process, return when it is to run the command."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(address)
    while True:
        size, (output,), _, _ = socket.recv_fds(connection, 8, 1)
        arguments, folder, environment = json.loads(
            connection.recv(int.from_bytes(size, "big")).decode()
        )
        process = os.fork()
        if process == 0:
            connection.close()
            _become(output, arguments, folder, environment)
            return
        os.close(output)
        _, status = os.waitpid(process, 0)
        connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _become(output: int, arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be what `python -m lockstep` is in that folder."""
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv, sys.path[0] = ["lockstep", *arguments], folder


def _run_first() -> None:
    """Run a small command in a workspace that is gone afterwards."""
    for module in _IMPORTED:
        import_module(module)
    with tempfile.TemporaryDirectory(prefix="lockstep-forked-") as name:
        root = Path(name) / _WORKSPACE.name
        shutil.copytree(_WORKSPACE, root, ignore=shutil.ignore_patterns(".lockstep"))
        with redirect_stdout(io.StringIO()):
            run([*_FIRST, "--workspace", str(root)])


if __name__ == "__main__":
    _run_first()
    serve(sys.argv[1])
    runpy.run_module("lockstep", run_name="__main__", alter_sys=True)
