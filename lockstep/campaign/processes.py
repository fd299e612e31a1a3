"""Where tasks are done: here, or by processes, none of which outlives lockstep however it dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import Protocol

import msgspec

from lockstep.system.resident import granted_memory, look_seldom

_SPAWN = multiprocessing.get_context("spawn")
"""A fork would take over the locks of the caller's threads."""


@dataclass(frozen=True)
class Processes:
    """`width` processes, each of which does one task at a time within its share of `whole`."""

    work: Work
    workspace: Path
    width: int
    whole: Share

    @property
    def share(self) -> Share:
        """What each process may take."""
        memory = granted_memory(self.whole.memory)
        threads = cores() if self.whole.threads is None else self.whole.threads
        return Share(memory // self.width, max(1, threads // self.width))

    @contextmanager
    def answers(self, tasks: Sequence[bytes]) -> Iterator[Answers]:
        """Do tasks. One whose process ends is `Lost`, and another process takes the place."""
        job = partial(_job, self.work, self.workspace, self.share)
        with closing(_answers(job, tasks, self.width)) as answers:
            yield answers

    def alone(self) -> Place | None:
        """One process with all that there is."""
        return None if self.width == 1 else replace(self, width=1)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _job(work: Work, workspace: Path, share: Share, task: bytes) -> bytes:
    return work(workspace, task, share)


@dataclass
class _Worker:
    process: SpawnProcess
    connection: Connection
    task: int = -1
    """The number of the task that it does."""

    def lost(self) -> Lost:
        """Why it has ended."""
        self.process.join()
        code = self.process.exitcode or 0
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return Lost(f"its process ended {how}")


def _answers(job: partial[bytes], tasks: Sequence[bytes], width: int) -> Answers:
    waiting = deque(enumerate(tasks))
    workers: dict[Connection, _Worker] = {}
    try:
        while waiting or workers:
            while waiting and len(workers) < width:
                worker = _started(job)
                workers[worker.connection] = worker
                _give(worker, waiting)
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                worker = workers[connection]
                number = worker.task
                try:
                    answer: bytes | Lost = connection.recv_bytes()
                except (EOFError, ConnectionError):
                    answer = worker.lost()
                if isinstance(answer, Lost) or not _give(worker, waiting):
                    _end(workers.pop(connection))
                yield number, answer
    finally:
        for worker in workers.values():
            worker.process.kill()
        for worker in workers.values():
            _end(worker)


def _started(job: partial[bytes]) -> _Worker:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs, job), daemon=True)
    with _shielded():
        process.start()
    theirs.close()  # or its end would not be seen
    return _Worker(process, ours)


@contextmanager
def _shielded() -> Iterator[None]:
    """Start a process that Ctrl-C does not reach, and that runs no program but our own.

    Ctrl-C on a terminal goes to all of its processes, and here it is for us to end the others.
    The program that calls us may be a script without `if __name__ == "__main__"`.
    """
    program = sys.modules["__main__"]
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _give(worker: _Worker, waiting: deque[tuple[int, bytes]]) -> bool:
    """Give a worker the next task, if there is one."""
    if not waiting:
        return False
    worker.task, task = waiting.popleft()
    with suppress(ConnectionError):  # that it has ended is seen where its answer is read
        worker.connection.send_bytes(task)
    return True


def _end(worker: _Worker) -> None:
    worker.connection.close()  # which ends it when it has nothing to do
    worker.process.join()
    worker.process.close()


def _serve(connection: Connection, job: partial[bytes]) -> None:
    """Do one task after the other, in a process of its own."""
    look_seldom()
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    while True:
        try:
            task = connection.recv_bytes()
        except EOFError:
            return
        connection.send_bytes(job(task))


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


Work = Callable[[Path, bytes, "Share"], bytes]
"""Does a task in a workspace: a function that other processes can import.

It is given the folder of the workspace, an encoded `Task` and what it may take; the result is an
encoded `Outcome`. What is wrong with the task is in the outcome and not raised.
"""


class Share(msgspec.Struct, frozen=True):
    """What one task may take: bytes of memory, all that is free for None, and threads."""

    memory: int | None = None
    threads: int | None = None


WHOLE = Share()
"""All that there is."""


@dataclass(frozen=True)
class Lost:
    """A task has no outcome, because the process that did it has ended."""

    why: str


Answers = Generator[tuple[int, bytes | Lost], None, None]
"""The number of each task with its outcome, in the order in which they end."""


class Place(Protocol):
    """Somewhere to do tasks."""

    def answers(self, tasks: Sequence[bytes]) -> AbstractContextManager[Answers]:
        """Do tasks, begun in their order; at the end of the block nothing of them is left."""
        ...

    def alone(self) -> Place | None:
        """Where a task is done again with all that there is; None where that is no help."""
        ...


@dataclass(frozen=True)
class Here:
    """This process, which does one task after the other with all that there is."""

    work: Work
    workspace: Path
    share: Share

    @contextmanager
    def answers(self, tasks: Sequence[bytes]) -> Iterator[Answers]:
        """Do tasks in their order."""
        yield (
            (number, self.work(self.workspace, task, self.share))
            for number, task in enumerate(tasks)
        )

    def alone(self) -> Place | None:
        """There is no more than a task had already."""
        return None
