"""The order of tasks: the longest first, so that none is left over when all others are done."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

_START_SECONDS = 0.5
"""To load a model and translate it."""

_STATES_PER_SECOND = 200_000
"""What one core explores; only the proportion of two tasks matters."""


def expected_seconds(earlier: float | None, states: int | None) -> float:
    """How long a task takes: as long as earlier, else as its number of states lets expect.

    Infinitely long where nobody knows either.
    """
    if earlier is None:
        earlier = math.inf if states is None else states / _STATES_PER_SECOND
    return _START_SECONDS + earlier


def longest_first(numbers: Sequence[int], seconds: Callable[[int], float]) -> list[int]:
    """Numbers of tasks in the order in which they are begun; equally long ones as they stand."""
    return sorted(numbers, key=seconds, reverse=True)


class TimeLeft:
    """How long the tasks that are left may take, by how long those took that are done."""

    def __init__(self, seconds: Sequence[float]) -> None:
        """`seconds` is how long each task may take by itself."""
        self._left = sum(filter(math.isfinite, seconds))
        self._done = 0.0
        self._began = time.perf_counter()

    def after(self, seconds: float) -> str:
        """What is left after a task that might take so long; nothing where nobody knows."""
        if not math.isfinite(seconds):
            return ""
        self._done += seconds
        self._left -= seconds
        rate = (time.perf_counter() - self._began) / self._done
        return f", about {max(0.0, self._left * rate):,.0f} s left"
