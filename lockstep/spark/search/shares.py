"""How the runs of a level are shared out to tasks."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heapreplace

from lockstep.spark.search.runs import Run

_LEAST = 1 << 15
"""States that a task expands, where there are as many: it takes a while to begin."""


def shares_of(runs: Iterable[Run], owners: int) -> tuple[tuple[Run, ...], ...]:
    """The runs in shares of about one size, the largest first; no more than owners and runs."""
    by_size = sorted(runs, key=lambda run: (-run.states, run.file))
    total = sum(run.states for run in by_size)
    number = max(1, min(len(by_size), total // _LEAST, max(owners, total // (_LEAST << 7))))
    shares: list[list[Run]] = [[] for _ in range(number)]
    sizes = [(0, place) for place in range(number)]
    heapify(sizes)
    for run in by_size:
        size, place = sizes[0]
        shares[place].append(run)
        heapreplace(sizes, (size + run.states, place))
    return tuple(tuple(share) for share in shares)
