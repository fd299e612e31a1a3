"""The first levels, which one process explores: a job takes longer than they do.

The work is done by what Spark's tasks call, with everything in memory and one owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from lockstep.machine.search.levels import Levels
from lockstep.machine.search.memory import Array
from lockstep.spark.search.account import Account, together
from lockstep.spark.search.expansion import Expansion
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.merging import FANOUT, union
from lockstep.spark.search.settling import Settled, settle


class NearLevels:
    """Levels in memory, from the initial state on.

    `account` is that of the finished levels, `levels` has their states.
    """

    def __init__(self, machine: Machine, initial: Iterable[int]) -> None:
        self._machine = machine
        self._visited: list[Array] = []
        self.levels = Levels(machine.words)
        self.account = Account.none(machine.shape)
        self._initial = settle(machine, [np.array([*initial], np.uint64)], [])

    def begin(self) -> Settled:
        """The initial state."""
        return self._initial

    def next(self, watch: Callable[[], None]) -> Settled:
        """The level after the last one that was kept; `watch` is called now and then."""
        expansion = Expansion(self._machine, 1)
        parts: list[Array] = []
        for _, states in expansion.expand(self.levels.parts(len(self.levels) - 1)):
            parts.append(states)
            watch()
        settled = settle(self._machine, parts, [[run] for run in self._visited])
        account = together([settled.account, expansion.account], self._machine.shape)
        return Settled(settled.states, account)

    def keep(self, settled: Settled) -> None:
        """Take in one more finished level."""
        self.account = together([self.account, settled.account], self._machine.shape)
        self.levels.extend([settled.states])
        self.levels.finish()
        self._visited.append(settled.states)
        if len(self._visited) > FANOUT:
            runs = self._machine.runs
            self._visited = [union(self._visited, self._machine.words, runs)]

    def states(self, depth: int) -> Array:
        """The states of one level, in order."""
        return next(iter(self.levels.parts(depth)))
