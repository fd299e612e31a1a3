"""Spark on loopback: a standalone cluster, whose workers have executors of their own, or Connect.

    with cluster(workers=2) as running:
        spark_session("test", SparkOptions(running.master))

Every process is its own JVM. They are ended by their ids after the block, executors included.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.system.java import find_java
from tests.processes import Started, command_of, started_program

_HOST = "127.0.0.1"
_START_SECONDS = 600.0


@dataclass
class Cluster:
    """A running cluster; `master` is its URL."""

    master: str
    processes: list[Started] = field(default_factory=list)

    def executors(self) -> list[int]:
        """The ids of the executors that run now."""
        return [
            child
            for process in self.processes
            for child in children(process.process.pid)
            if "CoarseGrainedExecutorBackend" in command_of(child)
        ]


@contextmanager
def cluster(
    folder: Path, workers: int = 2, cores: int = 1, memory: str = "1g"
) -> Iterator[Cluster]:
    """A cluster whose logs and work are in a folder; each worker has so many cores."""
    with ExitStack() as stack:
        of_master = ("--host", _HOST, "--port", "0", "--webui-port", "0")
        main = _start(stack, folder, "master", "master.Master", *of_master)
        url = _said(folder / "master.log", r"Starting Spark master at (spark://\S+)")
        running = Cluster(url, [main])
        for number in range(workers):
            name = f"worker-{number}"
            arguments = (
                "--host",
                _HOST,
                "--webui-port",
                "0",
                "--cores",
                str(cores),
                "--memory",
                memory,
            )
            work = ("--work-dir", str(folder / name))
            process = _start(stack, folder, name, "worker.Worker", *arguments, *work, url)
            running.processes.append(process)
        for number in range(workers):
            _said(folder / f"worker-{number}.log", r"Successfully registered with master (\S+)")
        yield running


@contextmanager
def connect_server(folder: Path, settings: Mapping[str, str], python: Path) -> Iterator[str]:
    """The URL of a Connect server with one core, whose tasks run in a Python."""
    settings = {
        "spark.connect.grpc.binding.address": _HOST,
        "spark.connect.grpc.binding.port": "0",
        **settings,
    }
    arguments = [part for item in settings.items() for part in ("--conf", "=".join(item))]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    submit = ("SparkSubmit", "--master", "local[1]", *arguments, "--class", server)
    with ExitStack() as stack:
        _start(stack, folder, "connect", *submit, "spark-internal", python=python)
        address = _said(
            folder / "connect.log", r"Spark Connect server started at: \S*?([\d.]+:\d+)"
        )
        yield f"sc://{address}"


def children(process: int) -> list[int]:
    """The ids of a process's children."""
    ids: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            ids += [int(number) for number in (task / "children").read_text().split()]
    return ids


def _start(
    stack: ExitStack,
    folder: Path,
    name: str,
    what: str,
    *arguments: str,
    python: Path = Path(sys.executable),
) -> Started:
    """Start a part of the cluster, which ends with the stack."""
    import pyspark

    folder.mkdir(parents=True, exist_ok=True)
    log = stack.enter_context((folder / f"{name}.log").open("wb"))
    home = Path(pyspark.__file__).parent
    java = find_java()
    settings = {
        "SPARK_HOME": str(home),
        "JAVA_HOME": str(java.parent.parent),
        "SPARK_LOCAL_IP": _HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "PYSPARK_PYTHON": str(python),
        "SPARK_SCALA_VERSION": "2.13",  # what the script spark-class sets
    }
    command = [
        str(java), "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-cp", f"{home}/jars/*", "--add-modules=jdk.incubator.vector",
        *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in ("java.nio", "sun.nio.ch")),
        f"org.apache.spark.deploy.{what}", *arguments,
    ]  # fmt: skip
    return stack.enter_context(started_program(command, changed=settings, stdout=log, stderr=log))


def _said(log: Path, pattern: str) -> str:
    """What a log says sooner or later."""
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends:
        match = re.search(pattern, log.read_text(errors="replace"))
        if match is not None:
            return match[1]
        time.sleep(0.1)
    raise TimeoutError(f"{log} does not say {pattern}:\n{log.read_text(errors='replace')[-2000:]}")
