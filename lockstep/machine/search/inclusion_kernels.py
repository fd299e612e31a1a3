"""The kernels that follow one graph through sets of states of another.

`lockstep.review.inclusion` says why, and `tests/review/plain_inclusion.py` does the same in plain
Python, pair by pair in the same order. A set of one state is the number of that state. Any other
has a number of its own, counted down from -1; its members stand in ascending order from `starts` of
its position on. What does not fit is said in `short`, and nothing of the pair is kept then but
sets, which are true in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.interface import ENOUGH, MEMBERS, PAIRS, SCRATCH, SETS, SUCCESSORS
from lockstep.machine.search.kernel_parts import counts_at, numbers_at, states_at

_inlined: Any = njit(inline="always", boundscheck=False)
_compiled: Any = njit(boundscheck=False)

_LOW = (1 << 32) - 1
_NOWHERE = -(1 << 31)
"""No state and no set."""


@_compiled
def _sort(values: Any, begin: Any, end: Any) -> Any:
    """Sort some of the values, most often very few: by insertion over shrinking gaps."""
    gap = 1
    while gap < (end - begin) // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for position in range(begin + gap, end):
            value = values[position]
            hole = position
            while hole - gap >= begin and values[hole - gap] > value:
                values[hole] = values[hole - gap]
                hole -= gap
            values[hole] = value
        gap //= 3


@_inlined
def _hides(search: Any, state: Any) -> Any:
    """Whether a step of a state leads to another state that shows the same."""
    word = states_at(search.hides)[state >> 6]
    return (word >> np.uint64(state & 63)) & np.uint64(1) != np.uint64(0)


@_compiled
def _close(search: Any, begin: Any, end: Any, view: Any) -> Any:
    """Add all that hidden steps lead to from the members from `begin` to `end`.

    They are in ascending order then. Returns where they end, or -1 where there is no room.
    """
    first, targets = counts_at(search.other_first), numbers_at(search.other_targets)
    shows, marks = numbers_at(search.other_views), numbers_at(search.marks)
    members, room = numbers_at(search.members), search.members_room
    search.mark += 1
    mark = search.mark
    for position in range(begin, end):
        marks[members[position]] = mark
    done, last = begin, end
    while done < last:
        state = np.int64(members[done])
        done += 1
        if not _hides(search, state):
            continue
        for step in range(first[state], first[state + 1]):
            target = targets[step]
            if marks[target] != mark and shows[target] == view:
                if last == room:
                    return -1
                marks[target] = mark
                members[last] = target
                last += 1
    if last > end:
        _sort(members, begin, last)
    return last


@_inlined
def _hash(members: Any, begin: Any, end: Any) -> Any:
    value = np.uint64(end - begin)
    for position in range(begin, end):
        value = (value ^ (value >> np.uint64(31)) ^ np.uint64(members[position])) * np.uint64(
            0xD6E8FEB86659FD93
        )
    return (value ^ (value >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)


@_inlined
def _place(value: Any, size: Any) -> Any:
    return np.int64(((value >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))


@_compiled
def _set_of(search: Any, begin: Any, end: Any) -> Any:
    """The number of the set of the members from `begin` on, which are the last that there are.

    `_NOWHERE` where there is no room for one more.
    """
    members, starts = numbers_at(search.members), counts_at(search.starts)
    table, size = numbers_at(search.table), search.size
    place = _place(_hash(members, begin, end), size)
    while table[place] != 0:
        other = np.int64(table[place]) - 1
        start = starts[other]
        if starts[other + 1] - start == end - begin:
            position = 0
            while position < end - begin and members[start + position] == members[begin + position]:
                position += 1
            if position == end - begin:
                return -1 - other
        place += 1
        if place == size:
            place = 0
    if search.sets == search.sets_room:
        search.short = SETS
        return _NOWHERE
    number = search.sets
    counts_at(search.successors_from)[number] = -1
    starts[number + 1] = end
    search.sets = number + 1
    table[place] = number + 1
    return -1 - number


@_compiled
def _closed_set(search: Any, begin: Any, end: Any, view: Any) -> Any:
    """The set of some members with all that hidden steps lead to; `_NOWHERE` without room."""
    last = _close(search, begin, end, view)
    if last < 0:
        search.short = MEMBERS
        return _NOWHERE
    if last == begin + 1:
        return np.int64(numbers_at(search.members)[begin])
    return _set_of(search, begin, last)


@_compiled
def _expand(search: Any, number: Any) -> Any:
    """Write the sets that are one visible step away from a set, by view; False without room."""
    first, targets = counts_at(search.other_first), numbers_at(search.other_targets)
    shows, members = numbers_at(search.other_views), numbers_at(search.members)
    starts, scratch = counts_at(search.starts), counts_at(search.scratch)
    next_views, next_sets = numbers_at(search.next_views), numbers_at(search.next_sets)
    begin, end = starts[number], starts[number + 1]
    own = shows[members[begin]]
    count = 0
    for position in range(begin, end):
        state = np.int64(members[position])
        if count + first[state + 1] - first[state] > search.scratch_room:
            search.short = SCRATCH
            return False
        for step in range(first[state], first[state + 1]):
            view = shows[targets[step]]
            if view != own:
                scratch[count] = (np.int64(view) << 32) | np.int64(targets[step])
                count += 1
    _sort(scratch, 0, count)
    written, key = search.successors, 0
    while key < count:
        view = scratch[key] >> 32
        if written == search.successors_room:
            search.short = SUCCESSORS
            return False
        begin = end = starts[search.sets]
        while key < count and scratch[key] >> 32 == view:
            if end == search.members_room:
                search.short = MEMBERS
                return False
            state = scratch[key] & _LOW
            if end == begin or members[end - 1] != state:
                members[end] = state
                end += 1
            key += 1
        following = _closed_set(search, begin, end, view)
        if following == _NOWHERE:
            return False
        next_views[written] = view
        next_sets[written] = following
        written += 1
    counts_at(search.successors_from)[number] = search.successors
    counts_at(search.successors_to)[number] = written
    search.successors = written
    return True


@_compiled
def _after_set(search: Any, number: Any, view: Any) -> Any:
    """The set that shows a view one visible step away from a set.

    `_NOWHERE` where there is none, or no room.
    """
    if counts_at(search.successors_from)[number] < 0 and not _expand(search, number):
        return _NOWHERE
    views, sets = numbers_at(search.next_views), numbers_at(search.next_sets)
    low = counts_at(search.successors_from)[number]
    high = counts_at(search.successors_to)[number]
    while low < high:
        middle = (low + high) // 2
        if views[middle] < view:
            low = middle + 1
        else:
            high = middle
    if low < counts_at(search.successors_to)[number] and views[low] == view:
        return np.int64(sets[low])
    return _NOWHERE


@_compiled
def _after_state(search: Any, state: Any, view: Any) -> Any:
    """The same from a state alone, which most often has one such step."""
    targets, shows = numbers_at(search.other_targets), numbers_at(search.other_views)
    first = counts_at(search.other_first)
    following: Any = _NOWHERE
    for step in range(first[state], first[state + 1]):
        target = np.int64(targets[step])
        if shows[target] != view or target == following:
            continue
        if following != _NOWHERE or _hides(search, target):
            begin = counts_at(search.starts)[search.sets]
            if begin == search.members_room:
                search.short = MEMBERS
                return _NOWHERE
            numbers_at(search.members)[begin] = state
            number = _set_of(search, begin, begin + 1)
            return _NOWHERE if number == _NOWHERE else _after_set(search, -1 - number, view)
        following = target
    return following


@_compiled
def _is_part(search: Any, one: Any, other: Any) -> Any:
    """Whether all members of one set are in another; a set may be a state."""
    members, starts = numbers_at(search.members), counts_at(search.starts)
    if other >= 0:
        return one == other
    there, last = starts[-1 - other], starts[-other]
    if one >= 0:
        low, high = there, last
        while low < high:
            middle = (low + high) // 2
            if members[middle] < one:
                low = middle + 1
            else:
                high = middle
        return low < last and members[low] == one
    here, end = starts[-1 - one], starts[-one]
    if end - here > last - there:
        return False
    while here < end and there < last:
        if members[there] == members[here]:
            here += 1
        elif members[there] > members[here]:
            return False
        there += 1
    return here == end


@_compiled
def _add(search: Any, state: Any, following: Any, before: Any, edge: Any) -> Any:
    """Take in a pair, unless one that parts wherever it does is there already."""
    newest, sets = numbers_at(search.newest), numbers_at(search.set_of)
    older = numbers_at(search.older)
    pair = np.int64(newest[state])
    while pair != 0:
        other = np.int64(sets[pair - 1])
        if other == following or _is_part(search, other, following):
            return
        pair = np.int64(older[pair - 1])
    number = search.pairs
    numbers_at(search.state_of)[number] = state
    sets[number] = following
    older[number] = newest[state]
    numbers_at(search.before)[number] = before
    numbers_at(search.edge)[number] = edge
    search.pairs = number + 1
    newest[state] = search.pairs


def inclusion_kernels() -> dict[str, Callable[..., Any]]:
    """The kernels by their names."""

    def mark_hiding(search: Any) -> Any:
        """Mark the states with a step to another state that shows the same."""
        first, targets = counts_at(search.other_first), numbers_at(search.other_targets)
        shows, hides = numbers_at(search.other_views), states_at(search.hides)
        for state in range(search.others):
            for step in range(first[state], first[state + 1]):
                if shows[targets[step]] == shows[state] and targets[step] != state:
                    hides[state >> 6] |= np.uint64(1) << np.uint64(state & 63)
                    break
        return 0

    def follow(search: Any, end: Any) -> Any:
        """Follow pairs up to `end`; returns the step that is not followed, or -1."""
        first, targets = counts_at(search.first), numbers_at(search.targets)
        views, states = numbers_at(search.views), numbers_at(search.state_of)
        sets = numbers_at(search.set_of)
        search.short = ENOUGH
        if search.pairs == 0:
            members = numbers_at(search.members)
            members[0] = 0
            initial = _closed_set(search, 0, 1, numbers_at(search.other_views)[0])
            if initial == _NOWHERE:
                return -1
            _add(search, 0, initial, -1, -1)
        while search.done < min(end, search.pairs):
            pair = search.done
            state, own = np.int64(states[pair]), np.int64(sets[pair])
            if search.pairs + first[state + 1] - first[state] > search.pairs_room:
                search.short = PAIRS
                return -1
            for step in range(first[state], first[state + 1]):
                target = np.int64(targets[step])
                view = views[target]
                following = own
                if view != views[state]:
                    if own >= 0:
                        following = _after_state(search, own, view)
                    else:
                        following = _after_set(search, -1 - own, view)
                    if following == _NOWHERE:
                        return -1 if search.short != ENOUGH else step
                _add(search, target, following, pair, step)
            search.done = pair + 1
        return -1

    def fill_sets(search: Any) -> Any:
        """Put the numbers of all sets into an empty table."""
        members, starts = numbers_at(search.members), counts_at(search.starts)
        table, size = numbers_at(search.table), search.size
        for number in range(search.sets):
            place = _place(_hash(members, starts[number], starts[number + 1]), size)
            while table[place] != 0:
                place += 1
                if place == size:
                    place = 0
            table[place] = number + 1
        return 0

    return {"mark_hiding": mark_hiding, "follow": follow, "fill_sets": fill_sets}
