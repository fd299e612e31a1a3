"""Tasks on Spark: each is a job of its own, so that its result is here as soon as it is there.

A task whose executor is lost is run again by Spark; one that fails for good leaves the others
alone. The files that tasks read go along, and are unpacked once a machine.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lockstep.system.scratch import scratch_folder
from lockstep.system.user_cache import cache_folder, make_private

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JOBS_PER_CORE = 4
"""Jobs that wait for a core, so that executors that come later find work."""


class Failed(Exception):
    """Spark gave a task up; the text is the reason in one line."""


def answers(
    session: SparkSession,
    work: Callable[[Path, bytes], bytes],
    files: Mapping[str, bytes],
    tasks: Sequence[bytes],
    most: int | None = None,
) -> Generator[tuple[int, bytes | Failed], None, None]:
    """Do tasks, begun in their order and at `most` so many at once; each number with its answer.

    `work` is a function that executors can import. It is given the folder with the `files`, whose
    names are paths in it, and a task. What is still to be done when this is closed is cancelled.
    """
    context = session.sparkContext
    shipped = context.broadcast((dict(files), digest_of_files(files)))
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
    return work(unpacked(*shipped.value), task)


def digest_of_files(files: Mapping[str, bytes]) -> str:
    """A number in hexadecimal that is another one when any file is."""
    hashed = hashlib.sha256()
    for name, content in sorted(files.items()):
        hashed.update(f"{name}\0{len(content)}\0".encode())
        hashed.update(content)
    return hashed.hexdigest()


def unpacked(files: Mapping[str, bytes], digest: str) -> Path:
    """The folder of this machine with just these files, which a digest names.

    It is written whole or not at all, and anew where a file of it is not as it was.
    """
    folder = cache_folder() / "shipped" / digest
    if _is_whole(folder, files):
        return folder
    make_private(folder.parent)
    lock = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_whole(folder, files):  # another process may have written it meanwhile
            _write(folder, files)
    finally:
        os.close(lock)
    return folder


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    with scratch_folder("unpacking-", folder.parent) as scratch:
        if folder.exists():
            folder.rename(scratch / "damaged")
        for name, content in files.items():
            file = scratch / "whole" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (scratch / "whole").rename(folder)


def _is_whole(folder: Path, files: Mapping[str, bytes]) -> bool:
    try:
        return all((folder / name).read_bytes() == content for name, content in files.items())
    except OSError:
        return False
