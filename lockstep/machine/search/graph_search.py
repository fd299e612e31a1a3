"""The graph of all reachable states, made with a model's machine code.

It is the graph that plain Python makes, state by state and step by step, with the same numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from lockstep.language.model import Property
from lockstep.language.notation import Kind, State
from lockstep.machine.code.graph_program import GraphProgram, all_bindings
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.state import StateLayout
from lockstep.machine.search.interface import PROGRESS, STATES_KNOWN, STEPS_WRITTEN
from lockstep.machine.search.loops import graph_loops_for
from lockstep.machine.search.memory import Array, zeros
from lockstep.plain.engine import Disagreement
from lockstep.plain.graph import Limits, StateGraph, Unfinished
from lockstep.plain.liveness import Pledges
from lockstep.results.search_result import Progress

_STRETCH = 1 << 14
"""States that are expanded or judged between two looks at the limits."""
_STEPS = 1 << 16
"""Steps that there is room for, at least, before they are taken over."""
_MOST_STEPS = 2**31 - 1
"""What scipy numbers."""
_FULL = 0.5
"""How much of the table may be taken."""
_PROGRESS_SECONDS = 0.1
_NO_STEPS = np.zeros(0, np.int32)


class PackedStates(Sequence[State]):
    """States in packed form, each unpacked when it is asked for."""

    def __init__(self, layout: StateLayout, rows: Array) -> None:
        self._layout = layout
        self._rows = rows.reshape(-1, layout.words)

    def __len__(self) -> int:
        return len(self._rows)

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
            return [self._layout.decode(row) for row in self._rows[number].tolist()]
        return self._layout.decode(self._rows[number].tolist())


class GraphSearch:
    """Makes the graph of a model, and asks of its states what each `leads_to` says of them."""

    def __init__(
        self,
        program: GraphProgram,
        code: MachineCode,
        limits: Limits,
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Prepare; `run` makes the graph, once, and `pledges` may be asked after that."""
        self._program = program
        self._words = program.layout.words
        self._code = code  # or its functions would be gone
        self._limits = limits
        self._on_progress = on_progress
        self._loops = graph_loops_for(self._words)
        self._most = max(1, program.most_successors)
        self._states = zeros((2 * self._most + _STRETCH) * self._words)
        self._table = np.zeros(int(len(self._states) // self._words / _FULL), np.int64)
        self._progress = np.zeros(PROGRESS, np.int64)
        self._capacity = max(_STEPS, 2 * self._most)
        self._taken = 16 * self._capacity
        self._started = self._next_report = time.perf_counter()
        self._depth = 0

    def run(self) -> StateGraph:
        """The graph; `Unfinished` where a limit is met."""
        self._states[: self._words] = self._program.layout.encode(self._program.model.initial)
        self._progress[STATES_KNOWN] = 1
        self._fill_table()
        first, targets, labels = [np.zeros(1, np.int64)], [_NO_STEPS], [_NO_STEPS]
        for ends, to, by in self._stretches():
            first.append(ends)
            targets.append(to)
            labels.append(by)
        self._table = np.zeros(0, np.int64)
        self._limits.watch(self.bytes + self._taken)  # they are put together into one array each
        known = int(self._progress[STATES_KNOWN])
        self._states = self._states[: known * self._words]
        used, renumbered = _renumbered(labels, self._most)
        return StateGraph(
            PackedStates(self._program.layout, self._states),
            np.concatenate(first),
            np.concatenate(targets),
            renumbered,
            self._program.instances(used.tolist()),
        )

    def pledges(self, prop: Property) -> Pledges:
        """What a `leads_to` says of each state, as far as each has an answer."""
        promises = self._program.model.of_kind(Kind.LEADS_TO)
        pledges_at = self._code.address(f"pledges.{promises.index(prop)}")
        bindings = list(all_bindings(prop.parameters))
        count = len(self._states) // self._words
        stretch = min(count, _STEPS // len(bindings) + 1)
        asked = [np.zeros(stretch * len(bindings), np.int64) for _ in range(2)]
        self._limits.watch(self.bytes + 2 * count * len(bindings))
        premise, goal = (np.zeros((len(bindings), count), np.bool_) for _ in range(2))
        for begin in range(0, count, stretch):
            self._limits.watch()
            end = min(count, begin + stretch)
            stopped = self._loops.judge_states(
                self._states, begin, end, pledges_at, len(bindings), *asked
            )
            for part, whole in zip(asked, (premise, goal), strict=True):
                whole[:, begin:end] = part.reshape(stretch, -1)[: end - begin].T
            if stopped < end:
                return Pledges(bindings, premise, goal, stopped)
        return Pledges(bindings, premise, goal)

    @property
    def bytes(self) -> int:
        """The memory that is taken by what grows."""
        return self._states.nbytes + self._table.nbytes + self._taken

    def _stretches(
        self,
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]]:
        """Of some states after the other: where their steps end, lead to, and by what."""
        most, progress = self._most, self._progress
        successors = np.zeros(most * self._words, np.uint64)
        instances, places = np.zeros(most, np.int64), np.zeros(most, np.int64)
        targets, labels = np.zeros(self._capacity, np.int64), np.zeros(self._capacity, np.int64)
        ends = np.zeros(_STRETCH, np.int64)
        expand_at = self._code.address("expand")
        done, written, of_level = 0, 0, 1
        while done < progress[STATES_KNOWN]:
            self._make_room()
            self._watch(done, written)
            stopped = self._loops.number_steps(
                self._states,
                len(self._states) // self._words,
                done,
                min(of_level, done + _STRETCH),
                self._table,
                len(self._table),
                expand_at,
                most,
                successors,
                instances,
                places,
                targets,
                labels,
                self._capacity,
                ends,
                progress,
            )
            if stopped < 0:
                state = PackedStates(self._program.layout, self._states)[-1 - stopped]
                raise Disagreement(f"a search found a meaning in {state}, its graph does not")
            steps = int(progress[STEPS_WRITTEN])
            yield (
                ends[: stopped - done] + written,
                targets[:steps].astype(np.int32),
                labels[:steps].astype(np.int32),
            )
            self._taken += 8 * (stopped - done) + 8 * steps
            written += steps
            progress[STEPS_WRITTEN] = 0
            done = stopped
            if done == of_level:
                self._depth, of_level = self._depth + 1, int(progress[STATES_KNOWN])

    def _make_room(self) -> None:
        """See that the table and the states have room for what one stretch may add at least."""
        known = int(self._progress[STATES_KNOWN])
        if known + self._most <= len(self._states) // self._words:
            return
        room = 2 * (known + self._most)
        size = int(room / _FULL)
        self._limits.watch(self.bytes + 8 * (room * self._words + size))
        states = zeros(room * self._words)
        states[: known * self._words] = self._states[: known * self._words]
        self._states = states
        self._table = np.zeros(0, np.int64)
        self._table = np.zeros(size, np.int64)
        self._fill_table()

    def _fill_table(self) -> None:
        known = int(self._progress[STATES_KNOWN])
        self._loops.fill_table(self._states, known, self._table, len(self._table))

    def _watch(self, done: int, written: int) -> None:
        """Report how far the graph is, and end it when a limit is met."""
        known, now = int(self._progress[STATES_KNOWN]), time.perf_counter()
        self._limits.watch(self.bytes)
        if known > self._limits.max_states:
            raise Unfinished(f"more than {self._limits.max_states:,} states")
        if written > _MOST_STEPS:
            raise Unfinished(f"more than {_MOST_STEPS:,} steps")
        if self._on_progress is not None and now >= self._next_report:
            self._next_report = now + _PROGRESS_SECONDS
            seconds = now - self._started
            self._on_progress(
                Progress(known, written, self._depth, known - done, seconds, self.bytes)
            )


def _renumbered(
    labels: list[NDArray[np.int32]], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The labels that there are, and each label's position among them."""
    occurs = np.zeros(most, np.bool_)
    for part in labels:
        occurs[part] = True
    positions = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(occurs), np.concatenate([positions[part] for part in labels])
