"""The ways between states that software was seen to take, and the nearest work along them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush

from lockstep.plain.space import Instance


class Ways:
    """By state, the states to which software was led from there, and by which stimulus.

    Searches are adaptive A* (Koenig and Likhachev, 2005): what one learns of how far it is to a
    state in which something is left bounds the next ones, for what is left only becomes less.
    """

    def __init__(self, states: int) -> None:
        self._known: list[dict[int, Instance]] = [{} for _ in range(states)]
        self._far = [0.0] * states
        """By state, at least how many steps it is to one in which something is left."""

    def add(self, source: int, target: int, stimulus: Instance) -> None:
        """Note that a stimulus led from one state to another."""
        self._known[source][target] = stimulus
        if self._far[source] > 1 + self._far[target]:
            self._far = [0.0] * len(self._far)  # a shorter way: what was learned bounds nothing

    def forget(self, source: int, target: int) -> None:
        """Note that a stimulus did not lead there again."""
        self._known[source].pop(target, None)

    def stimulus(self, source: int, target: int) -> Instance | None:
        """What led from one state to another; None where nothing did."""
        return self._known[source].get(target)

    def nearest(self, first: int, has_more: Callable[[int], bool]) -> deque[tuple[int, int]]:
        """A shortest way to a state in which something is left, as pairs of a state and the next.

        It is empty where there is none, and where `first` is one. A state in which nothing is left
        has to stay so.
        """
        far, lengths, came_from = self._far, {first: 0}, {first: first}
        closed: set[int] = set()
        waiting = [(far[first], 0, first)]
        found: int | None = None
        while waiting and found is None:
            _, _, state = heappop(waiting)
            if has_more(state):
                found = state
            elif state not in closed:
                closed.add(state)
                length = lengths[state] + 1
                for target in self._known[state]:
                    if length < lengths.get(target, math.inf) and far[target] < math.inf:
                        lengths[target], came_from[target] = length, state
                        heappush(waiting, (length + far[target], -length, target))
        whole = math.inf if found is None else lengths[found]
        for state in closed:
            far[state] = max(far[state], whole - lengths[state])
        way: deque[tuple[int, int]] = deque()
        while found is not None and found != first:
            way.appendleft((came_from[found], found))
            found = came_from[found]
        return way
