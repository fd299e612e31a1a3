"""A standalone cluster of Spark's on loopback: a master, and workers with executors of their own.

    with cluster(workers=2) as running:
        spark_session("test", SparkOptions(running.master))

Every process is its own JVM. They are ended by their ids after the block, executors included.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.system.java import find_java
from tests.processes import Started, command_of, started_program

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
        main = _start(stack, folder, "master", "master.Master", "--port", "0", "--webui-port", "0")
        url = _said(folder / "master.log", r"Starting Spark master at (spark://\S+)")
        running = Cluster(url, [main])
        for number in range(workers):
            name = f"worker-{number}"
            arguments = ("--webui-port", "0", "--cores", str(cores), "--memory", memory)
            work = ("--work-dir", str(folder / name))
            process = _start(stack, folder, name, "worker.Worker", *arguments, *work, url)
            running.processes.append(process)
        for number in range(workers):
            _said(folder / f"worker-{number}.log", r"Successfully registered with master (\S+)")
        yield running


def children(process: int) -> list[int]:
    """The ids of a process's children."""
    ids: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            ids += [int(number) for number in (task / "children").read_text().split()]
    return ids


def _start(stack: ExitStack, folder: Path, name: str, what: str, *arguments: str) -> Started:
    """Start a part of the cluster, which ends with the stack."""
    import pyspark

    folder.mkdir(parents=True, exist_ok=True)
    log = stack.enter_context((folder / f"{name}.log").open("wb"))
    home = Path(pyspark.__file__).parent
    java = find_java()
    settings = {
        "SPARK_HOME": str(home),
        "JAVA_HOME": str(java.parent.parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_SCALA_VERSION": "2.13",  # what the script spark-class sets
    }
    command = [
        str(java), "-Xmx512m", "-cp", f"{home}/jars/*", "--add-modules=jdk.incubator.vector",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        f"org.apache.spark.deploy.{what}", "--host", "127.0.0.1", *arguments,
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
