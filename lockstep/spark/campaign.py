"""Tasks on Spark: each is a job of its own, so that its result is here as soon as it is there.

A task whose executor is lost is run again by Spark; one that fails for good leaves the others
alone. The files that tasks read go along, and are unpacked once a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lockstep.spark.task_start import forget_archives
from lockstep.system.workspace_text import WorkspaceText

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JOBS_PER_CORE = 4
"""Jobs that wait for a core, so that executors that come later find work."""


class Failed(Exception):
    """Spark gave a task up; the text is the reason in one line."""


def answers(
    session: SparkSession,
    work: Callable[[Path, bytes], bytes],
    workspace: WorkspaceText,
    tasks: Sequence[bytes],
    most: int | None = None,
) -> Generator[tuple[int, bytes | Failed], None, None]:
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


def _answer(future: Future[bytes]) -> bytes | Failed:
    try:
        return future.result()
    except Exception as error:  # py4j's and Spark's own have no class in common
        return Failed(_reason(error))


def _reason(error: Exception) -> str:
    """The line of a failure of Spark that says what happened on the executor."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if "failure:" in line.lower() or line.startswith("Caused by")]
    return (causes or lines or [type(error).__name__])[0][:300]


def _do(shipped: Any, work: Callable[[Path, bytes], bytes], task: bytes) -> bytes:
    """Do a task on an executor."""
    forget_archives()
    return work(shipped.value.unpacked(), task)
