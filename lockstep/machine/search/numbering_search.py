"""A search that numbers its states and keeps the steps between them, as long as there is room.

The numbers are those of plain Python, however many threads there are. Where a limit is met the
search goes on without numbers and steps.
"""

from __future__ import annotations

import numpy as np

from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.memory import Array
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.space_search import Numbering
from lockstep.machine.search.workers import Worker
from lockstep.plain.exploration import Exploration
from lockstep.plain.space import Unfinished


class NumberingSearch(ParallelSearch):
    """A search in memory with a `numbering`, which is None once a limit of it was met."""

    def __init__(
        self,
        program: Program,
        code: MachineCode,
        request: Exploration,
        numbering: Numbering,
    ) -> None:
        super().__init__(program, code, request)
        self.numbering: Numbering | None = numbering

    @property
    def bytes(self) -> int:
        """The memory taken by what grows."""
        return super().bytes if self.numbering is None else self.numbering.bytes

    @property
    def _known(self) -> int:
        return super()._known if self.numbering is None else len(self.numbering)

    def _begin(self) -> None:
        if self.numbering is None:
            super()._begin()
        else:
            self._loops.check(self._crew.workers[0].packed, self.numbering.states, 1)

    def _level(self, depth: int) -> None:
        if self.numbering is not None:
            try:
                self._number_level(self.numbering, depth)
            except Unfinished:
                self._stop_numbering(self.numbering, depth)
            else:
                return
        super()._level(depth)

    def _number_level(self, numbering: Numbering, depth: int) -> None:
        """Number the states that are one step further than those of a level."""
        of_levels, count = sum(self._levels.counts), self._levels.count(depth)
        done = of_levels - count
        threads = self._threads_for(count)
        workers, run = self._crew.workers[:threads], self._pool.map if threads > 1 else map
        try:
            while done < of_levels:
                self._suit_code()
                known = len(numbering)
                done = numbering.expand(workers, done, of_levels, run)
                new = numbering.states[known * self._words :].reshape(-1, self._words)
                list(run(self._check, workers, np.array_split(new, threads)))
                self._waiting = of_levels - done
                self._watch()
        finally:
            self._result.depth = depth + (len(numbering) > of_levels)

    def _check(self, worker: Worker, states: Array) -> None:
        self._loops.check(worker.packed, states, len(states))

    def _stop_numbering(self, numbering: Numbering, depth: int) -> None:
        """Be as before a level, with the states alone; what was noted will be noted again."""
        states = numbering.states[: sum(self._levels.counts) * self._words].copy()
        self.numbering = None
        self._levels.rebase(states)
        self._crew.restore(self._covered)
        self._result.depth = depth
        self._crew.grow(self._threads)
        self._take_known(states)
        self._take_in(self._threads, checked=False)
        self._taken_new()

    def _keep(self) -> None:
        numbering = self.numbering
        if numbering is None:
            super()._keep()
        else:
            count = len(numbering) - sum(self._levels.counts)
            self._levels.number(count, lambda: numbering.states)

    def _newest(self) -> list[Array]:
        if self.numbering is None:
            return super()._newest()
        return [self.numbering.states[sum(self._levels.counts) * self._words :]]

    def _found(self, state: Array) -> bool:
        return super()._found(state) if self.numbering is None else self.numbering.knows(state)
