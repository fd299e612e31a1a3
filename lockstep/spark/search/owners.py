"""What belongs to which owner, and which states are compared with plain Python: by the hash.

The search's own kernels put a state into one of 64 shards by the highest bits of its hash. Up to 64
owners share those out; more of them split each shard by the next bits. A state's mark is made of
the lower bits, so the states of the smallest marks are the same however states are shared out, and
they are spread over all levels as the states are.

An owner's runs are merged when there are as many of about one size as `FANOUT`. So an owner of n
states has fewer than FANOUT runs for each power of FANOUT up to n, and a state is written again at
most as often as there are such powers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from lockstep.machine.search.interface import Array
from lockstep.machine.search.sample import STATES
from lockstep.machine.search.visited import hashes
from lockstep.spark.search.runs import Run
from lockstep.system.sealed import Natural

FANOUT = 8
"""How many runs of about one size become one."""
MOST_OWNERS = 1 << 16
"""The most owners that there may be."""
_LEAST = 1 << 15
"""States that a task expands, where there are as many: it takes a while to begin."""

_MARK = np.uint64(0xFF51AFD7ED558CCD)


def owners_for(parallelism: int) -> int:
    """How many owners suit so many tasks at a time: a power of two, and four for each task."""
    return min(MOST_OWNERS, 1 << max(0, (4 * parallelism - 1).bit_length()))


def places_by_owner(
    states: Array, words: int, owners: int
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Each owner of some states with their places, in the order in which they come."""
    numbers = hashes(states, words) >> np.uint64(32)
    numbers >>= np.uint64(32 - (owners.bit_length() - 1))
    order = np.argsort(numbers, kind="stable")
    found, begins = np.unique(numbers[order], return_index=True)
    yield from zip(found.tolist(), np.split(order, begins)[1:], strict=True)


def shares_of(runs: Iterable[Run], owners: int) -> tuple[tuple[Run, ...], ...]:
    """The runs in shares of about one size; no more than owners and runs."""
    by_size = sorted(runs, key=lambda run: (-run.states, run.file))
    total = sum(run.states for run in by_size)
    number = max(1, min(len(by_size), total // _LEAST, max(owners, total // (_LEAST << 7))))
    return tuple(tuple(by_size[place::number]) for place in range(number))


def due(runs: Sequence[Run]) -> list[Run]:
    """The runs that are to become one now; none while there are few of each size."""
    sizes: dict[int, list[Run]] = {}
    for run in runs:
        sizes.setdefault(_power(run.states), []).append(run)
    return next((same for _, same in sorted(sizes.items()) if len(same) >= FANOUT), [])


def _power(states: int) -> int:
    """How often FANOUT goes into a number."""
    return max(0, states.bit_length() - 1) // (FANOUT.bit_length() - 1)


class Sampled(msgspec.Struct, frozen=True, order=True, array_like=True):
    """A state that was chosen: its mark, its level, and its words."""

    mark: Natural
    level: Natural
    state: tuple[Natural, ...]


def sample_of(states: Array, words: int, level: int, most: int) -> list[Sampled]:
    """The states of a level with the smallest marks, which are at `most` so large."""
    values = hashes(states, words)
    marks = ((values << np.uint64(32)) | (values >> np.uint64(32))) * _MARK
    chosen = np.flatnonzero(marks <= np.uint64(most))
    if len(chosen) > STATES:
        chosen = chosen[np.argpartition(marks[chosen], STATES)[:STATES]]
    rows = states.reshape(-1, words)
    return sorted(Sampled(int(marks[at]), level, tuple(rows[at].tolist())) for at in chosen)


def smallest(samples: Iterable[Sampled]) -> tuple[Sampled, ...]:
    """Of several samples the states that one of them all would have."""
    return tuple(sorted(samples)[:STATES])
