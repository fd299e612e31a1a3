"""The state graph of data/Counters.tla, found without TLC."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product

LIMIT = 2

State = tuple[tuple[int, ...], int]
"""(the count of each process, the clock)"""


@dataclass(frozen=True)
class CountersGraph:
    initial: frozenset[State]
    states: frozenset[State]
    edges: Counter[tuple[State, str, State]]
    """How often each transition is generated."""
    steps: int
    """The longest of the shortest paths."""


def _transitions(state: State) -> list[tuple[str, State]]:
    count, clock = state
    found: list[tuple[str, State]] = []
    for process, value in enumerate(count):
        before, after = count[:process], count[process + 1 :]
        if value < LIMIT:
            found.append(("Increment", ((*before, value + 1, *after), clock)))
        else:
            found.append(("Reset", ((*before, 0, *after), clock)))
    for behind, ahead in product(count, count):
        if behind < ahead:
            found.append(("CatchUp", ((ahead,) * len(count), clock)))
    if clock == 0:
        found.append(("Observe", state))
    return found


def explore(processes: int) -> CountersGraph:
    initial = frozenset(((0,) * processes, clock) for clock in (0, -1))
    seen, level, steps = set(initial), set(initial), 0
    edges: Counter[tuple[State, str, State]] = Counter()
    while level:
        found: set[State] = set()
        for state in level:
            for action, successor in _transitions(state):
                edges[state, action, successor] += 1
                found.add(successor)
        level = found - seen
        seen |= level
        steps += bool(level)
    return CountersGraph(initial, frozenset(seen), edges, steps)
