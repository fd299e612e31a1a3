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
from lockstep.machine.search.loops import graph_loops_for
from lockstep.machine.search.memory import Array, zeros
from lockstep.machine.search.packed import Packed
from lockstep.plain.engine import Disagreement
from lockstep.plain.graph import Limits, StateGraph, Unfinished
from lockstep.plain.liveness import Pledges
from lockstep.plain.run import PlainEngine
from lockstep.plain.supervision import PROGRESS_SECONDS, Pace
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.search_result import Progress

_STRETCH = 1 << 14
"""States that are expanded or judged between two looks at the limits."""
_STEPS = 1 << 16
"""Steps that there is room for, at least, before they are taken over."""
_MOST_STEPS = 2**31 - 1
"""What scipy numbers."""
_FULL = 0.5
"""How much of the table may be taken."""
_NO_STEPS = np.zeros(0, np.int32)


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


class GraphSearch:
    """Makes the graph of a model, and evaluates each `leads_to` in its states."""

    def __init__(
        self,
        program: GraphProgram,
        code: MachineCode,
        limits: Limits,
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Prepare; `run` makes the graph, once, and `pledges` may be called after that."""
        self._program = program
        self._words = program.layout.words
        self._code = code  # or its functions would be gone
        self._limits = limits
        self._on_progress = on_progress
        self._loops = graph_loops_for(self._words)
        self._most = max(1, program.most_successors)
        self._states = zeros((2 * self._most + _STRETCH) * self._words)
        self._table = np.zeros(int(len(self._states) // self._words / _FULL), np.int64)
        self._capacity = max(_STEPS, 2 * self._most)
        self._taken = 16 * self._capacity
        self._targets = np.zeros(self._capacity, np.int64)
        self._labels = np.zeros(self._capacity, np.int64)
        self._ends = np.zeros(_STRETCH, np.int64)
        self._started = time.perf_counter()
        self._reports = Pace(PROGRESS_SECONDS)
        self._depth = 0

    def run(self) -> StateGraph:
        """The graph; `Unfinished` where a limit is met."""
        self._states[: self._words] = self._program.layout.encode(self._program.model.initial)
        graph = self._record()
        first, targets, labels = [np.zeros(1, np.int64)], [_NO_STEPS], [_NO_STEPS]
        for ends, to, by in self._stretches(graph):
            first.append(ends)
            targets.append(to)
            labels.append(by)
        self._table = np.zeros(0, np.int64)
        self._limits.watch(self.bytes + self._taken)  # they are put together into one array each
        numbered = graph.number("numbered")
        self._states = self._states[: numbered * self._words]
        used, renumbered = _in_order_of_occurrence(labels, self._most)
        return StateGraph(
            PackedStates(self._program.layout, self._states),
            np.concatenate(first),
            np.concatenate(targets),
            renumbered,
            self._program.instances(used),
        )

    def pledges(self, prop: Property) -> Pledges:
        """What a `leads_to` says of each state, as far as each has an answer."""
        promises = self._program.model.of_kind(Kind.LEADS_TO)
        pledges_at = self._code.address(f"pledges.{promises.index(prop)}")
        bindings = list(all_bindings(prop.parameters))
        count = len(self._states) // self._words
        stretch = min(count, _STEPS // len(bindings) + 1)
        answers = [np.zeros(stretch * len(bindings), np.int64) for _ in range(2)]
        questions = Packed(
            "questions",
            states=self._states,
            pledges_at=pledges_at,
            bindings=len(bindings),
            premises=answers[0],
            goals=answers[1],
        )
        self._limits.watch(self.bytes + 2 * count * len(bindings))
        premise, goal = (np.zeros((len(bindings), count), np.bool_) for _ in range(2))
        for begin in range(0, count, stretch):
            self._limits.watch()
            end = min(count, begin + stretch)
            stopped = self._loops.judge_states(questions, begin, end)
            for part, whole in zip(answers, (premise, goal), strict=True):
                whole[:, begin:end] = part.reshape(stretch, -1)[: end - begin].T
            if stopped < end:
                return Pledges(bindings, premise, goal, stopped)
        return Pledges(bindings, premise, goal)

    @property
    def bytes(self) -> int:
        """The memory that is taken by what grows."""
        return self._states.nbytes + self._table.nbytes + self._taken

    def _record(self) -> Packed:
        """What the kernels are given: the initial state is known, and no step is written."""
        most, capacity = self._most, self._capacity
        graph = Packed(
            "graph",
            states=self._states,
            room=len(self._states) // self._words,
            table=self._table,
            size=len(self._table),
            expand_at=self._code.address("expand"),
            most=most,
            successors=np.zeros(most * self._words, np.uint64),
            instances=np.zeros(most, np.int64),
            places=np.zeros(most, np.int64),
            targets=self._targets,
            labels=self._labels,
            capacity=capacity,
            ends=self._ends,
            numbered=1,
            written=0,
        )
        self._loops.fill_table(graph)
        return graph

    def _stretches(
        self, graph: Packed
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]]:
        """Of some states after the other: where their steps end, lead to, and by what."""
        done, written, of_level = 0, 0, 1
        while done < (numbered := graph.number("numbered")):
            self._make_room(graph)
            self._watch(numbered, done, written)
            end = min(of_level, done + _STRETCH)
            stopped = self._loops.number_steps(graph, done, end)
            if stopped < 0:
                raise self._stopped_at(-1 - stopped)
            steps = graph.number("written")
            yield (
                self._ends[: stopped - done] + written,
                self._targets[:steps].astype(np.int32),
                self._labels[:steps].astype(np.int32),
            )
            self._taken += 8 * (stopped - done) + 8 * steps
            written += steps
            graph.set(written=0)
            done = stopped
            if done == of_level:
                self._depth, of_level = self._depth + 1, graph.number("numbered")

    def _stopped_at(self, number: int) -> Exception:
        """Why a state has no successors, as plain Python says it."""
        model = self._program.model
        engine = PlainEngine(model)
        state = PackedStates(self._program.layout, self._states)[number]
        try:
            for _ in engine.successors(state):
                pass
        except EvaluationError as error:
            return Unfinished(error.message)
        return Disagreement(f"plain Python has a meaning in {state}, machine code has none")

    def _make_room(self, graph: Packed) -> None:
        """See that the table and the states have room for what one stretch may add at least."""
        numbered = graph.number("numbered")
        if numbered + self._most <= len(self._states) // self._words:
            return
        room = 2 * (numbered + self._most)
        size = int(room / _FULL)
        self._limits.watch(self.bytes + 8 * (room * self._words + size))
        states = zeros(room * self._words)
        states[: numbered * self._words] = self._states[: numbered * self._words]
        self._states, self._table = states, np.zeros(0, np.int64)
        graph.set(states=states, room=room, table=self._table)  # the old ones are gone
        self._table = np.zeros(size, np.int64)
        graph.set(table=self._table, size=size)
        self._loops.fill_table(graph)

    def _watch(self, numbered: int, done: int, written: int) -> None:
        """Report how far the graph is, and end it when a limit is met."""
        self._limits.watch(self.bytes)
        if numbered > self._limits.max_states:
            raise Unfinished(f"more than {self._limits.max_states:,} states")
        if written > _MOST_STEPS:
            raise Unfinished(f"more than {_MOST_STEPS:,} steps")
        seconds = time.perf_counter() - self._started
        if self._on_progress is not None and self._reports.is_due(seconds):
            self._on_progress(
                Progress(numbered, written, self._depth, numbered - done, seconds, self.bytes)
            )


def _in_order_of_occurrence(
    labels: list[NDArray[np.int32]], most: int
) -> tuple[list[int], NDArray[np.int32]]:
    """The labels that there are, the first to occur first, and the position of each among them.

    Plain Python numbers them so, and of several ways to go on for ever the numbers choose one.
    """
    total = end = sum(map(len, labels))
    first = np.full(most, total, np.int64)
    for part in reversed(labels):
        # Of several values for one place the last is kept: backwards, the first position.
        first[part[::-1]] = np.arange(end - 1, end - len(part) - 1, -1)
        end -= len(part)
    order = np.argsort(first)[: int(np.count_nonzero(first < total))]
    positions = np.zeros(most, np.int32)
    positions[order] = np.arange(len(order), dtype=np.int32)
    return order.tolist(), np.concatenate([positions[part] for part in labels])
