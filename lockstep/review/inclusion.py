"""Whether everything that one graph shows, another shows too: inclusion of behaviours.

A behaviour shows the views of its states, each view once where it stays the same over several
steps. So a step that changes hidden variables alone is no difference. Only finite behaviours are
compared: what has to come to pass is a matter of `leads_to`.

The graph that may be larger need not be deterministic: after the same views it may be in several
states. Those are followed together, as a subset (the subset construction), on the fly. A pair of a
state and a subset is left out where the same state was seen with a part of that subset: whatever
parts from the subset, parts from its part. Such pairs are an antichain (De Wulf, Doyen, Henzinger
and Raskin, *Antichains: a new algorithm for checking universality of finite automata*, CAV 2006).

Machine code follows the pairs, whichever engine made the graphs. Sets of one state, which are most,
are that state's number and take no memory. All others are kept once each, with what is one visible
step away from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.machine.search import interface
from lockstep.machine.search.interface import Packed
from lockstep.machine.search.loops import loops_for
from lockstep.plain.space import Limits
from lockstep.review.observed import ObservedSpace

_Numbers: TypeAlias = "NDArray[np.int32] | NDArray[np.int64]"

_PAIRS = 1 << 18
"""Pairs between two looks at the limits."""
_ROOM = 1 << 16
"""What there is room for at first, of everything that grows."""

_GROWS = {
    interface.PAIRS: ("pairs_room", ("state_of", "set_of", "older", "before", "edge")),
    interface.MEMBERS: ("members_room", ("members",)),
    interface.SUCCESSORS: ("successors_room", ("next_views", "next_sets")),
    interface.SCRATCH: ("scratch_room", ("scratch",)),
    interface.SETS: ("sets_room", ("starts", "successors_from", "successors_to")),
}
"""For each shortage the field with the room that there is, and the arrays that have it."""
_LONG = ("starts", "successors_from", "successors_to", "scratch")
"""The arrays of words; all others are of half words."""


@dataclass(frozen=True)
class Parting:
    """A shortest behaviour of one graph that the other does not show.

    `edges` are the numbers of its steps. Up to the last of them the other graph follows, and is
    then in one of the states `others`; none of these has a step to the same view. Without edges
    the initial states show something else.
    """

    edges: tuple[int, ...]
    others: tuple[int, ...]


def find_parting(one: ObservedSpace, other: ObservedSpace, limits: Limits) -> Parting | None:
    """Where `one` parts from `other`; None where `other` shows all that `one` does.

    `Unfinished` where a limit is met.
    """
    if one.views[0] != other.views[0]:
        return Parting((), (0,))
    return _Following(one, other, limits).run()


class _Following:
    """What the kernels work on, with room for more where they have none."""

    def __init__(self, one: ObservedSpace, other: ObservedSpace, limits: Limits) -> None:
        self._limits = limits
        self._loops = loops_for("inclusion")
        self._graphs = one.space.bytes + other.space.bytes
        others = len(other.views)
        # Most often there is one pair for each state.
        room = {name: _ROOM for name, _ in _GROWS.values()}
        room["pairs_room"] = max(_ROOM, len(one.views))
        self._arrays: dict[str, _Numbers] = {
            name: _zeros(name, room[size]) for size, names in _GROWS.values() for name in names
        }
        self._arrays |= {
            "newest": np.zeros(len(one.views), np.int32),
            "marks": np.zeros(others, np.int32),
            "table": np.zeros(2 * _ROOM, np.int32),
        }
        self._search = Packed(
            "inclusion",
            first=one.space.first,
            targets=one.space.targets,
            views=one.views,
            other_first=other.space.first,
            other_targets=other.space.targets,
            other_views=other.views,
            others=others,
            hides=np.zeros(others // 64 + 1, np.uint64),
            size=2 * _ROOM,
            **dict.fromkeys(("pairs", "done", "sets", "successors", "mark", "short"), 0),
            **room,
            **self._arrays,
        )

    def run(self) -> Parting | None:
        """The first pair with a step that its set does not follow."""
        search = self._search
        self._limits.watch(self._bytes)
        self._loops.mark_hiding(search)
        while True:
            edge = self._loops.follow(search, search.number("done") + _PAIRS)
            if edge >= 0:
                return self._parting(edge)
            self._limits.watch(self._bytes)
            short = search.number("short")
            if short != interface.ENOUGH:
                self._grow(short)
            elif search.number("done") == search.number("pairs"):
                return None

    @property
    def _bytes(self) -> int:
        return self._graphs + sum(array.nbytes for array in self._arrays.values())

    def _grow(self, short: int) -> None:
        """Twice the room for what was short of it."""
        size, names = _GROWS[short]
        room = 2 * self._search.number(size)
        growing = sum(self._arrays[name].nbytes for name in names)
        self._limits.watch(self._bytes + 2 * growing)
        for name in names:
            old = self._arrays[name]
            array = _zeros(name, room)
            array[: len(old)] = old
            self._put(name, array)
        self._search.set(**{size: room})
        if short == interface.SETS:
            self._put("table", np.zeros(2 * room, np.int32))
            self._search.set(size=2 * room)
            self._loops.fill_sets(self._search)

    def _put(self, name: str, array: _Numbers) -> None:
        self._arrays[name] = array
        self._search.set(**{name: array})

    def _parting(self, edge: int) -> Parting:
        """The way to the pair that is looked at, the step, and the states of the other graph."""
        arrays, edges = self._arrays, [edge]
        pair = self._search.number("done")
        number = int(arrays["set_of"][pair])
        while (before := int(arrays["before"][pair])) >= 0:
            edges.append(int(arrays["edge"][pair]))
            pair = before
        others = (number,)
        if number < 0:
            begin, end = arrays["starts"][-1 - number : 1 - number].tolist()
            others = tuple(arrays["members"][begin:end].tolist())
        return Parting(tuple(reversed(edges)), others)


def _zeros(name: str, room: int) -> _Numbers:
    """An array with so much room; what has a beginning has an end, of the last one as well."""
    size = room + 1 if name == "starts" else room
    return np.zeros(size, np.int64) if name in _LONG else np.zeros(size, np.int32)
