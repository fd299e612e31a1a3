"""The kernel that finds the parts of a graph in which promises are kept, as `fair_parts` does.

The strongly connected parts of a region are found in one depth-first search (Pearce, *A space-
efficient algorithm for finding strongly connected components*, IPL 2016), and each is judged when
its last state is left. `order` is -1 outside the region and of states that are done, 0 of those
that are not found yet, and of all others the least number found to lie on a cycle with them. The
promises that a label keeps are the bits of a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.kernel_parts import counts_at, linked, numbers_at, states_at

_compiled: Any = njit(boundscheck=False)


def module_text() -> str:
    """The kernel as the text of an LLVM module."""
    return linked(_kernels())


@_compiled
def _enabled(search: Any, state: Any) -> Any:
    """The promises that can be kept in a state."""
    first, labels = counts_at(search.first), numbers_at(search.labels)
    keeps, enabled = states_at(search.keeps), np.uint64(0)
    for step in range(first[state], first[state + 1]):
        enabled |= keeps[labels[step]]
    return enabled


@_compiled
def _judge_part(search: Any, begin: Any, end: Any) -> Any:
    """Number a part if all promises can be kept there; note what of it is to be looked at again.

    Its states stand on the stack from `begin` to `end`.
    """
    stack, order, parts = (
        numbers_at(search.stack),
        numbers_at(search.order),
        numbers_at(search.parts),
    )
    first, targets = counts_at(search.first), numbers_at(search.targets)
    keeps, labels, again = (
        states_at(search.keeps),
        numbers_at(search.labels),
        numbers_at(search.again),
    )
    number = search.found
    for position in range(begin, end):
        parts[stack[position]] = number
        order[stack[position]] = -1
    anywhere, kept = np.uint64(0), np.uint64(0)
    everywhere = ~np.uint64(0)
    for position in range(begin, end):
        state = np.int64(stack[position])
        enabled = np.uint64(0)
        for step in range(first[state], first[state + 1]):
            keeping = keeps[labels[step]]
            enabled |= keeping
            if parts[targets[step]] == number:
                kept |= keeping
        anywhere |= enabled
        everywhere &= enabled
    is_strong = states_at(search.strong)[0]
    weak = everywhere & ~kept & ~is_strong
    strong = anywhere & ~kept & is_strong
    if weak | strong == np.uint64(0):
        search.found = number + 1
        return
    for position in range(begin, end):
        state = np.int64(stack[position])
        parts[state] = -1
        if weak == np.uint64(0) and _enabled(search, state) & strong == np.uint64(0):
            again[state] = 0


def _kernels() -> dict[str, Callable[..., Any]]:
    def find_parts(search: Any, begin: Any, end: Any) -> Any:
        """Find the parts that can be reached from the states from `begin` to `end`."""
        first, targets = counts_at(search.first), numbers_at(search.targets)
        order, stack = numbers_at(search.order), numbers_at(search.stack)
        cursor, own = counts_at(search.cursor), numbers_at(search.own)
        for start in range(begin, end):
            if order[start] != 0:
                continue
            # The way to the current state grows from the left of the stack, and what is left, but
            # may be of the same part as a state of the way, from the right.
            depth, left = 0, search.size
            entered = np.int64(start)
            while True:
                if entered >= 0:
                    search.visited += 1
                    order[entered] = own[depth] = search.visited
                    stack[depth], cursor[depth] = entered, first[entered]
                    depth += 1
                at, step = np.int64(stack[depth - 1]), cursor[depth - 1]
                least, last = order[at], first[at + 1]
                entered = np.int64(-1)
                while step < last:
                    seen = order[targets[step]]
                    if seen == 0:
                        entered = np.int64(targets[step])
                        break
                    if 0 < seen < least:
                        least = seen
                    step += 1
                order[at], cursor[depth - 1] = least, step
                if entered >= 0:
                    continue
                depth -= 1
                left -= 1
                stack[left] = at
                if least == own[depth]:
                    finished = left
                    while finished < search.size and order[stack[finished]] >= least:
                        finished += 1
                    _judge_part(search, left, finished)
                    left = finished
                if depth == 0:
                    break
        return 0

    return {"find_parts": find_parts}
