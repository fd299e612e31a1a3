"""Files of logs in order of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

File = TypeVar("File")


def in_order_of_time(files: Sequence[File], first_ms: Callable[[File], int | None]) -> list[File]:
    """The files by the first time in each; `first_ms` gives it in milliseconds.

    A file that shows no time keeps its place, and the others are put in order around it. Files of
    one time stay as they are.
    """
    timed = [(time, file) for file in files if (time := first_ms(file)) is not None]
    in_order = iter(sorted(timed, key=lambda pair: pair[0]))
    return [file if first_ms(file) is None else next(in_order)[1] for file in files]
