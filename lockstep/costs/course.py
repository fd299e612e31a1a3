"""The part of a state space that a scenario goes through: from where it begins to its goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from lockstep.plain.space import Limits, Mask, Space

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


def rows_of(first: NDArray[Any], owners: NDArray[np.intp]) -> NDArray[np.int64]:
    """The numbers of the rows of some owners: those of `i` stand together, from `first[i]`."""
    counts = first[owners + 1] - first[owners]
    begins = np.repeat(first[owners] - np.cumsum(counts) + counts, counts)
    return begins + np.arange(len(begins))


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
