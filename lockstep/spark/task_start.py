"""What a task does first in a worker of Spark's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar
from zipimport import zipimporter

Taken = TypeVar("Taken")
Given = TypeVar("Given")


def forget_archives() -> None:
    """Let this process's next task begin at once.

    Spark's workers run from an archive, and before each task they have Python forget what it knows
    of every folder of it: reading the archive again for each takes a quarter of a second or more.
    What Python does not know it need not forget. It finds the archive again when it needs it.
    """
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter):
            del sys.path_importer_cache[path]


def as_task(work: Callable[[Taken], Given]) -> Callable[[Taken], Given]:
    """Some work as a function of a task, which then begins at once.

    Spark looks at a function's own signature: an object that is called has none for it.
    """

    def task(taken: Taken) -> Given:
        forget_archives()
        return work(taken)

    return task
