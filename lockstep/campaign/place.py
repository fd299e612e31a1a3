"""The places where tasks are done: this process, processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

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
