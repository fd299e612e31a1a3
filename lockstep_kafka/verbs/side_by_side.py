"""Tasks done at once, each by a program of its own that says how far it is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, json

from lockstep.errors import LockstepError
from lockstep.system.child_process import child_process, kill


class Report(Struct, frozen=True):
    """What a program prints, one a line: how far it is, and last the result or the failure."""

    step: Any = None
    result: Any = None
    failure: str | None = None


@contextmanager
def side_by_side(
    program: str, tasks: Mapping[str, object], jobs: int, on_step: Callable[[str, Any], object]
) -> Iterator[list[Future[Any]]]:
    """The results of tasks, as they are in JSON; at the end of the block no program is left.

    Tasks are named by what they are to do. `program` is a module, which `serve`s. `on_step` is
    called in other threads with the name of a task and how far it is. A future has a
    `LockstepError` with the failure, or with the last words of a program that was ended.
    """
    running: set[subprocess.Popen[str]] = set()

    def result(name: str, task: object) -> Any:
        command = [sys.executable, "-m", program, json.encode(task).decode()]
        with child_process(command, None, subprocess.STDOUT) as process:
            running.add(process)
            try:
                return _result(name, process, lambda step: on_step(name, step))
            finally:
                running.discard(process)

    pool = ThreadPoolExecutor(jobs)
    try:
        yield [pool.submit(result, *named) for named in tasks.items()]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in [*running]:
            kill(process)
        pool.shutdown()


def _result(name: str, process: subprocess.Popen[str], on_step: Callable[[Any], object]) -> Any:
    assert process.stdout is not None
    words = ""
    for line in process.stdout:
        if not line.startswith("{"):
            words = line.strip() or words
            continue
        report = json.decode(line, type=Report)
        if report.failure is not None:
            raise LockstepError(report.failure)
        if report.result is not None:
            return report.result
        on_step(report.step)
    said = f": {words}" if words else ""
    raise LockstepError(f"{name} is not complete: its process was ended{said}")


def serve(work: Callable[[bytes, Callable[[object], None]], object]) -> None:
    """Do the task on the command line; `work` takes it in JSON, and what says how far it is."""
    try:
        _print(Report(result=work(sys.argv[1].encode(), lambda step: _print(Report(step)))))
    except LockstepError as error:
        _print(Report(failure=str(error)))


def _print(report: Report) -> None:
    sys.stdout.buffer.write(json.encode(report) + b"\n")
    sys.stdout.buffer.flush()
