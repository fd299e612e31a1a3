"""Breadth-first search by levels with a model's machine code, on several threads.

What is found does not depend on the number of threads: a level is always finished, and of what is
wrong there the first by the order of `findings` is told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lockstep.language.notation import Kind
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.allowance import Allowance
from lockstep.machine.search.checkpoint import Checkpoint, Totals
from lockstep.machine.search.findings import first
from lockstep.machine.search.interface import DEADLOCKS, SHARDS, TRANSITIONS
from lockstep.machine.search.judge import site_ranks
from lockstep.machine.search.known import KnownStates
from lockstep.machine.search.levels import Levels, chunks
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.memory import Array, memory_bound
from lockstep.machine.search.rebuild import Rebuilder
from lockstep.machine.search.sample import Sample, places
from lockstep.machine.search.spill import Spill
from lockstep.machine.search.state_file import StateFile
from lockstep.machine.search.workers import NewStates, Shards, Stretches, Worker
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import Progress, SearchResult, conclude
from lockstep.results.verdict import Verdict
from lockstep.words import plural

_CHUNK = 4096
"""States of a level that a thread takes at a time, where expanding them is little work."""
_WORK = 2**28
"""Operations that a thread does at a time: less than a second."""
_PAUSE_SECONDS = 0.5
"""After how long threads stop for the bounds to be looked at."""
_SMALL = 4096
"""Levels of fewer states are done by one thread: starting the others would take longer."""
_PROGRESS_SECONDS = 0.1
_SAMPLE_SECONDS = 0.2
_SAMPLE_SHARE = 0.01
"""How long plain Python looks at a sample: so many seconds, and such a share of the search."""


class _Stopped(Exception):
    """A bound was met: the text says which."""


class ParallelSearch:
    """One search of a compiled model; `run` does it, once."""

    def __init__(
        self,
        program: Program,
        code: MachineCode,
        request: Exploration = Exploration(),
        *,
        checkpoint: Checkpoint | None = None,
        spill: Spill | None = None,
    ) -> None:
        """Prepare a search.

        With a `checkpoint` the states of levels are there instead of in memory, and a search that
        is there already goes on. With `spill` they are there, and the bound on memory ends nothing:
        what does not fit goes there too. Both stand for the folders that the request names.

        `LockstepError` when the process has more memory already than the request allows.
        """
        self._program = program
        self._model = program.model
        self._words = program.layout.words
        self._code = code
        self._most = max(1, program.most_successors)
        self._threads = request.threads or len(os.sched_getaffinity(0))
        self._deadlock_allowed = request.deadlock_allowed
        self._bounds = request.bounds
        self._loops = loops_for(self._words)  # before memory is looked at, for it takes some
        self._memory = memory_bound(request.bounds.memory)
        self._checkpoint = checkpoint
        self._spill = spill
        self._on_progress = request.on_progress
        self._expand_at = code.address("expand")
        self._check_step_at = code.address("check_step") if program.has_step_invariants else 0
        self._check_state_at = code.address("check_state") if program.has_state_checks else 0
        self._canonical_at = code.address("canonical") if program.reduces else 0
        self._ranks = np.array(site_ranks(program), np.int64)
        self._allowance = Allowance(self._memory, self._threads, self._words)
        self._known = KnownStates(self._words, self._allowance.room, request.expected)
        self._levels = Levels(self._words, _file(checkpoint, spill, self._words))
        self._new = [NewStates() for _ in range(SHARDS)]
        self._workers: list[Worker] = []
        self._pool: ThreadPoolExecutor | None = None
        self._result = SearchResult(self._model.name, "compiled")
        if program.symmetry is not None:
            self._result.remark = str(program.symmetry)
        self._started = 0.0
        self._next_report = 0.0
        self._pause_at = 0.0
        self._waiting = 0
        self._covered = 0
        self._complete = 0

    def run(self) -> SearchResult:
        """Explore until everything is seen, something is broken, or a bound is met.

        Ctrl-C and a lack of memory end the search too, and what was found so far is kept.
        """
        self._started = time.perf_counter()
        result = self._result
        self._add_workers(1)
        try:
            with ThreadPoolExecutor(self._threads) as self._pool:
                self._explore_or_stop()
            if self._checkpoint is not None:
                self._checkpoint.commit()
            if result.violation is None and result.error is None:
                self._sample()
        except KeyboardInterrupt:
            result.interrupted = True
            self._give_up("interrupted")
        except MemoryError:
            self._give_up("the memory is full")
        except OSError as error:
            self._give_up(f"stopped: no more can be kept on disk: {error.strerror}")
        self._count()
        if result.verdict is Verdict.HOLDS:
            conclude(self._model, result)
        result.seconds = time.perf_counter() - self._started
        return result

    def _explore_or_stop(self) -> None:
        """Explore until the end or a bound."""
        try:
            self._explore()
            self._complete = len(self._levels)
        except _Stopped as stopped:
            self._give_up(str(stopped))

    def _explore(self) -> None:
        if self._checkpoint is not None and self._checkpoint.totals is not None:
            self._resume(self._checkpoint, self._checkpoint.totals)
        else:
            self._begin()
            if self._ended_by_findings():
                return
            self._keep()
        while self._levels.count(len(self._levels) - 1):
            self._covered = self._result.depth
            self._complete = len(self._levels) - 1
            if self._covered == self._bounds.max_depth:
                raise _Stopped("stopped as bounded")
            self._watch()
            self._level(len(self._levels) - 1)
            if self._ended_by_findings():
                return
            self._keep()

    def _begin(self) -> None:
        """Take in the initial state."""
        initial = np.array(self._program.layout.encode(self._model.initial), np.uint64)
        shard = self._loops.initial_shard(initial)
        self._grow(shard, 1)
        self._insert(shard, initial, 1, self._workers[0], self._check_state_at)

    def _resume(self, checkpoint: Checkpoint, totals: Totals) -> None:
        """Take in the levels of a checkpoint: their states were checked before."""
        self._add_workers(self._threads)
        worker = self._workers[0]
        for extent, parts in checkpoint.levels():
            for states in parts:
                begin, count = 0, len(states) // self._words
                while begin < count:
                    begin = self._loops.distribute(
                        states, begin, count, worker.buffers, worker.capacity, worker.filled
                    )
                    if worker.filled.max() >= self._allowance.buffer:
                        self._take_in(self._threads, 0)
                        self._taken_new()
                        self._watch()
            self._levels.restore(extent)
        self._take_in(self._threads, 0)
        self._taken_new()
        worker.fired[:] = totals.fired
        worker.marks[:] = totals.marks
        worker.report[:] = totals.report
        self._result.depth = len(self._levels) - 1
        if not self._levels.count(self._result.depth):
            self._result.depth -= 1

    def _keep(self) -> None:
        """A level is finished: its states are kept."""
        self._levels.extend(self._taken_new())
        self._levels.finish()
        if self._checkpoint is not None:
            self._checkpoint.add(self._levels.extent(len(self._levels) - 1), self._totals)

    def _level(self, depth: int) -> None:
        """Find the states that are one step further than those of a level."""
        self._waiting = self._levels.count(depth)
        threads = self._threads if self._waiting >= _SMALL else 1
        self._add_workers(threads)
        before = len(self._known)
        at_a_time = max(1, min(_CHUNK, _WORK // self._program.work))
        level = Stretches(chunks(self._levels.parts(depth), self._words, at_a_time))
        try:
            while not level.is_done:
                self._pause_at = time.perf_counter() + _PAUSE_SECONDS
                self._each(threads, self._expand, level)
                self._take_in(threads, self._check_state_at)
                if self._levels.is_on_disk and self._new_bytes > self._allowance.unwritten:
                    self._levels.extend(self._taken_new())
                self._watch()
        finally:
            if len(self._known) > before:
                self._result.depth += 1

    def _take_in(self, threads: int, check_state_at: int) -> None:
        """Insert all candidates that are in the buffers."""
        more = np.sum([worker.filled for worker in self._workers], axis=0)
        shards = np.flatnonzero(more).tolist()
        self._plan(more.tolist(), threads)
        self._each(threads, self._collect, Shards(shards), check_state_at)
        for worker in self._workers:
            worker.empty()

    def _each(self, threads: int, task: Callable[..., None], *shared: object) -> None:
        """Let threads do a task, each as a worker of its own, on what they share."""
        if threads == 1:
            task(self._workers[0], *shared)
            return
        assert self._pool is not None
        workers = self._workers[:threads]
        for done in [self._pool.submit(task, worker, *shared) for worker in workers]:
            done.result()

    def _expand(self, worker: Worker, level: Stretches) -> None:
        """Expand stretches until there is no more, a buffer is full, or it is time to pause."""
        found = worker.findings
        while time.perf_counter() < self._pause_at and (stretch := level.take()) is not None:
            part, begin, end = stretch
            stopped = self._loops.expand(
                part,
                begin,
                end,
                self._expand_at,
                self._check_step_at,
                self._canonical_at,
                not self._deadlock_allowed,
                self._ranks,
                worker.successors,
                self._most,
                worker.fired,
                worker.marks,
                worker.buffers,
                worker.capacity,
                worker.filled,
                worker.report,
                found.broken_step.rank,
                found.broken_step.states,
                found.failed_step.rank,
                found.failed_step.states,
                worker.pair,
                worker.scratch,
            )
            if stopped < end:
                level.give_back((part, stopped, end))
                return

    def _plan(self, more: list[int], threads: int) -> None:
        """See that shards can take so many candidates within the memory, or stop before they do."""
        states = sum(more) * self._words * 8
        if self._allowance.allows(self._known.growth(more, threads) + states, self._workers):
            return
        if self._spill is None:
            raise _Stopped(f"stopped at {self._memory} as bounded")
        self._known.grow_on_disk(self._spill)

    def _collect(self, worker: Worker, shards: Shards, check_state_at: int) -> None:
        """Insert the candidates of one shard after the other."""
        while (shard := shards.take()) is not None:
            self._grow(shard, sum(int(sender.filled[shard]) for sender in self._workers))
            for sender in self._workers:
                count = int(sender.filled[shard])
                if count:
                    self._insert(shard, sender.sent_to(shard), count, worker, check_state_at)

    def _grow(self, shard: int, more: int) -> None:
        """Let a shard take so many candidates."""
        self._known.make_room(shard, more)
        self._new[shard].make_room(more, self._words)

    def _insert(
        self, shard: int, candidates: Array, count: int, worker: Worker, check_state_at: int
    ) -> None:
        known, new, found = self._known, self._new[shard], worker.findings
        total = self._loops.insert(
            candidates,
            count,
            known.tables[shard],
            len(known.tables[shard]) // self._words,
            new.states,
            new.count,
            check_state_at,
            self._ranks,
            worker.marks,
            found.broken_state.rank,
            found.broken_state.states,
            found.failed_state.rank,
            found.failed_state.states,
            worker.scratch,
        )
        known.counts[shard] += total - new.count
        new.count = total

    def _taken_new(self) -> list[Array]:
        """The new states of a level, so far."""
        return [block for new in self._new for block in new.take(self._words)]

    @property
    def _new_bytes(self) -> int:
        return sum(new.bytes for new in self._new)

    @property
    def bytes(self) -> int:
        """The memory taken by what grows."""
        buffers = sum(worker.buffers.nbytes for worker in self._workers)
        return self._known.bytes + self._levels.bytes + self._new_bytes + buffers

    def _add_workers(self, threads: int) -> None:
        while len(self._workers) < threads:
            self._workers.append(Worker.of(self._program, self._allowance.buffer))

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
        rebuilder = Rebuilder(self._program, self._code, self._levels)
        if broken_step or broken_state:
            rebuilder.violation(self._result, broken_step, broken_state)
        else:
            rebuilder.error(self._result, failed_step, failed_state)
        return True

    @property
    def _totals(self) -> Totals:
        """What all workers counted together."""
        return Totals(
            np.sum([worker.fired for worker in self._workers], axis=0).tolist(),
            np.max([worker.marks for worker in self._workers], axis=0).tolist(),
            np.sum([worker.report for worker in self._workers], axis=0).tolist(),
        )

    def _count(self) -> None:
        """Bring the counts of the result up to date."""
        result, totals = self._result, self._totals
        result.states = len(self._known)
        names = [action.name for action in self._model.actions]
        result.fired = dict(zip(names, totals.fired, strict=True))
        result.transitions = totals.report[TRANSITIONS]
        result.deadlocks = totals.report[DEADLOCKS]
        for prop, mark in zip(self._model.properties, totals.marks, strict=False):
            if mark:
                kept = result.reached if prop.kind is Kind.SOMETIMES else result.applied
                kept.add(prop.name)

    def _watch(self) -> None:
        """Report how far the search is, and end it when a bound is met."""
        seconds = time.perf_counter() - self._started
        if seconds >= self._next_report:
            self._next_report = seconds + _PROGRESS_SECONDS
            if self._on_progress is not None:
                self._on_progress(self._progress(seconds))
            if self._spill is None and self._memory.is_met:
                raise _Stopped(f"stopped at {self._memory} as bounded")
        bounds = self._bounds
        if bounds.max_states is not None and len(self._known) >= bounds.max_states:
            raise _Stopped("stopped as bounded")
        if bounds.max_seconds is not None and seconds >= bounds.max_seconds:
            raise _Stopped(f"stopped after {seconds:.0f} s as bounded")

    def _progress(self, seconds: float) -> Progress:
        transitions = sum(int(worker.report[TRANSITIONS]) for worker in self._workers)
        states, depth = len(self._known), self._result.depth
        return Progress(states, transitions, depth, self._waiting, seconds, self.bytes)

    def _sample(self) -> None:
        """Let plain Python say of some states what it says of them, for a moment."""
        sample = Sample(self._program, self._code)
        share = (time.perf_counter() - self._started) * _SAMPLE_SHARE
        enough = time.thread_time() + _SAMPLE_SECONDS + share
        for depth, position in places(self._levels.counts):
            state = self._levels.state(depth, position)
            successors = sample.compare(state)
            if depth < self._complete:
                self._expect_known(state, successors)
            if time.thread_time() >= enough:
                break
        self._result.sampled = sample.states
        self._result.sampled_steps = sample.steps

    def _expect_known(self, state: Array, successors: Array) -> None:
        """See that the search found all these successors of a state."""
        worker = self._workers[0]
        for begin in range(0, len(successors), self._words):
            successor = successors[begin : begin + self._words]
            shard = self._loops.initial_shard(successor)
            new = self._new[shard]
            new.make_room(1, self._words)
            before = new.count
            self._insert(shard, successor, 1, worker, 0)
            if new.count != before:
                raise Disagreement(f"the search missed {successor}, a successor of {state}")

    def _give_up(self, why: str) -> None:
        """Not everything was explored: say why, and what was covered all the same."""
        result = self._result
        result.verdict = Verdict.INCONCLUSIVE
        result.because = (
            f"{why}, with {plural(len(self._known), 'state')} known; "
            f"every behaviour of up to {plural(self._covered, 'step')} is covered"
        )


def _file(checkpoint: Checkpoint | None, spill: Spill | None, words: int) -> StateFile | None:
    """Where the states of levels are; None for memory."""
    if checkpoint is not None:
        return checkpoint.states
    return None if spill is None else spill.states(words)
