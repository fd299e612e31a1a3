"""Breadth-first search by levels with a model's machine code, on several threads.

What is found does not depend on the number of threads: a level is always finished, and of what is
wrong there the first by the order of `findings` is told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from lockstep.compiled.machine import MachineCode
from lockstep.compiled.program import Program
from lockstep.explore.engine import Verdict
from lockstep.explore.parallel import kernels
from lockstep.explore.parallel.findings import Findings, first
from lockstep.explore.parallel.known import KnownStates
from lockstep.explore.parallel.levels import Levels, chunks
from lockstep.explore.parallel.memory import Array, available_memory
from lockstep.explore.parallel.rebuild import Rebuilder, site_order
from lockstep.explore.search import Progress, SearchResult, conclude, count_of
from lockstep.language.notation import Kind

_CHUNK = 4096
"""States of a level that a thread takes at a time."""
_BUFFER = 8192
"""Candidates that a buffer holds, one buffer a thread and shard."""
_RECENT = 1 << 14
"""Candidates that a thread remembers having sent."""
_SMALL = 4096
"""Levels of fewer states are done by one thread: starting the others would take longer."""
_PROGRESS_SECONDS = 0.1


class _Stopped(Exception):
    """A bound was met: the text says which."""


@dataclass
class _Worker:
    """What one thread writes to."""

    findings: Findings
    successors: Array
    fired: NDArray[np.int64]
    marks: NDArray[np.int64]
    recent: Array
    buffers: NDArray[np.uint64]
    filled: NDArray[np.int64]
    report: NDArray[np.int64]


@dataclass
class _New:
    """The states of one shard that are new on a level: the first `count` of the array."""

    states: Array = field(default_factory=lambda: np.empty(0, np.uint64))
    count: int = 0


class ParallelSearch:
    """One search of a compiled model; `run` does it, once."""

    def __init__(
        self,
        program: Program,
        code: MachineCode,
        *,
        threads: int | None = None,
        deadlock_allowed: bool = True,
        max_states: int | None = None,
        max_seconds: float | None = None,
        max_depth: int | None = None,
        memory: int | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Prepare a search by `threads` threads, one a core unless told.

        Each bound ends it as inconclusive: `max_states` distinct states known, `max_seconds`
        passed, every behaviour of `max_depth` steps covered, `memory` bytes needed (unless told,
        nine tenths of what is free now).
        """
        self._program = program
        self._model = program.model
        self._words = program.layout.words
        self._code = code
        self._threads = threads or len(os.sched_getaffinity(0))
        self._deadlock_allowed = deadlock_allowed
        self._max_states = max_states
        self._max_seconds = max_seconds
        self._max_depth = max_depth
        self._memory = memory if memory is not None else available_memory() * 9 // 10
        self._on_progress = on_progress
        self._expand_at = code.address("expand")
        self._check_step_at = code.address("check_step") if program.has_step_invariants else 0
        self._check_state_at = code.address("check_state") if program.has_state_checks else 0
        self._ranks = np.array(site_ranks(program), np.int64)
        self._known = KnownStates(self._words)
        self._levels = Levels(self._words)
        self._new = [_New() for _ in range(kernels.SHARDS)]
        self._workers: list[_Worker] = []
        self._pool: ThreadPoolExecutor | None = None
        self._result = SearchResult(self._model.name, "compiled")
        self._started = 0.0
        self._next_report = 0.0
        self._waiting = 0
        self._covered = 0

    def run(self) -> SearchResult:
        """Explore until everything is seen, something is broken, or a bound is met.

        Ctrl-C and a lack of memory end the search too, and what was found so far is kept.
        """
        self._started = time.perf_counter()
        result = self._result
        try:
            with ThreadPoolExecutor(self._threads) as self._pool:
                self._explore()
        except _Stopped as stopped:
            self._give_up(str(stopped))
        except KeyboardInterrupt:
            result.interrupted = True
            self._give_up("interrupted")
        except MemoryError:
            self._give_up("the memory is full")
        self._count()
        if result.verdict is Verdict.HOLDS:
            conclude(self._model, result)
        result.seconds = time.perf_counter() - self._started
        return result

    def _explore(self) -> None:
        initial = np.array(self._program.layout.encode(self._model.initial), np.uint64)
        self._add_workers(1)
        worker = self._workers[0]
        shard = int(kernels.initial_shard(initial, self._words))
        self._insert(shard, initial, 1, worker)
        self._levels.add(self._taken_new())
        if self._ended_by_findings():
            return
        while self._levels.count(len(self._levels) - 1):
            self._covered = self._result.depth
            if self._covered == self._max_depth:
                raise _Stopped("stopped as bounded")
            self._watch()
            self._level(len(self._levels) - 1)
            if self._ended_by_findings():
                return

    def _level(self, depth: int) -> None:
        """Find the states that are one step further than those of a level."""
        self._waiting = self._levels.count(depth)
        threads = self._threads if self._waiting >= _SMALL else 1
        self._add_workers(threads)
        work = _Work(chunks(self._levels.parts(depth), self._words, _CHUNK))
        try:
            while not work.is_done:
                self._each(threads, self._expand, work)
                self._make_room()
                shards = _Work((shard, 0, 0) for shard in range(kernels.SHARDS))
                self._each(threads, self._collect, shards)
                for worker in self._workers:
                    worker.filled[:] = 0
                self._watch()
        finally:
            found = self._taken_new()
            self._levels.add(found)
            if found:
                self._result.depth += 1

    def _each(self, threads: int, task: Callable[[_Worker, _Work], None], work: _Work) -> None:
        """Let each thread take from the work until there is no more."""
        if threads == 1:
            task(self._workers[0], work)
            return
        assert self._pool is not None
        for done in [self._pool.submit(task, worker, work) for worker in self._workers[:threads]]:
            done.result()

    def _expand(self, worker: _Worker, work: _Work) -> None:
        """Expand stretches of the level until there is no more, or a buffer is full."""
        found = worker.findings
        while (stretch := work.take()) is not None:
            part, begin, end = stretch
            stopped = kernels.expand(
                part,
                begin,
                end,
                self._words,
                self._expand_at,
                self._check_step_at,
                not self._deadlock_allowed,
                self._ranks,
                worker.successors,
                worker.fired,
                worker.marks,
                worker.recent,
                worker.buffers,
                worker.filled,
                worker.report,
                found.broken_step.rank,
                found.broken_step.states,
                found.failed_step.rank,
                found.failed_step.states,
            )
            work.expanded(stopped - begin)
            if stopped < end:
                work.give_back((part, stopped, end))
                return

    def _make_room(self) -> None:
        """See that the tables can take all candidates, or stop while memory is left."""
        for shard in range(kernels.SHARDS):
            more = sum(int(worker.filled[shard]) for worker in self._workers)
            lacking = self._known.lacking(shard, more)
            if lacking and self.bytes + lacking > self._memory:
                raise _Stopped(f"stopped at {self._memory / 2**30:.1f} GiB of memory as bounded")

    def _collect(self, worker: _Worker, shards: _Work) -> None:
        """Insert the candidates of one shard after the other."""
        while (stretch := shards.take()) is not None:
            shard = stretch[0]
            assert isinstance(shard, int)
            for sender in self._workers:
                count = int(sender.filled[shard])
                if count:
                    self._insert(shard, sender.buffers[shard], count, worker)

    def _insert(self, shard: int, candidates: Array, count: int, worker: _Worker) -> None:
        known, new = self._known, self._new[shard]
        known.make_room(shard, count)
        size = (new.count + count) * self._words
        if size > len(new.states):
            larger = np.empty(max(size, 2 * len(new.states)), np.uint64)
            larger[: new.count * self._words] = new.states[: new.count * self._words]
            new.states = larger
        found = worker.findings
        total = kernels.insert(
            candidates,
            count,
            self._words,
            known.tables[shard],
            new.states,
            new.count,
            self._check_state_at,
            self._ranks,
            worker.marks,
            found.broken_state.rank,
            found.broken_state.states,
            found.failed_state.rank,
            found.failed_state.states,
        )
        known.counts[shard] += total - new.count
        new.count = total

    def _taken_new(self) -> list[Array]:
        """The new states of a level, at their exact size."""
        taken = []
        for new in self._new:
            if new.count:
                taken.append(new.states[: new.count * self._words].copy())
                new.states, new.count = np.empty(0, np.uint64), 0
        return taken

    @property
    def bytes(self) -> int:
        """The memory taken by what grows."""
        new = sum(part.states.nbytes for part in self._new)
        buffers = sum(worker.buffers.nbytes for worker in self._workers)
        return self._known.bytes + self._levels.bytes + new + buffers

    def _add_workers(self, threads: int) -> None:
        words, most = self._words, max(1, self._program.most_successors)
        while len(self._workers) < threads:
            self._workers.append(
                _Worker(
                    Findings.none(words),
                    np.zeros(most * words, np.uint64),
                    np.zeros(len(self._model.actions), np.int64),
                    np.zeros(max(1, len(self._model.properties)), np.int64),
                    np.zeros(_RECENT * words, np.uint64),
                    np.zeros((kernels.SHARDS, max(_BUFFER, 2 * most) * words), np.uint64),
                    np.zeros(kernels.SHARDS, np.int64),
                    np.zeros(kernels.REPORT, np.int64),
                )
            )

    def _ended_by_findings(self) -> bool:
        """Whether something is wrong on the level just finished; the result then says what."""
        each = [worker.findings for worker in self._workers]
        broken_step = first([found.broken_step for found in each])
        broken_state = first([found.broken_state for found in each])
        failed_step = first([found.failed_step for found in each])
        failed_state = first([found.failed_state for found in each])
        if not (broken_step or broken_state or failed_step or failed_state):
            return False
        self._count()
        rebuilder = Rebuilder(self._program, self._expand_at, self._levels)
        if broken_step or broken_state:
            rebuilder.violation(self._result, broken_step, broken_state)
        else:
            rebuilder.error(self._result, failed_step, failed_state)
        return True

    def _count(self) -> None:
        """Bring the counts of the result up to date."""
        result = self._result
        result.states = len(self._known)
        fired = sum((worker.fired for worker in self._workers), np.zeros(1, np.int64))
        result.fired = {
            action.name: int(fired[index % len(fired)])
            for index, action in enumerate(self._model.actions)
        }
        totals = sum((worker.report for worker in self._workers), np.zeros(1, np.int64))
        result.transitions = int(totals[kernels.TRANSITIONS])
        result.deadlocks = int(totals[kernels.DEADLOCKS % len(totals)])
        for index, prop in enumerate(self._model.properties):
            if any(worker.marks[index] for worker in self._workers):
                kept = result.reached if prop.kind is Kind.SOMETIMES else result.applied
                kept.add(prop.name)

    def _watch(self) -> None:
        """Report how far the search is, and end it when a bound is met."""
        seconds = time.perf_counter() - self._started
        if self._on_progress is not None and seconds >= self._next_report:
            self._next_report = seconds + _PROGRESS_SECONDS
            transitions = sum(int(w.report[kernels.TRANSITIONS]) for w in self._workers)
            states = len(self._known)
            self._on_progress(
                Progress(states, transitions, self._result.depth, self._waiting, seconds)
            )
        if self._max_states is not None and len(self._known) >= self._max_states:
            raise _Stopped("stopped as bounded")
        if self._max_seconds is not None and seconds >= self._max_seconds:
            raise _Stopped(f"stopped after {seconds:.0f} s as bounded")

    def _give_up(self, why: str) -> None:
        """Not everything was explored: say why, and what was covered all the same."""
        result = self._result
        result.verdict = Verdict.INCONCLUSIVE
        result.because = (
            f"{why}, with {count_of(len(self._known), 'state')} known; "
            f"every behaviour of up to {count_of(self._covered, 'step')} is covered"
        )


class _Work:
    """Stretches of work that threads take in turn."""

    def __init__(self, stretches: Iterator[tuple[Array | int, int, int]]) -> None:
        self._stretches = stretches
        self._returned: list[tuple[Array | int, int, int]] = []
        self._lock = Lock()
        self.is_done = False
        self.count = 0

    def take(self) -> tuple[Array | int, int, int] | None:
        """The next stretch, None when there is no more."""
        with self._lock:
            if self._returned:
                return self._returned.pop()
            found = next(self._stretches, None)
            self.is_done = found is None
            return found

    def give_back(self, stretch: tuple[Array | int, int, int]) -> None:
        """What is left of a stretch, to be taken again."""
        with self._lock:
            self._returned.append(stretch)
            self.is_done = False

    def expanded(self, count: int) -> None:
        """Count what was done."""
        with self._lock:
            self.count += count


def site_ranks(program: Program) -> list[int]:
    """For each site its rank: by function in the model's order, then by line."""
    ranks = {key: rank for rank, key in enumerate(site_order(program))}
    return [ranks[site.function, site.place.line] for site in program.sites] or [0]
