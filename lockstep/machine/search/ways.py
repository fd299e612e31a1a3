"""How many disturbances there are still to come on the shortest ways to a violation.

By machine code, level by level, backwards through those that a search has kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.levels import Levels
from lockstep.machine.search.loops import way_loops_for
from lockstep.machine.search.memory import Array, Packed
from lockstep.machine.search.workers import Worker, shape_of
from lockstep.plain.ending import Ending, Remaining, ending_of
from lockstep.plain.run import PlainEngine
from lockstep.plain.simplest import TooMany, put_simplest
from lockstep.results.search_result import SearchResult, Violation

_MOST_STATES = 500_000
"""States of a level on the way to a violation that are kept."""


class WaysBack:
    """The ways back from a violation, through the levels before that of the last new states."""

    def __init__(
        self, program: Program, code: MachineCode, levels: Levels, environment: Collection[str]
    ) -> None:
        self._program = program
        self._environment = environment
        self._levels = levels
        self._words = program.layout.words
        self._loops = way_loops_for(self._words)
        self._worker = Worker(shape_of(program), code, buffer=0)
        self._prices = np.array(
            [action.name in environment for action in program.model.actions], np.int64
        )

    def simplify(self, result: SearchResult, violation: Violation, newest: Sequence[Array]) -> None:
        """Put the simplest of all shortest behaviours to a violation into the result.

        `newest` are the states that the search came to while it expanded the last of the levels.
        """
        engine = PlainEngine(self._program.model)
        ending = ending_of(engine, violation)
        properties = engine.model.properties
        rank = 0 if ending.prop is None else properties.index(ending.prop) + 1

        def go_back() -> Remaining:
            if self._program.symmetry is not None:
                raise TooMany("symmetric states were taken for one")
            if self._levels.is_on_disk:
                raise TooMany("states are on disk")
            return self.remaining(ending, rank, newest)

        put_simplest(result, engine, ending, go_back, self._environment)

    def remaining(self, ending: Ending, rank: int, newest: Sequence[Array]) -> Remaining:
        """The fewest disturbances from each state on.

        `rank` is that of the violation. `TooMany` where there are more ways than are kept.
        """
        fewest: list[dict[bytes, int]] = []
        ways = self._ways(rank)
        loop = self._loops.lead_on if ending.is_of_step else self._loops.judge_ends
        for depth in range(ending.judged, -1, -1):
            parts = newest if depth == len(self._levels) else self._levels.parts(depth)
            states, counts = [], []
            for part in parts:
                of_part = np.zeros(len(part) // self._words, np.int64)
                ways.set(level=part, fewest=of_part)
                loop(self._worker.packed, ways, 0, len(of_part))
                states.append(part.reshape(-1, self._words)[of_part >= 0])
                counts.append(of_part[of_part >= 0])
            rows, held = np.concatenate(states), np.concatenate(counts)
            if len(rows) > _MOST_STATES:
                raise TooMany(f"{len(rows):,} states {depth} steps from the first lead to such")
            pairs = zip(rows, held.tolist(), strict=True)
            fewest.append({row.tobytes(): count for row, count in pairs})
            self._follow(ways, rows.reshape(-1), held)
            loop = self._loops.lead_on
        fewest.reverse()
        encode = self._program.layout.encode
        return lambda depth, state: fewest[depth].get(np.array(encode(state), np.uint64).tobytes())

    def _ways(self, rank: int) -> Packed:
        """What the loops are given, where no state is known to follow."""
        nothing = np.zeros(1, np.int64)
        return Packed(
            "ways",
            level=np.zeros(self._words, np.uint64),
            rank=rank,
            prices=self._prices,
            following=np.zeros(self._words, np.uint64),
            known=0,
            table=nothing,
            size=0,
            held=nothing,
            fewest=nothing,
        )

    def _follow(self, ways: Packed, rows: Array, held: NDArray[np.int64]) -> None:
        """The states that follow those of the level before."""
        size = 2 * len(held) + 1
        table = np.zeros(size, np.int64)
        ways.set(following=rows, known=len(held), table=table, size=size, held=held)
        self._loops.fill_ways(ways)
