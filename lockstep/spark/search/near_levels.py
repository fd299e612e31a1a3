"""The first levels, which one process explores: a job takes longer than they do.

The work is done by what Spark's tasks call, with everything in memory and one owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from lockstep.machine.code.program import Program
from lockstep.machine.search.levels import Levels
from lockstep.machine.search.memory import Array
from lockstep.machine.search.rebuild import LevelAncestry
from lockstep.spark.search.account import Account, together
from lockstep.spark.search.expansion import Expansion, Settled, settle
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.merging import FANOUT, union
from lockstep.spark.search.questions import Inquirer


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
        account = together([settled.account, expansion.account])
        return Settled(settled.states, account)

    def keep(self, settled: Settled) -> None:
        """Take in one more finished level."""
        self.account = together([self.account, settled.account])
        self.levels.extend([settled.states])
        self.levels.finish()
        self._visited.append(settled.states)
        if len(self._visited) > FANOUT:
            runs = self._machine.runs
            self._visited = [union(self._visited, self._machine.words, runs)]

    def states(self, depth: int) -> Array:
        """The states of one level, in order."""
        return next(iter(self.levels.parts(depth)))


class KeptAncestry:
    """The finished levels of a search: those in memory, and those that were committed."""

    def __init__(
        self, program: Program, machine: Machine, near: NearLevels | None, inquirer: Inquirer
    ) -> None:
        self._near = None if near is None else LevelAncestry(program, machine.code, near.levels)
        self._inquirer = inquirer

    def __len__(self) -> int:
        return max(0 if self._near is None else len(self._near), self._inquirer.depth + 1)

    def predecessor(self, depth: int, target: Array) -> Array:
        """The smallest state of a level with a step to `target`."""
        if self._near is not None and depth < len(self._near):
            return self._near.predecessor(depth, target)
        return self._inquirer.predecessor(depth, target)
