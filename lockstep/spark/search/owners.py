"""Which owner a state belongs to, by its hash.

The search's own kernels put a state into one of 64 shards by the highest bits of its hash. Up to 64
owners share those out; more of them split each shard by the next bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heapreplace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lockstep.machine.search.interface import SHARD_BITS, SHARDS
from lockstep.machine.search.memory import Array
from lockstep.spark.search.runs import Run

MOST_OWNERS = 1 << 16
"""The most owners that there may be."""

_FIRST = (np.uint64(0xD6E8FEB86659FD93), np.uint64(0x9E3779B97F4A7C15))


def owners_for(parallelism: int) -> int:
    """How many owners suit so many tasks at a time: a power of two, and four for each task."""
    return min(MOST_OWNERS, 1 << max(0, (4 * parallelism - 1).bit_length()))


def hashes(states: Array, words: int) -> Array:
    """The hash of each state, as the kernels have it."""
    rows = states.reshape(-1, words)
    multiplier, second = _FIRST
    value = rows[:, 0]
    value = (value ^ (value >> np.uint64(32))) * multiplier
    value = (value ^ (value >> np.uint64(29))) * second
    for word in range(1, words):
        value = (value ^ (value >> np.uint64(31)) ^ rows[:, word]) * multiplier
        value = (value ^ (value >> np.uint64(29))) * second
    return value


def owner_of_shard(shard: int, owners: int) -> int:
    """The owner of a shard, or the first of those that split it."""
    return shard * owners // SHARDS


def by_owner(states: Array, words: int, shard: int, owners: int) -> Iterator[tuple[int, Array]]:
    """The states of one shard with their owners, each owner at most once."""
    first = owner_of_shard(shard, owners)
    if owners <= SHARDS:
        yield first, states
        return
    split = owners // SHARDS
    parts = (hashes(states, words) << np.uint64(SHARD_BITS)) >> np.uint64(64 - _bits(split))
    rows = states.reshape(-1, words)
    order = np.argsort(parts, kind="stable")
    ends = np.searchsorted(parts[order], np.arange(split + 1, dtype=np.uint64))
    for part, (begin, end) in enumerate(pairwise(ends.tolist())):
        if begin < end:
            yield first + part, rows[order[begin:end]].reshape(-1)


def places_by_owner(states: Array, words: int, owners: int) -> dict[int, NDArray[np.intp]]:
    """The places of some states by owner, in the order in which they come."""
    count = len(states) // words
    if owners == 1:
        return {0: np.arange(count)} if count else {}
    numbers = hashes(states, words) >> np.uint64(64 - _bits(owners))
    return {int(owner): np.flatnonzero(numbers == owner) for owner in np.unique(numbers)}


def _bits(owners: int) -> int:
    return owners.bit_length() - 1


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
