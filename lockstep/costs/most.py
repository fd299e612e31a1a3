"""The heaviest way through a course, or what may be repeated before the goal without end.

Where no step that weighs something is part of a cycle, the strongly connected parts of the course
are passed one after the other, and the heaviest way to each is that to the parts before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lockstep.costs.course import Course
from lockstep.costs.fewest import Way, lightest
from lockstep.plain.graph import Limits, Mask

_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Round:
    """A way to the goal, of which the steps from `begins` up to `ends` may be repeated at will."""

    way: Way
    begins: int
    ends: int


def heaviest(
    course: Course, weights: NDArray[np.int64], starts: dict[int, int], limits: Limits
) -> Way | Round:
    """The heaviest way from one of the starts to an end, of those the one of fewest steps, about.

    It is a `Round` where there is no bound. The course has a way. `starts` says how many steps were
    taken before each. `Unfinished` where a limit is met.
    """
    parts = _parts(course)
    stays = parts[course.sources] == parts[course.targets]
    heavy = np.flatnonzero(stays & (weights > 0))
    if len(heavy):
        return _round(course, parts, int(heavy[0]), starts, limits)
    return _Parts(course, weights, parts, starts, limits).way()


def _parts(course: Course) -> NDArray[np.int32]:
    """The strongly connected part of each state, by number."""
    size = len(course.first) - 1
    entries = np.ones(len(course.targets), np.int8), (course.sources, course.targets)
    form = csr_array(entries, shape=(size, size))
    form.sum_duplicates()  # where an entry is there twice, scipy does not come to an end
    parts: NDArray[np.int32] = connected_components(form, connection="strong")[1]
    return parts


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
    return Round(
        Way(there.start, (*there.steps, step, *back.steps, *onward.steps)), begins=begins, ends=ends
    )


class _Parts:
    """The heaviest ways to the strongly connected parts of a course, in none of which one gains."""

    def __init__(
        self,
        course: Course,
        weights: NDArray[np.int64],
        parts: NDArray[np.int32],
        starts: dict[int, int],
        limits: Limits,
    ) -> None:
        self._course = course
        self._parts = parts
        self._limits = limits
        count = int(parts.max()) + 1
        unit = len(course.first) + max(starts.values(), default=0) + 1
        self._gains = weights * unit - 1
        """What a step adds: of ways that weigh the same, the one with fewer steps is better."""
        self._best = np.full(count, _NEVER, np.int64)
        self._came = np.full(count, -1, np.int64)
        self._starts: dict[int, int] = {}
        for start, before in starts.items():
            part = int(parts[start])
            if self._best[part] < -before:
                self._best[part] = -before
                self._starts[part] = start

    def way(self) -> Way:
        """The heaviest way to an end."""
        self._pass()
        # Nothing leads on from an end: it is a part by itself.
        ends = np.flatnonzero(self._course.ends)
        state = int(ends[np.argmax(self._best[self._parts[ends]])])
        steps: list[int] = []
        while True:
            part = int(self._parts[state])
            step = int(self._came[part])
            first = self._starts[part] if step < 0 else int(self._course.targets[step])
            if first != state:
                inside = self._parts == part
                goal = _only(self._course, state)
                within = _shortest(self._course, {first: 0}, goal, self._limits, inside)
                steps[:0] = within.steps
            if step < 0:
                return Way(first, tuple(steps))
            steps.insert(0, step)
            state = int(self._course.sources[step])

    def _pass(self) -> None:
        """Go through the parts, each after all that lead to it."""
        course, parts = self._course, self._parts
        between = np.flatnonzero(parts[course.sources] != parts[course.targets])
        between = between[np.argsort(parts[course.sources[between]], kind="stable")]
        sources, targets = parts[course.sources[between]], parts[course.targets[between]]
        count = len(self._best)
        first = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=count))])
        awaited = np.bincount(targets, minlength=count)
        wave = np.flatnonzero(awaited == 0)
        while len(wave):
            self._limits.watch()
            counts = first[wave + 1] - first[wave]
            begins = np.repeat(first[wave] - np.cumsum(counts) + counts, counts)
            rows = begins + np.arange(len(begins))
            steps, reached = between[rows], targets[rows]
            values = self._best[sources[rows]] + self._gains[steps]
            is_better = values > self._best[reached]
            np.maximum.at(self._best, reached[is_better], values[is_better])
            is_best = is_better & (values == self._best[reached])
            self._came[reached[is_best]] = steps[is_best]
            np.subtract.at(awaited, reached, 1)
            wave = np.unique(reached[awaited[reached] == 0])
