"""The lightest way through a course: the least weight, and with that weight the fewest steps.

Weights are whole numbers from 0 up, and steps may weigh nothing. Ways are followed in the order of
their weight and length, all states of one weight and length at once (Dijkstra's algorithm with
Dial's buckets).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from lockstep.costs.course import Course, rows_of
from lockstep.plain.space import Limits, Mask

_FAR = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Way:
    """Steps of a course one after the other, from the state at a position."""

    start: int
    steps: tuple[int, ...]


def lightest(
    course: Course,
    weights: NDArray[np.int64],
    starts: dict[int, int],
    ends: Mask,
    limits: Limits,
    inside: Mask | None = None,
) -> Way | None:
    """The lightest way from one of the starts to an end; None where there is none.

    `starts` says how many steps were taken before each. With `inside` the way leaves none of these
    states. `Unfinished` where a limit is met.
    """
    unit = len(course.first) + max(starts.values(), default=0) + 1
    """More than the steps of any way: a weight of 1 counts as so many steps."""
    best = np.full(len(course.first) - 1, _FAR, np.int64)
    came = np.full(len(best), -1, np.int64)
    waiting: defaultdict[int, list[NDArray[np.intp]]] = defaultdict(list)
    order: list[int] = []

    def wait(key: int, states: NDArray[np.intp]) -> None:
        if key not in waiting:
            heappush(order, key)
        waiting[key].append(states)

    for start, before in starts.items():
        best[start] = before
        wait(before, np.array([start], np.intp))
    while order:
        limits.watch()
        key = heappop(order)
        states = np.unique(np.concatenate(waiting.pop(key)))
        states = states[best[states] == key]
        if ends[states].any():
            return _way(course, came, int(states[ends[states]][0]))
        steps = rows_of(course.first, states)
        targets = course.targets[steps]
        keys = key + weights[steps] * unit + 1
        is_better = keys < best[targets]
        if inside is not None:
            is_better &= inside[targets]
        steps, targets, keys = steps[is_better], targets[is_better], keys[is_better]
        np.minimum.at(best, targets, keys)
        is_best = keys == best[targets]
        came[targets[is_best]] = steps[is_best]
        for after in np.unique(keys[is_best]):
            wait(int(after), targets[is_best & (keys == after)].astype(np.intp))
    return None


def _way(course: Course, came: NDArray[np.int64], state: int) -> Way:
    """The steps by which a state was reached."""
    steps = []
    while came[state] >= 0:
        steps.append(int(came[state]))
        state = int(course.sources[steps[-1]])
    return Way(state, tuple(reversed(steps)))
