"""The part of a state space that a scenario goes through, and the fewest and the most there."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lockstep.plain.space import Limits, Mask, Space, rows_of

_BYTES_A_STEP = 64
"""What is taken for each step of a space at the same time: 48 were measured, all being of use."""


@dataclass(frozen=True)
class Course:
    """The states and steps on some way from a start to an end, an end being the last of its way.

    States have positions here, in the order of the space. `starts` are positions, `ends` is true of
    the ends. Step `i` leads from `sources[i]` to `targets[i]` and is step `edges[i]` of the space;
    those of one state stand together, from `first`. `entries` are the steps of the space to each
    start, -1 for the initial state.
    """

    space: Space
    starts: NDArray[np.intp]
    entries: NDArray[np.int64]
    ends: Mask
    first: NDArray[np.int64]
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    edges: NDArray[np.int64]

    @classmethod
    def of(
        cls, space: Space, begins: Mask | None, ends: Mask, usable: Mask, limits: Limits
    ) -> Course:
        """The course from states in which `begins` has just become true, by steps that are usable.

        Without `begins` it starts in the initial state. `Unfinished` where a limit is met.
        """
        limits.watch(space.bytes + _BYTES_A_STEP * len(space.targets))
        size = len(space.states)
        sources = np.repeat(np.arange(size, dtype=np.int32), np.diff(space.first))
        starts, entries = _starts(space, sources, begins)
        onward = usable & ~ends[sources]
        reached = _reached(size, sources[onward], space.targets[onward], starts, limits)
        onward &= reached[sources]
        finals = np.flatnonzero(ends & reached)
        useful = _reached(size, space.targets[onward], sources[onward], finals, limits)
        onward &= useful[space.targets]
        position = np.cumsum(useful) - 1
        own = position[sources[onward]].astype(np.int32)
        count = int(np.count_nonzero(useful))
        is_kept = useful[starts]
        return cls(
            space,
            position[starts[is_kept]],
            entries[is_kept],
            ends[useful],
            np.concatenate([[0], np.cumsum(np.bincount(own, minlength=count))]).astype(np.int64),
            own,
            position[space.targets[onward]].astype(np.int32),
            np.flatnonzero(onward),
        )

    def lead(self, start: int) -> list[int]:
        """The steps of the space to a start, a shortest way to the step after which it began."""
        entry = int(self.entries[np.flatnonzero(self.starts == start)[0]])
        return [] if entry < 0 else [*self.space.way_to(self.space.source(entry)), entry]

    def leads(self) -> dict[int, int]:
        """For each start how many steps its lead has."""
        depths = self.space.depths()
        return {
            int(start): 0 if entry < 0 else int(depths[self.space.source(int(entry))]) + 1
            for start, entry in zip(self.starts, self.entries, strict=True)
        }


def _starts(
    space: Space, sources: NDArray[np.int32], begins: Mask | None
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The states that a course starts in, and by which step each is first entered."""
    if begins is None:
        return np.zeros(1, np.intp), np.full(1, -1, np.int64)
    entering = np.flatnonzero(~begins[sources] & begins[space.targets])
    starts, which = np.unique(space.targets[entering], return_index=True)
    entries = entering[which]
    if begins[0]:
        others = starts != 0
        starts, entries = np.append(0, starts[others]), np.append(-1, entries[others])
    return starts.astype(np.intp), entries.astype(np.int64)


def _reached(
    size: int,
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    starts: NDArray[np.intp],
    limits: Limits,
) -> Mask:
    """Which states some steps lead to from the starts, those included."""
    form = csr_array((np.ones(len(sources), np.int8), (sources, targets)), shape=(size, size))
    reached, wave = np.zeros(size, np.bool_), starts
    while len(wave):
        limits.watch()
        reached[wave] = True
        following = form.indices[rows_of(form.indptr, wave)]
        wave = np.unique(following[~reached[following]])
    return reached


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
