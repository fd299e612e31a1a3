"""A search that numbers its states and keeps the steps between them, as long as there is room.

The numbers are those of plain Python, however many threads there are. Where a limit is met the
search goes on without numbers and steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lockstep.language.model import Property
from lockstep.language.notation import Kind
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program, all_bindings
from lockstep.machine.search.interface import Array, Packed
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.space_search import Numbering
from lockstep.machine.search.workers import Worker
from lockstep.plain.exploration import Exploration
from lockstep.plain.fair_parts import Promises, fair_parts
from lockstep.plain.liveness import Pledges
from lockstep.plain.space import Limits, Mask, Space, Unfinished
from lockstep.results.search_result import Progress


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


class SpaceSearch(NumberingSearch):
    """Makes the state space of a model, whatever it claims."""

    def __init__(
        self,
        program: Program,
        code: MachineCode,
        limits: Limits,
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._limits = limits
        bare = replace(program, has_state_checks=False, has_step_invariants=False)
        request = Exploration(deadlock_allowed=True, threads=1, on_progress=on_progress)
        super().__init__(bare, code, request, Numbering(bare, limits))

    def space(self) -> Space:
        """The state space, made once; `Unfinished` where a limit is met."""
        result = self.run()
        if result.interrupted:
            raise KeyboardInterrupt
        if result.error is not None or not result.is_finished:
            raise Unfinished(result.because)
        assert self.numbering is not None, "it is finished"
        return self.numbering.space(self._limits)

    def _level(self, depth: int) -> None:
        assert self.numbering is not None, "without numbers it does not go on"
        self._number_level(self.numbering, depth)

    def _sample(self) -> None:
        """The search of the model itself takes a sample."""


_STRETCH = 1 << 18
"""States that a search starts from between two looks at the limits."""
_ANSWERS = 1 << 17
"""Answers to a `leads_to` between two looks at the limits."""
_BYTES_A_STATE = 44
"""What is taken for each state."""


def packed_pledges(
    program: Program, code: MachineCode, states: Array, prop: Property, limits: Limits
) -> Pledges:
    """What a `leads_to` of a program says of each packed state, as far as each has an answer.

    `Unfinished` where a limit is met.
    """
    promises = program.model.of_kind(Kind.LEADS_TO)
    bindings = list(all_bindings(prop.parameters))
    words = program.layout.words
    count = len(states) // words
    stretch = min(count, _ANSWERS // len(bindings) + 1)
    answers = [np.zeros(stretch * len(bindings), np.int64) for _ in range(2)]
    questions = Packed(
        "questions",
        states=states,
        pledges_at=code.address(f"pledges.{promises.index(prop)}"),
        bindings=len(bindings),
        premises=answers[0],
        goals=answers[1],
    )
    loops = loops_for("graph", words)
    limits.watch(states.nbytes + 2 * count * len(bindings))
    premise, goal = (np.zeros((len(bindings), count), np.bool_) for _ in range(2))
    for begin in range(0, count, stretch):
        limits.watch()
        end = min(count, begin + stretch)
        stopped = loops.judge_states(questions, begin, end)
        for part, whole in zip(answers, (premise, goal), strict=True):
            whole[:, begin:end] = part.reshape(stretch, -1)[: end - begin].T
        if stopped < end:
            return Pledges(bindings, premise, goal, stopped)
    return Pledges(bindings, premise, goal)


def compiled_parts(
    space: Space, promises: Promises, owing: Mask, past: Mask, limits: Limits
) -> NDArray[np.int32]:
    """What `fair_parts` says, by machine code; `Unfinished` where a limit is met."""
    if len(promises.is_strong) > 64:  # bits of a word
        return fair_parts(space, promises, owing, past, limits)
    size = len(space.states)
    limits.watch(space.bytes + _BYTES_A_STATE * size)
    keeps = np.zeros(len(space.instances), np.uint64)
    for promise in range(len(promises.is_strong)):
        keeps |= promises.by_label(promise).astype(np.uint64) << np.uint64(promise)
    strong = [is_strong << promise for promise, is_strong in enumerate(promises.is_strong)]
    parts, order = np.full(size, -1, np.int32), past.astype(np.int32) - 1
    # Backwards, for where the steps of the last states lead is done soon or before.
    starts = np.flatnonzero(owing & past)[::-1].astype(np.int32)
    search = Packed(
        "parts",
        first=space.first,
        targets=space.targets,
        labels=space.labels,
        keeps=keeps,
        strong=np.array([sum(strong)], np.uint64),
        starts=starts,
        order=order,
        again=order,
        parts=parts,
        stack=np.zeros(size, np.int32),
        own=np.zeros(size, np.int32),
        cursor=np.zeros(size, np.int64),
        size=size,
        visited=0,
        found=0,
    )
    while len(starts):
        again = np.full(size, -1, np.int32)
        search.set(starts=starts, order=order, again=again, visited=0)
        for begin in range(0, len(starts), _STRETCH):
            limits.watch()
            end = min(len(starts), begin + _STRETCH)
            loops_for("parts").find_parts(search, begin, end)
        order, starts = again, np.flatnonzero(again == 0).astype(np.int32)
    return parts
