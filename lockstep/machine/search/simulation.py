"""Random behaviours, for scopes that are beyond exhaustive search.

Each behaviour is a walk from the initial state: at every step any enabled action has the same
probability, however many instances it has, and then any of these. The n-th walk of a seed is the
same on every machine and with any number of threads.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.interface import (
    BROKEN,
    DEADLOCKED,
    FINE,
    SHARDS,
    Array,
    Packed,
    memory_bound,
)
from lockstep.machine.search.judge import Judge, ranked_functions
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.visited import NewStates, VisitedStates
from lockstep.machine.search.workers import Crew, Worker, count, shape_of
from lockstep.plain.exploration import Exploration, Walks
from lockstep.results.search_result import Progress, SearchResult
from lockstep.results.verdict import Verdict

_BATCH = 256
"""Walks between two looks at the bounds."""


@dataclass
class _Walk:
    """One walk: its packed states, and how it ended, in the words of `interface`."""

    number: int
    states: Array
    outcome: int
    rank: int


class Simulation:
    """`walks` random behaviours of up to `steps` steps; `run` takes them, once."""

    def __init__(
        self,
        program: Program,
        code: MachineCode,
        walks: Walks,
        request: Exploration = Exploration(),
    ) -> None:
        """Prepare the walks; of the bounds, those on time and memory are heeded."""
        self._program = program
        self._words = program.layout.words
        self._walks = walks
        self._threads = request.threads or len(os.sched_getaffinity(0))
        self._max_seconds = request.bounds.max_seconds
        # Before memory is looked at, for it takes some.
        self._loops = loops_for("search", self._words)
        self._memory = memory_bound(request.bounds.memory)
        self._on_progress = request.on_progress
        self._initial: Array = np.array(program.layout.encode(program.model.initial), np.uint64)
        self._visited = VisitedStates(self._words, self._memory.bound - self._memory.before)
        allowed = request.deadlock_allowed
        self._crew = Crew(lambda: Worker(shape_of(program), code, deadlock_allowed=allowed))
        self._crew.grow(self._threads)
        self._result = SearchResult(program.model.name, "simulation")
        self._started = 0.0

    def run(self) -> SearchResult:
        """Walk until all walks are taken, something is broken, or a bound is met.

        In the result `states` are the distinct ones seen, `transitions` and `fired` the steps that
        were taken, and `depth` the length of the longest walk.
        """
        self._started = time.perf_counter()
        result, done, why = self._result, 0, "all that was asked"
        try:
            with ThreadPoolExecutor(self._threads) as pool:
                while done < self._walks.count and self._fine:
                    why = self._met_bound()
                    if why:
                        break
                    count = min(_BATCH, self._walks.count - done)
                    for walk in self._batch(pool, range(done, done + count)):
                        done += 1
                        if not self._take_in(walk):
                            break
        except KeyboardInterrupt:
            result.interrupted, why = True, "interrupted"
        self._count()
        if self._fine:
            result.verdict = Verdict.INCONCLUSIVE
            result.because = self._walks.ended(why or "nothing broken", done, result.states)
        result.seconds = self._seconds
        return result

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._started

    @property
    def _fine(self) -> bool:
        return self._result.violation is None and self._result.error is None

    def _met_bound(self) -> str:
        """The bound that was met, in words; empty when none was."""
        if self._max_seconds is not None and self._seconds >= self._max_seconds:
            return f"stopped after {self._seconds:.0f} s as bounded"
        share = _BATCH * (self._walks.steps + 1) // SHARDS
        if self._memory.used + self._visited.growth([share] * SHARDS, 1) > self._memory.bound:
            self._result.out_of_memory = True
            return f"stopped at {self._memory} as bounded"
        return ""

    def _batch(self, pool: ThreadPoolExecutor, numbers: range) -> list[_Walk]:
        """Take some walks, divided among the threads; they come back in order."""
        parts = [numbers[at :: self._threads] for at in range(self._threads)]
        walks_of = pool.map(self._several, self._crew.workers, parts)
        walks = sorted(chain.from_iterable(walks_of), key=lambda walk: walk.number)
        seconds = self._seconds
        if self._on_progress is not None:
            steps = sum(self._crew.totals.fired)
            longest = max(len(walk.states) // self._words - 1 for walk in walks)
            depth = max(self._result.depth, longest)
            self._on_progress(Progress(len(self._visited), steps, depth, 0, seconds))
        return walks

    def _several(self, worker: Worker, numbers: range) -> list[_Walk]:
        walks = []
        path = np.zeros((self._walks.steps + 1) * self._words, np.uint64)
        ended = np.zeros(2, np.int64)
        course = Packed(
            "walk",
            initial=self._initial,
            seed=self._walks.seed,
            steps=self._walks.steps,
            actions=len(worker.fired),
            enabled=np.zeros(len(worker.fired), np.int64),
            path=path,
            ended=ended,
        )
        for number in numbers:
            length = self._loops.walk(worker.packed, course, number)
            states = path[: (length + 1) * self._words].copy()
            walks.append(_Walk(number, states, int(ended[0]), int(ended[1])))
        return walks

    def _take_in(self, walk: _Walk) -> bool:
        """Count the states of a walk that are new; whether it ended well."""
        words, count = self._words, len(walk.states) // self._words
        self._result.depth = max(self._result.depth, count - 1)
        worker, begin = self._crew.workers[0], 0
        while begin < count:
            begin = self._loops.distribute(worker.packed, walk.states, begin, count)
            for shard in np.flatnonzero(worker.filled):
                self._insert(int(shard), worker)
            worker.empty()
        if walk.outcome == FINE:
            return True
        judge = Judge(self._program)
        trace = judge.behaviour(walk.states.reshape(count, words).tolist())
        if walk.outcome == DEADLOCKED:
            judge.deadlock(self._result, trace)
        elif walk.outcome == BROKEN:
            judge.violation(self._result, trace, walk.rank)
        else:
            judge.error(self._result, trace, ranked_functions(self._program)[walk.rank])
        return False

    def _insert(self, shard: int, worker: Worker) -> None:
        candidates, new = worker.candidates(shard), NewStates()
        count = len(candidates) // self._words
        self._visited.make_room(shard, count)
        new.make_room(count, self._words)
        self._visited.insert(shard, candidates, new, worker, checked=False)

    def _count(self) -> None:
        result, totals = self._result, self._crew.totals
        count(self._program.model, totals, result)
        result.states = len(self._visited)
        result.transitions = sum(totals.fired)
