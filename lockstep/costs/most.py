"""The heaviest way through a course, or what may be repeated before the goal without end.

Where no step that weighs something is part of a cycle, the strongly connected parts of the course
are passed one after the other, and the heaviest way to each goes through one before it. Then the
shortest way is looked for that nowhere falls behind the heaviest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lockstep.costs.course import Course, rows_of
from lockstep.costs.fewest import Way, lightest
from lockstep.plain.space import Limits, Mask

_NEVER = -1


@dataclass(frozen=True)
class Round:
    """A way to the goal, of which the steps from `begins` up to `ends` may be repeated at will."""

    way: Way
    begins: int
    ends: int


def heaviest(
    course: Course, weights: NDArray[np.int64], starts: dict[int, int], limits: Limits
) -> Way | Round:
    """The heaviest way from one of the starts to an end, and of those the one of fewest steps.

    It is a `Round` where there is no bound. The course has a way. `starts` says how many steps were
    taken before each. `Unfinished` where a limit is met.
    """
    parts = _parts(course)
    stays = parts[course.sources] == parts[course.targets]
    heavy = np.flatnonzero(stays & (weights > 0))
    if len(heavy):
        return _round(course, parts, int(heavy[0]), starts, limits)
    best = _heaviest_to(course, weights, parts, starts, limits)
    is_behind = best[course.sources] + weights != best[course.targets]
    ends = course.ends & (best == best[course.ends].max())
    first = {start: before for start, before in starts.items() if best[start] == 0}
    way = lightest(course, is_behind.astype(np.int64), first, ends, limits)
    assert way is not None, "the heaviest way is behind nowhere"
    return way


def _parts(course: Course) -> NDArray[np.int32]:
    """The strongly connected part of each state, by number."""
    size = len(course.first) - 1
    entries = np.ones(len(course.targets), np.int8), (course.sources, course.targets)
    form = csr_array(entries, shape=(size, size))
    form.sum_duplicates()  # where an entry is there twice, scipy does not come to an end
    parts: NDArray[np.int32] = connected_components(form, connection="strong")[1]
    return parts


def _heaviest_to(
    course: Course,
    weights: NDArray[np.int64],
    parts: NDArray[np.int32],
    starts: dict[int, int],
    limits: Limits,
) -> NDArray[np.int64]:
    """The most that a way from a start to each state weighs, where no step inside a part does."""
    count = int(parts.max()) + 1
    best = np.full(count, _NEVER, np.int64)
    best[parts[list(starts)]] = 0
    between = np.flatnonzero(parts[course.sources] != parts[course.targets])
    between = between[np.argsort(parts[course.sources[between]], kind="stable")]
    sources, targets = parts[course.sources[between]], parts[course.targets[between]]
    first = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=count))])
    awaited = np.bincount(targets, minlength=count)
    wave = np.flatnonzero(awaited == 0)
    while len(wave):
        limits.watch()
        rows = rows_of(first, wave)
        reached = targets[rows]
        np.maximum.at(best, reached, best[sources[rows]] + weights[between[rows]])
        np.subtract.at(awaited, reached, 1)
        wave = np.unique(reached[awaited[reached] == 0])
    return best[parts]


def _round(
    course: Course, parts: NDArray[np.int32], step: int, starts: dict[int, int], limits: Limits
) -> Round:
    """A way that takes a step which weighs something, comes back to before it, and goes on."""
    before, after = int(course.sources[step]), int(course.targets[step])
    there = _shortest(course, starts, _only(course, before), limits)
    inside = parts == parts[before]
    back = _shortest(course, {after: 0}, _only(course, before), limits, inside)
    onward = _shortest(course, {before: 0}, course.ends, limits)
    begins = len(there.steps)
    ends = begins + 1 + len(back.steps)
    way = Way(there.start, (*there.steps, step, *back.steps, *onward.steps))
    return Round(way, begins, ends)


def _shortest(
    course: Course,
    starts: dict[int, int],
    ends: Mask,
    limits: Limits,
    inside: Mask | None = None,
) -> Way:
    """The way of fewest steps from one of the starts; there is one."""
    weightless = np.zeros(len(course.targets), np.int64)
    way = lightest(course, weightless, starts, ends, limits, inside)
    assert way is not None, "every state of a course is on a way"
    return way


def _only(course: Course, state: int) -> Mask:
    mask = np.zeros(len(course.ends), np.bool_)
    mask[state] = True
    return mask
