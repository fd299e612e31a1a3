"""From what a search found back to the shortest behaviour that leads there.

The states of a behaviour are found backwards through the levels: on the level before, the smallest
state with a step to the one at hand.
"""

from __future__ import annotations

import numpy as np

from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.findings import Finding
from lockstep.machine.search.interface import AHEAD
from lockstep.machine.search.judge import Judge, ranked_functions
from lockstep.machine.search.levels import Levels
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.memory import Array
from lockstep.results.search_result import SearchResult


class Rebuilder:
    """Rebuilds the behaviour to what a search found while it expanded the last of the levels."""

    def __init__(self, program: Program, code: MachineCode, levels: Levels) -> None:
        self._program = program
        self._judge = Judge(program)
        self._expand_at = code.address("expand")
        self._canonical_at = code.address("canonical") if program.reduces else 0
        self._levels = levels
        self._predecessor_in = loops_for(program.layout.words).predecessor

    def violation(self, result: SearchResult, step: Finding | None, state: Finding | None) -> None:
        """Report the violation that comes first, of a step or of a state."""
        of_step = _first(step, state)
        if of_step is None:
            assert state is not None
            chain, rank = self._chain(state.states, 0), int(state.rank[0])
        else:
            before, after = self._pair(of_step)
            chain, rank = self._chain(before, 1), int(of_step.rank[0])
            if rank == 0:
                self._judge.deadlock(result, self._judge.behaviour(chain))
                return
            chain.append(after)
        self._judge.violation(result, self._judge.behaviour(chain), rank)

    def error(self, result: SearchResult, step: Finding | None, state: Finding | None) -> None:
        """Report the error that comes first, met while expanding a state or checking one."""
        of_step = _first(step, state)
        finding = of_step or state
        assert finding is not None
        function = ranked_functions(self._program)[int(finding.rank[0])]
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
        """Packed states that lead to one of the level `back` before the one being found."""
        chain = [np.array(target)]
        for depth in reversed(range(len(self._levels) - back)):
            chain.append(self._predecessor(depth, chain[-1]))
        return chain[::-1]

    def _predecessor(self, depth: int, target: Array) -> Array:
        words = self._program.layout.words
        successors = np.zeros(max(1, self._program.most_successors) * words, np.uint64)
        ignored = np.zeros(len(self._program.model.actions), np.int64)
        found: list[Array] = []
        for part in self._levels.parts(depth):
            position = self._predecessor_in(
                part,
                len(part) // words,
                self._expand_at,
                self._canonical_at,
                target,
                successors,
                ignored,
                np.zeros(AHEAD, np.int64),
            )
            if position >= 0:
                found.append(part[position * words : (position + 1) * words])
        return min(found, key=lambda each: tuple(int(word) for word in each))


def _first(step: Finding | None, state: Finding | None) -> Finding | None:
    """The finding of a step, unless that of a state comes before it."""
    if step is None or state is None:
        return step
    return step if step.rank[0] < state.rank[0] else None
