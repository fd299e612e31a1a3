"""The levels that a behaviour is rebuilt from: in this process, as far as it explored them."""

from __future__ import annotations

from lockstep.machine.code.program import Program
from lockstep.machine.search.memory import Array
from lockstep.machine.search.rebuild import LevelAncestry
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.near_levels import NearLevels
from lockstep.spark.search.questions import Inquirer


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
