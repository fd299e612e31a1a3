"""A standalone cluster of Spark's on loopback: a master, and workers with executors of their own.

    with cluster(workers=2) as running:
        spark_session("test", SparkOptions(running.master))

Every process is its own JVM. They are ended by their ids after the block, executors included.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.system.java import find_java

_START_SECONDS = 600.0


@dataclass
class Cluster:
    """A running cluster; `master` is its URL."""

    master: str
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def executors(self) -> list[int]:
        """The ids of the executors that run now."""
        return [
            child
            for process in self.processes
            for child in children(process.pid)
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


def command_of(process: int) -> str:
    """The command line of a process; nothing of one that is gone."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def descendants(process: int) -> list[int]:
    """The ids of a process's children, their children, and so on."""
    direct = children(process)
    return direct + [one for child in direct for one in descendants(child)]


def is_gone(process: int) -> bool:
    """Whether a process has ended, though somebody may still have to be told."""
    with suppress(OSError):
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        return state == "Z"
    return True


def remaining(processes: Mapping[int, str], seconds: float = 60.0) -> list[str]:
    """The commands of those processes that are still there after some seconds.

    They are given time: on a busy machine a process that was killed is there for a while.
    """
    ends = time.monotonic() + seconds
    while (there := [number for number in processes if not is_gone(number)]) and (
        time.monotonic() < ends
    ):
        time.sleep(0.1)
    return [processes[number] for number in there]


def _start(
    stack: ExitStack, folder: Path, name: str, what: str, *arguments: str
) -> subprocess.Popen[bytes]:
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
    process = subprocess.Popen(
        command, stdout=log, stderr=log, env=os.environ | settings, stdin=subprocess.DEVNULL
    )
    stack.callback(_end, process)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    below = descendants(process.pid)
    process.kill()
    process.wait()
    for child in below:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _said(log: Path, pattern: str) -> str:
    """What a log says sooner or later."""
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends:
        match = re.search(pattern, log.read_text(errors="replace"))
        if match is not None:
            return match[1]
        time.sleep(0.1)
    raise TimeoutError(f"{log} does not say {pattern}:\n{log.read_text(errors='replace')[-2000:]}")
