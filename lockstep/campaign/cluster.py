"""Tasks on a cluster: Spark spreads them, and each is explored by one machine.

Each is a job of its own, so that its result is here as soon as it is there. A task whose executor
is lost is run again by Spark; one that fails for good leaves the others alone. The files that tasks
read go along, and are unpacked once a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lockstep.campaign.processes import WHOLE, Answers, Lost, Place, Share, Work, cores
from lockstep.spark.session import LOCAL_MASTER, SparkOptions, spark_session
from lockstep.spark.task_start import forget_archives
from lockstep.system.resident import granted_memory, look_seldom
from lockstep.system.workspace_text import WorkspaceText

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Cluster:
    """The machines of a Spark master, each core of which does one task at a time.

    With `at_once` no more tasks than that are done at the same time. `whole` bounds the memory of
    one machine, and is shared by its cores.
    """

    work: Work
    workspace: Path
    master: str = LOCAL_MASTER
    whole: Share = WHOLE
    at_once: int | None = None

    @contextmanager
    def answers(self, tasks: Sequence[bytes]) -> Iterator[Answers]:
        """Do tasks. One that Spark gives up is `Lost`."""
        text = WorkspaceText.of(self.workspace)
        work = partial(_with_share, self.work, self.whole, self.at_once)
        options = SparkOptions(self.master)
        with (
            spark_session("lockstep check", options) as session,
            closing(answers(session, work, text, tasks, self.at_once)) as results,
        ):
            yield results

    def alone(self) -> Place | None:
        """The same cluster, one task at a time with all that a machine has."""
        return None if self.at_once == 1 else replace(self, at_once=1)


def _with_share(
    work: Work, whole: Share, at_once: int | None, workspace: Path, task: bytes
) -> bytes:
    """Do a task on an executor with the share of one of its machine's cores, or of all of them."""
    look_seldom()
    parts = 1 if at_once == 1 else cores()
    memory = granted_memory(whole.memory)
    return work(workspace, task, Share(memory // parts, max(1, cores() // parts)))


_JOBS_PER_CORE = 4
"""Jobs that wait for a core, so that executors that come later find work."""


def answers(
    session: SparkSession,
    work: Callable[[Path, bytes], bytes],
    workspace: WorkspaceText,
    tasks: Sequence[bytes],
    most: int | None = None,
) -> Answers:
    """Do tasks, begun in their order and at `most` so many at once; each number with its answer.

    `work` is a function that executors can import. It is given a folder with the text of the
    workspace, and a task. What is still to be done when this is closed is cancelled.
    """
    context = session.sparkContext
    shipped = context.broadcast(workspace)
    width = most or _JOBS_PER_CORE * context.defaultParallelism
    on_executor = partial(_do, shipped, work)

    def job(task: bytes) -> bytes:
        (answer,) = context.parallelize([task], 1).map(on_executor).collect()
        return bytes(answer)

    futures: dict[Future[bytes], int] = {}
    with ThreadPoolExecutor(min(width, max(1, len(tasks)))) as pool:
        try:
            futures |= {pool.submit(job, task): number for number, task in enumerate(tasks)}
            for future in as_completed(futures):
                yield futures[future], _answer(future)
        finally:
            for future in futures:
                future.cancel()
            with suppress(Exception):  # the JVM may be gone, and its jobs with it
                context.cancelAllJobs()
                shipped.unpersist()


def _answer(future: Future[bytes]) -> bytes | Lost:
    try:
        return future.result()
    except Exception as error:  # py4j's and Spark's own have no class in common
        return Lost(f"Spark gave it up: {_reason(error)}")


def _reason(error: Exception) -> str:
    """The line of a failure of Spark that says what happened on the executor."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if "failure:" in line.lower() or line.startswith("Caused by")]
    return (causes or lines or [type(error).__name__])[0][:300]


def _do(shipped: Any, work: Callable[[Path, bytes], bytes], task: bytes) -> bytes:
    """Do a task on an executor."""
    forget_archives()
    return work(shipped.value.unpacked(), task)
