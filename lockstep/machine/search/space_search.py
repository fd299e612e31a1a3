"""States by number and the steps between them, as machine code finds them.

They are those that plain Python finds, state by state and step by step, with the same numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, overload

import numpy as np

from lockstep.language.notation import State
from lockstep.machine.code.program import Program
from lockstep.machine.code.state import StateLayout
from lockstep.machine.search.interface import BATCH, Array, Packed, zeros
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.workers import Worker
from lockstep.plain.space import Limits, Space, Unfinished

_STRETCH = 1 << 14
"""States that a thread expands between two looks at the limits."""
_WORK = 2**28
"""Operations between two looks, at the most: less than a second."""
_STEPS = 1 << 17
"""Steps that a thread has room for, at least, before they are taken over."""
_MOST_STEPS = 2**31 - 1
"""What scipy numbers."""
_FULL = 0.5
"""How much of the table may be taken."""

Run: TypeAlias = Callable[..., Iterable[Any]]
"""`map`, or what does the same at the same time."""


class PackedStates(Sequence[State]):
    """States in packed form, each unpacked when it is read."""

    def __init__(self, layout: StateLayout, rows: Array) -> None:
        self.layout = layout
        self._rows = rows.reshape(-1, layout.words)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def words(self) -> Array:
        """Their words, side by side."""
        return self._rows.reshape(-1)

    @property
    def nbytes(self) -> int:
        """The memory that they take."""
        return self._rows.nbytes

    @overload
    def __getitem__(self, number: int) -> State: ...
    @overload
    def __getitem__(self, number: slice) -> list[State]: ...
    def __getitem__(self, number: int | slice) -> State | list[State]:
        if isinstance(number, slice):
            return [self.layout.decode(row) for row in self._rows[number].tolist()]
        return self.layout.decode(self._rows[number].tolist())


class _Reached:
    """What one thread finds: the steps of some states, and where they lead."""

    def __init__(self, most: int, capacity: int, words: int) -> None:
        self.targets, self.labels, new_at = (np.zeros(capacity, np.int32) for _ in range(3))
        self.ends = np.zeros(_STRETCH, np.int32)
        self._new = np.zeros(capacity * words, np.uint64)
        self.packed = Packed(
            "reached",
            places=np.zeros(BATCH + most, np.int64),
            targets=self.targets,
            labels=self.labels,
            ends=self.ends,
            capacity=capacity,
            new=self._new,
            new_at=new_at,
            steps=0,
            news=0,
        )

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return self._new.nbytes + 3 * self.targets.nbytes


class Numbering:
    """States by number, in the order in which plain Python finds them, and all of their steps.

    A search expands them in that order. The numbers do not depend on how many threads do.
    """

    def __init__(self, program: Program, limits: Limits, expected: int = 0) -> None:
        """The initial state is known, and no step.

        The first time that the table grows, it gets room for the `expected` number of states, if
        that is not too much: it is filled again whenever it grows.
        """
        self.layout = program.layout
        self._program = program
        self._words = program.layout.words
        self._limits = limits
        self._loops = loops_for("graph", self._words)
        self._most = max(1, program.most_successors)
        self._stretch = max(1, min(_STRETCH, _WORK // program.work))
        self._capacity = max(_STEPS, 4 * self._most)
        roomy = expected + self._capacity
        fits = limits.memory is None or self._bytes_of(roomy) < limits.memory // 2
        self._roomy = roomy if expected and fits else 0
        self._reached: list[_Reached] = []
        self._taken = 0
        self._states = zeros((2 * self._most + _STRETCH) * self._words)
        self._states[: self._words] = self.layout.encode(program.model.initial)
        self._table = np.zeros(int(len(self._states) // self._words / _FULL), np.int32)
        self._first, self._targets, self._labels = array("q", [0]), array("i"), array("i")
        self.written = 0
        """How many steps are known."""
        # Plain Python numbers labels by their first occurrence, and of several ways to go on for
        # ever the numbers choose one.
        self._positions = np.full(self._most, -1, np.int32)
        self._graph = Packed(
            "graph",
            states=self._states,
            table=self._table,
            size=len(self._table),
            numbered=1,
            positions=self._positions,
            used=0,
        )
        self._loops.fill_table(self._graph)

    def __len__(self) -> int:
        """How many states are known."""
        return self._graph.number("numbered")

    @property
    def states(self) -> Array:
        """The words of all states that are known, side by side."""
        return self._states[: len(self) * self._words]

    @property
    def bytes(self) -> int:
        """The memory that is taken by what grows."""
        reached = sum(reached.bytes for reached in self._reached)
        return self._states.nbytes + self._table.nbytes + self._taken + reached

    def expand(self, workers: Sequence[Worker], begin: int, end: int, run: Run = map) -> int:
        """Expand states from `begin` on, all before it being expanded; where it stopped.

        That is at `end`, or after a moment. Each worker takes a share of them, `run` being `map` or
        what does the same at the same time; they count steps, and note what is wrong in them.
        `Unfinished` where a limit is met.
        """
        self._limits.watch(self.bytes)
        if len(self) > self._limits.max_states:
            raise Unfinished(f"more than {self._limits.max_states:,} states")
        if self.written > _MOST_STEPS:
            raise Unfinished(f"more than {_MOST_STEPS:,} steps")
        while len(self._reached) < len(workers):
            self._reached.append(_Reached(self._most, self._capacity, self._words))
        even = -(-(end - begin) // len(workers))
        share = min(even, self._stretch, self._capacity // self._likely(begin))
        bounds = [min(end, begin + share * number) for number in range(len(workers) + 1)]
        shares = list(zip(workers, self._reached, bounds[:-1], bounds[1:], strict=False))
        stops = run(self._reach, *zip(*shares, strict=True))
        for (worker, reached, at, last), stopped in zip(shares, list(stops), strict=True):
            self._take(reached, stopped - at)
            while stopped < last:  # there was no room, and the next share cannot be taken before
                at, stopped = stopped, self._reach(worker, reached, stopped, last)
                self._take(reached, stopped - at)
        return bounds[-1]

    def _likely(self, expanded: int) -> int:
        """Steps for which each state should find room: twice those of states that were expanded."""
        return 2 * self.written // max(1, expanded) + 1

    def _reach(self, worker: Worker, reached: _Reached, begin: int, end: int) -> int:
        return self._loops.reach(worker.packed, self._graph, reached.packed, begin, end)

    def _take(self, reached: _Reached, states: int) -> None:
        """Number what the steps of so many states lead to, and keep the steps."""
        self._make_room(reached.packed.number("news"))
        self._loops.number_new(self._graph, reached.packed)
        steps = reached.packed.number("steps")
        ends = reached.ends[:states] + np.int64(self.written)
        self._first.frombytes(ends.view(np.uint8).data)
        self._targets.frombytes(reached.targets[:steps].view(np.uint8).data)
        self._labels.frombytes(reached.labels[:steps].view(np.uint8).data)
        self._taken += 8 * states + 8 * steps
        self.written += steps

    def knows(self, state: Array) -> bool:
        """Whether a packed state has a number."""
        return self._loops.number_of(self._graph, state) >= 0

    def space(self, limits: Limits) -> Space:
        """The state space, all states being expanded: nothing is expanded or found after that.

        `Unfinished` where it takes more memory than the limits say.
        """
        self._table = np.zeros(1, np.int32)
        self._graph.set(table=self._table)
        limits.watch(self.bytes)
        used = np.argsort(self._positions)[self._most - self._graph.number("used") :]
        return Space(
            PackedStates(self.layout, self.states),
            np.asarray(self._first),
            np.asarray(self._targets),
            np.asarray(self._labels),
            self._program.instances(used.tolist()),
        )

    def _bytes_of(self, room: int) -> int:
        """What so many states take, with their table."""
        return 8 * room * self._words + int(4 * room / _FULL)

    def _make_room(self, more: int) -> None:
        """See that the table and the states have room for so many more."""
        numbered = len(self)
        if numbered + more <= len(self._states) // self._words:
            return
        room = max(2 * (numbered + more), self._roomy)
        size = int(room / _FULL)
        self._limits.watch(self.bytes + self._bytes_of(room))
        states = zeros(room * self._words)
        states[: numbered * self._words] = self.states
        self._states, self._table = states, np.zeros(0, np.int32)
        self._graph.set(states=states, table=self._table)  # the old ones are gone
        self._table = np.zeros(size, np.int32)
        self._graph.set(table=self._table, size=size)
        self._loops.fill_table(self._graph)
