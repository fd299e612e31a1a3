"""The parts of a graph in which promises are kept, by machine code: what `fair_parts` finds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lockstep.machine.search.loops import part_loops
from lockstep.machine.search.packed import Packed
from lockstep.plain.fair_parts import Promises, fair_parts
from lockstep.plain.graph import Limits, Mask, StateGraph

_STRETCH = 1 << 18
"""States that a search starts from between two looks at the limits."""
_BYTES_A_STATE = 32
"""What is taken for each state."""


def compiled_parts(
    graph: StateGraph, promises: Promises, region: Mask, limits: Limits
) -> NDArray[np.int32]:
    """The largest strongly connected parts of a region in which every promise can be kept.

    For each state the number of the part that it is in, or -1. `Unfinished` where a limit is met.
    """
    if len(promises.is_strong) > 64:  # bits of a word
        return fair_parts(graph, promises, region, limits)
    size = len(graph.states)
    limits.watch(graph.bytes + _BYTES_A_STATE * size)
    keeps = np.zeros(len(graph.instances), np.uint64)
    for promise in range(len(promises.is_strong)):
        keeps |= promises.by_label(promise).astype(np.uint64) << np.uint64(promise)
    strong = [is_strong << promise for promise, is_strong in enumerate(promises.is_strong)]
    parts, order = np.full(size, -1, np.int32), region.astype(np.int32) - 1
    search = Packed(
        "parts",
        first=graph.first,
        targets=graph.targets,
        labels=graph.labels,
        keeps=keeps,
        strong=np.array([sum(strong)], np.uint64),
        order=order,
        again=order,
        parts=parts,
        stack=np.zeros(size, np.int32),
        own=np.zeros(size, np.int32),
        cursor=np.zeros(size, np.int64),
        size=size,
        visited=0,
        found=0,
    )
    while (order == 0).any():
        again = np.full(size, -1, np.int32)
        search.set(order=order, again=again, visited=0)
        for begin in range(0, size, _STRETCH):
            limits.watch()
            part_loops().find_parts(search, begin, min(size, begin + _STRETCH))
        order = again
    return parts
