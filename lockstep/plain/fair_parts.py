"""Which parts of a graph a behaviour can stay in for ever, all promises of fairness kept.

They are strongly connected. Staying where one is counts as a step (TLA+'s stuttering), so that each
state by itself is such a part, too. A part that breaks strong fairness may hold smaller ones that
do not: they are looked for without the states in which the action passed over is enabled (the
emptiness check for Streett automata).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.language.fairness import Fairness, Promise, promises_kept
from lockstep.plain.space import Limits, Mask, Space, rows_of


class Promises:
    """Which promises each step of a graph keeps, and which can be kept in each state.

    Promises have numbers. One that is never enabled has none: it is kept by every behaviour.
    """

    def __init__(self, space: Space, fairness: Iterable[Fairness]) -> None:
        self._space = space
        numbers: dict[Promise, int] = {}
        self._kept = [
            frozenset(
                numbers.setdefault(promise, len(numbers))
                for promise in promises_kept(fairness, action, parameters)
            )
            for action, parameters in space.instances
        ]
        self.is_strong = [fair.strong for fair, _ in numbers]

    def by_step(self, edge: int) -> frozenset[int]:
        """The promises that a step keeps."""
        return self._kept[int(self._space.labels[edge])]

    def by_label(self, promise: int) -> Mask:
        """For each label whether its steps keep a promise."""
        return np.array([promise in kept for kept in self._kept], np.bool_)

    def at(self, state: int) -> set[int]:
        """The promises that can be kept in a state: those whose actions are enabled."""
        return set().union(*map(self.by_step, self._space.steps(state)))

    def anywhere(self) -> Mask:
        """For each state whether any promise can be kept there."""
        keeps = np.array([bool(kept) for kept in self._kept], np.bool_)[self._space.labels]
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(keeps)])
        enabled: Mask = np.diff(sums[self._space.first]) > 0
        return enabled


def fair_parts(
    space: Space, promises: Promises, owing: Mask, past: Mask, limits: Limits
) -> NDArray[np.int32]:
    """The largest strongly connected parts of a region in which every promise can be kept.

    The region has the states `owing`, and what they lead to without leaving those `past` the goal.
    For each state the number of the part that it is in, or -1. `Unfinished` where a limit is met.
    """
    region = _led_to(space, owing, past)
    parts = np.full(len(space.states), -1, np.int32)
    count = 0
    while region.any():
        limits.watch(space.bytes + _BYTES_A_STEP * len(space.targets))
        within = _Region.of(space, region)
        weakly, strongly, narrowed = _passed_over(within, promises, limits)
        fair = ~weakly & ~strongly
        parts[within.states[fair[within.part]]] = within.part[fair[within.part]] + count
        count += len(fair)
        region = np.zeros(len(space.states), np.bool_)
        again = (strongly & ~weakly)[within.part] & ~narrowed
        region[within.states[again]] = True
    return parts


FairParts: TypeAlias = "Callable[[Space, Promises, Mask, Mask, Limits], NDArray[np.int32]]"
"""`fair_parts`, or what does the same."""

_BYTES_A_STEP = 40
"""What is taken for each step of a region at the same time, about."""


def _led_to(space: Space, owing: Mask, past: Mask) -> Mask:
    """The states past the goal that some of them lead to, these included."""
    pending = past & ~owing
    wave = np.flatnonzero(past & owing)
    while len(wave):
        reached = space.targets[rows_of(space.first, wave)]
        wave = np.unique(reached[pending[reached]]).astype(np.intp)
        pending[wave] = False
    return past & ~pending


@dataclass(frozen=True)
class _Region:
    """Some states, all their steps, and the strongly connected parts of the graph they form.

    `states` are their numbers and `part` the numbers of their parts, of which there are `parts`.
    `source` is the position of each step's state among the states, `stays` says whether it leads
    to one of the same part, and `labels` by what.
    """

    states: NDArray[np.intp]
    part: NDArray[np.int32]
    parts: int
    source: NDArray[np.int32]
    stays: Mask
    labels: NDArray[np.int32]

    @classmethod
    def of(cls, space: Space, region: Mask) -> _Region:
        # 25 MiB and a fifth of a second that a search without liveness is spared.
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        states = np.flatnonzero(region)
        count = len(states)
        position = np.full(len(region), -1, np.int32)
        position[states] = np.arange(count, dtype=np.int32)
        of_steps = space.of_steps(region)
        target = position[space.targets[of_steps]]
        source = np.repeat(np.arange(count, dtype=np.int32), np.diff(space.first)[states])
        inside = target >= 0
        first = np.zeros(count + 1, np.int32)
        np.cumsum(np.bincount(source[inside], minlength=count), out=first[1:])
        entries = np.ones(int(first[-1])), target[inside], first
        form = csr_array(entries, shape=(count, count))
        # Where an entry is there twice, scipy does not come to an end.
        form.sum_duplicates()
        parts, part = connected_components(form, connection="strong")
        stays = inside
        stays[inside] = part[source[inside]] == part[target[inside]]
        return cls(states, part, parts, source, stays, space.labels[of_steps])


def _passed_over(region: _Region, promises: Promises, limits: Limits) -> tuple[Mask, Mask, Mask]:
    """In which parts a promise cannot be kept: a weak one, a strong one.

    A weak one is broken where it is enabled in every state of the part, a strong one where it is in
    any. With the states of the region in which such a strong one is enabled.
    """
    sizes = np.bincount(region.part, minlength=region.parts)
    weakly, strongly = np.zeros(region.parts, np.bool_), np.zeros(region.parts, np.bool_)
    narrowed = np.zeros(len(region.states), np.bool_)
    for promise, is_strong in enumerate(promises.is_strong):
        limits.watch()
        keeping = promises.by_label(promise)[region.labels]
        enabled = np.zeros(len(region.states), np.bool_)
        enabled[region.source[keeping]] = True
        broken = np.ones(region.parts, np.bool_)
        broken[region.part[region.source[keeping & region.stays]]] = False
        if not is_strong:
            times = np.bincount(region.part[enabled], minlength=region.parts)
            weakly |= broken & (times == sizes)
            continue
        enabled &= broken[region.part]
        strongly[region.part[enabled]] = True
        narrowed |= enabled
    return weakly, strongly, narrowed
