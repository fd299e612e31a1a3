"""The states of each level in the order of the search, and the ways through them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.interface import Array, Packed
from lockstep.machine.search.judge import Finding, Findings, Judge, first, ranked_functions
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.state_file import Extent, StateFile
from lockstep.machine.search.workers import Worker, shape_of
from lockstep.plain.ending import Ending, Remaining, ending_of
from lockstep.plain.run import PlainEngine
from lockstep.plain.simplest import TooMany, put_simplest
from lockstep.results.search_result import SearchResult, Violation


class Levels:
    """The states that are `depth` steps from the initial one, for every depth so far.

    They are what the next level is made from, and what a trace is rebuilt from, backwards. With a
    file they are there, and in memory only while they are read.
    """

    def __init__(self, words: int, file: StateFile | None = None) -> None:
        self._words = words
        self._file = file
        self._levels: list[list[Array] | Extent | range] = []
        self._numbered: Callable[[], Array] | None = None
        self._counts: list[int] = []
        self._unfinished: list[Array] = []
        self.bytes = 0
        """The size of all states in memory."""

    def __len__(self) -> int:
        return len(self._levels)

    @property
    def is_on_disk(self) -> bool:
        """Whether states are in a file."""
        return self._file is not None

    def extend(self, parts: Iterable[Array]) -> None:
        """More states of the last level, which is not finished."""
        for part in parts:
            if self._file is not None:
                self._file.append(part)
            else:
                self._unfinished.append(part)
                self.bytes += part.nbytes

    def finish(self) -> None:
        """The last level is finished: another begins."""
        if self._file is not None:
            self.restore(self._file.finish())
        else:
            self._counts.append(sum(len(part) for part in self._unfinished) // self._words)
            self._levels.append(self._unfinished)
            self._unfinished = []

    def number(self, count: int, states: Callable[[], Array]) -> None:
        """One more level, of so many states: those that follow in what has all of them by number.

        `states` is where they are from now on; their memory is not that of the levels.
        """
        begin = sum(self._counts)
        self._numbered = states
        self._counts.append(count)
        self._levels.append(range(begin * self._words, (begin + count) * self._words))

    def rebase(self, states: Array) -> None:
        """States by number are here now."""
        self._numbered = lambda: states
        self.bytes += states.nbytes

    def restore(self, extent: Extent) -> None:
        """One more level, which is in the file already."""
        self._counts.append(extent.words // self._words)
        self._levels.append(extent)

    def leave_out(self, count: int) -> None:
        """One more level, of so many states that are somewhere else."""
        self._counts.append(count)
        self._levels.append([])

    def parts(self, depth: int) -> Iterator[Array]:
        """The states of one level, in arrays."""
        level = self._levels[depth]
        if isinstance(level, Extent):
            assert self._file is not None
            yield from self._file.read(level)
        elif isinstance(level, range):
            assert self._numbered is not None
            yield self._numbered()[level.start : level.stop]
        else:
            yield from level

    def extent(self, depth: int) -> Extent:
        """Where a level is in the file."""
        level = self._levels[depth]
        assert isinstance(level, Extent)
        return level

    def state(self, depth: int, position: int) -> Array:
        """One state of a level."""
        level, begin = self._levels[depth], position * self._words
        if isinstance(level, Extent):
            assert self._file is not None
            return np.concatenate(list(self._file.read(level, begin, self._words)))
        for part in self.parts(depth):
            if begin < len(part):
                return part[begin : begin + self._words]
            begin -= len(part)
        raise IndexError(position)

    def count(self, depth: int) -> int:
        """How many states a level has."""
        return self._counts[depth]

    @property
    def counts(self) -> list[int]:
        """How many states each level has."""
        return self._counts.copy()


def chunks(parts: Iterable[Array], words: int, most: int) -> Iterator[tuple[Array, int, int]]:
    """The states of a level in stretches of at most `most`: an array, and from where to where."""
    for part in parts:
        count = len(part) // words
        for begin in range(0, count, most):
            yield part, begin, min(begin + most, count)


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
        self._loops = loops_for("ways", self._words)
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
        self._predecessor_in = loops_for("search", self._words).predecessor

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
