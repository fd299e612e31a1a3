"""A standalone cluster of Spark on loopback: a master and workers, each a JVM of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from lockstep.system.java import find_java

_HOME = Path(pyspark.__file__).parent
_START_SECONDS = 120.0
_EXECUTOR = "CoarseGrainedExecutorBackend"


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs; `master` is its URL."""

    master: str
    workers: list[subprocess.Popen[bytes]]

    def executors(self) -> list[int]:
        """The processes of executors, which the workers have started."""
        started = {
            process: command
            for worker in self.workers
            for process, command in descendants(worker.pid).items()
        }
        return [process for process, command in started.items() if _EXECUTOR in command]


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster whose workers have one core each; its files are in `folder`."""
    port = _free_port()
    url = f"spark://127.0.0.1:{port}"
    ports = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(_free_port())]
    started = [_start(folder, "master.Master", *ports)]
    try:
        _wait(port)
        for number in range(workers):
            work = ["--work-dir", str(folder / f"work{number}"), "--webui-port", str(_free_port())]
            size = ["--cores", "1", "--memory", "1g", "--host", "127.0.0.1"]
            started.append(_start(folder, "worker.Worker", *size, *work, url))
        yield Cluster(url, started[1:])
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()


def _start(folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java().parent.parent),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    with folder.joinpath(f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            [_HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments],
            stdout=log,
            stderr=log,
            cwd=folder,
            env=environment,
        )


def _wait(port: int) -> None:
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < end, "the master does not answer"
            time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def descendants(process: int) -> dict[int, str]:
    """The processes that a process has started, and those that they have, by what was called."""
    found: dict[int, str] = {}
    waiting = [process]
    while waiting:
        parent = waiting.pop()
        for child in _processes():
            if _parent(child) == parent and child not in found:
                found[child] = _command(child)
                waiting.append(child)
    return found


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _parent(process: int) -> int | None:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None  # it has ended meanwhile
    return int(status.rpartition(")")[2].split()[1])


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
