"""From what a search noted back to the shortest behaviour that leads there.

The states of a behaviour are found backwards through the levels: on the level before, the smallest
state with a step to the one at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.judge import Finding, Findings, Judge, first, ranked_functions
from lockstep.machine.search.levels import Levels
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.memory import Array
from lockstep.machine.search.workers import Worker, shape_of
from lockstep.results.search_result import SearchResult


class Ancestry(Protocol):
    """The levels of a search, as far as a behaviour is rebuilt from them."""

    def __len__(self) -> int:
        """How many levels are finished."""
        ...

    def predecessor(self, depth: int, target: Array) -> Array:
        """The smallest state of a level with a step to `target`."""
        ...


class LevelAncestry:
    """The ancestry of states whose levels this process has."""

    def __init__(self, program: Program, code: MachineCode, levels: Levels) -> None:
        self._words = program.layout.words
        self._levels = levels
        self._worker = Worker(shape_of(program), code, buffer=0)
        self._predecessor_in = loops_for(self._words).predecessor

    def __len__(self) -> int:
        return len(self._levels)

    def predecessor(self, depth: int, target: Array) -> Array:
        """The smallest state of a level with a step to `target`."""
        words = self._words
        candidates: list[Array] = []
        for part in self._levels.parts(depth):
            count = len(part) // words
            position = self._predecessor_in(self._worker.packed, part, count, target)
            if position >= 0:
                candidates.append(part[position * words : (position + 1) * words])
        return min(candidates, key=lambda state: state.tolist())


class Rebuilder:
    """Rebuilds the behaviour to what was noted while the last of the levels was expanded."""

    def __init__(self, program: Program, ancestry: Ancestry) -> None:
        self._program = program
        self._judge = Judge(program)
        self._ancestry = ancestry

    def report(self, result: SearchResult, findings: Sequence[Findings]) -> None:
        """Report the first of what several workers noted; an error only where nothing is broken."""
        broken_step = first([noted.broken_step for noted in findings])
        broken_state = first([noted.broken_state for noted in findings])
        if broken_step or broken_state:
            self._violation(result, broken_step, broken_state)
            return
        failed_step = first([noted.failed_step for noted in findings])
        self._error(result, failed_step, first([noted.failed_state for noted in findings]))

    def _violation(self, result: SearchResult, step: Finding | None, state: Finding | None) -> None:
        """Report the violation that comes first, of a step or of a state."""
        of_step = _first(step, state)
        if of_step is None:
            assert state is not None
            chain, rank = self._chain(state.states, 0), state.rank
        else:
            before, after = self._pair(of_step)
            chain, rank = self._chain(before, 1), of_step.rank
            if rank == 0:
                self._judge.deadlock(result, self._judge.behaviour(chain))
                return
            chain.append(after)
        self._judge.violation(result, self._judge.behaviour(chain), rank)

    def _error(self, result: SearchResult, step: Finding | None, state: Finding | None) -> None:
        """Report the error that comes first, met while expanding a state or checking one."""
        of_step = _first(step, state)
        finding = of_step or state
        assert finding is not None
        function = ranked_functions(self._program)[finding.rank]
        if of_step is None:
            chain = self._chain(finding.states, 0)
        else:
            before, after = self._pair(of_step)
            chain = self._chain(before, 1)
            if function >= len(self._program.model.actions):
                chain.append(after)
        self._judge.error(result, self._judge.behaviour(chain), function)

    def _pair(self, finding: Finding) -> tuple[Array, Array]:
        words = self._program.layout.words
        return finding.states[:words], finding.states[words:]

    def _chain(self, target: Array, back: int) -> list[Array]:
        """Packed states that lead to one of the last level, or of the level `back` before it."""
        chain = [np.array(target)]
        for depth in reversed(range(len(self._ancestry) - back)):
            chain.append(self._ancestry.predecessor(depth, chain[-1]))
        return chain[::-1]


def _first(step: Finding | None, state: Finding | None) -> Finding | None:
    """The finding of a step, unless that of a state comes before it."""
    if step is None or state is None:
        return step
    return step if step.rank < state.rank else None
