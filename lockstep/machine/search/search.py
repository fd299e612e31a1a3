"""Breadth-first search by levels with a model's machine code, on several threads.

The result does not depend on the number of threads: a level is always finished, and of what is
wrong there the result has the first by the order of `findings`. Nor does it depend on where the
states are: the search on Spark is this one, with another way to find and keep its later levels.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.checkpoint import Checkpoint
from lockstep.machine.search.interface import DEADLOCKS, SHARDS, TRANSITIONS, Array, memory_bound
from lockstep.machine.search.levels import (
    Ancestry,
    LevelAncestry,
    Levels,
    Rebuilder,
    WaysBack,
    chunks,
)
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.sample import Sample, places
from lockstep.machine.search.state_file import Spill, StateFile
from lockstep.machine.search.visited import NewStates, VisitedStates
from lockstep.machine.search.workers import (
    Allowance,
    Crew,
    Shards,
    Stretches,
    Worker,
    count,
    shape_of,
)
from lockstep.plain.exploration import Exploration
from lockstep.plain.supervision import Bound, Stopped, Supervision
from lockstep.results.search_result import Progress, SearchResult, conclude
from lockstep.results.verdict import Verdict

_CHUNK = 4096
"""States of a level that a thread takes at a time, where expanding them is little work."""
_WORK = 2**28
"""Operations that a thread does at a time: less than a second."""
_PAUSE_SECONDS = 0.5
"""After how long threads stop for the bounds to be looked at."""
_SMALL = 4096
"""Levels of fewer states are done by one thread: starting the others would take longer."""


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
        self.code = code
        """The machine code: what suits so many states as are known."""
        self._threads = request.threads or len(os.sched_getaffinity(0))
        self._request = request
        # Before memory is looked at, for it takes some.
        self._loops = loops_for("search", self._words)
        self._memory = memory_bound(request.bounds.memory)
        self._checkpoint = checkpoint
        self._spill = spill
        self._allowance = Allowance(self._memory, self._threads, self._words)
        self._visited = VisitedStates(self._words, self._allowance.room, request.expected)
        self._levels = Levels(self._words, _file(checkpoint, spill, self._words))
        self._new = [NewStates() for _ in range(SHARDS)]
        self._crew = Crew(self._new_worker)
        self._result = SearchResult(self._model.name, "compiled")
        if program.symmetry is not None:
            self._result.remark = str(program.symmetry)
        self._pause_at = 0.0
        self._waiting = 0
        self._complete = 0

    def _new_worker(self) -> Worker:
        allowed, buffer = self._request.deadlock_allowed, self._allowance.buffer
        return Worker(shape_of(self._program), self.code, deadlock_allowed=allowed, buffer=buffer)

    def run(self) -> SearchResult:
        """Explore until everything is seen, something is broken, or a bound is met.

        Ctrl-C and a lack of memory end the search too; the result then says how far it came.
        """
        result = self._result
        # Where states may go to disk, the bound on memory ends nothing.
        memory = self._memory if self._spill is None else None
        self._supervision = Supervision(self._request, result, memory, lambda: self._known)
        self._crew.grow(1)
        try:
            with self._supervision.giving_up():
                with ThreadPoolExecutor(self._threads) as self._pool:
                    self._explore_or_stop()
                if self._checkpoint is not None:
                    self._checkpoint.commit()
                if result.violation is None and result.error is None:
                    self._sample()
        except OSError as error:
            why = f"stopped: no more can be kept on disk: {error.strerror}"
            self._supervision.give_up(why)
        self._count()
        if result.verdict is Verdict.HOLDS:
            conclude(self._model, result)
        result.levels = list(filter(None, self._levels.counts))
        result.seconds = self._supervision.seconds
        return result

    def _explore_or_stop(self) -> None:
        """Explore until the end or a bound."""
        try:
            self._explore()
            self._complete = len(self._levels)
        except Stopped as stopped:
            self._supervision.give_up(str(stopped))

    def _explore(self) -> None:
        if self._resume():
            self._result.depth = len(self._levels) - 1
            if not self._levels.count(self._result.depth):
                self._result.depth -= 1
        else:
            self._begin()
            if self._ended_by_findings():
                return
            self._keep()
        while self._levels.count(len(self._levels) - 1):
            self._complete = len(self._levels) - 1
            self._supervision.cover(self._result.depth)
            self._covered = self._crew.totals
            self._watch()
            self._level(len(self._levels) - 1)
            if self._ended_by_findings():
                return
            self._keep()

    def _begin(self) -> None:
        """Take in the initial state."""
        initial = np.array(self._program.layout.encode(self._model.initial), np.uint64)
        self._take(initial, checked=True)

    def _take(self, state: Array, *, checked: bool) -> bool:
        """Take in one state; whether it is new."""
        shard = self._loops.shard_of_state(state)
        self._grow(shard, 1)
        new = self._new[shard]
        before = new.count
        self._visited.insert(shard, state, new, self._crew.workers[0], checked=checked)
        return new.count != before

    def _resume(self) -> bool:
        """Take in the levels that were kept, if any: their states were checked before."""
        if self._checkpoint is None or self._checkpoint.totals is None:
            return False
        self._crew.grow(self._threads)
        for extent, parts in self._checkpoint.levels():
            for states in parts:
                self._take_known(states)
            self._levels.restore(extent)
        self._take_in(self._threads, checked=False)
        self._taken_new()
        self._crew.restore(self._checkpoint.totals)
        return True

    def _take_known(self, states: Array) -> None:
        """Take in states that were checked before; the last of them wait in buffers."""
        worker = self._crew.workers[0]
        begin, count = 0, len(states) // self._words
        while begin < count:
            begin = self._loops.distribute(worker.packed, states, begin, count)
            if worker.filled.max() >= self._allowance.buffer:
                self._take_in(self._threads, checked=False)
                self._taken_new()
                self._supervision.watch(self._progress)

    def _keep(self) -> None:
        """A level is finished: its states are kept."""
        self._levels.extend(self._taken_new())
        self._levels.finish()
        if self._checkpoint is not None:
            self._checkpoint.add(self._levels.extent(len(self._levels) - 1), self._crew.totals)

    def _level(self, depth: int) -> None:
        """Find the states that are one step further than those of a level."""
        self._waiting = self._levels.count(depth)
        threads = self._threads_for(self._waiting)
        before = len(self._visited)
        at_a_time = max(1, min(_CHUNK, _WORK // self._program.work))
        level = Stretches(chunks(self._levels.parts(depth), self._words, at_a_time))
        try:
            while not level.is_done:
                self._suit_code()
                self._pause_at = time.perf_counter() + _PAUSE_SECONDS
                self._crew.do(self._pool, threads, self._expand, level)
                self._take_in(threads, checked=True)
                if self._levels.is_on_disk and self._new_bytes > self._allowance.unwritten:
                    self._levels.extend(self._taken_new())
                self._watch()
        finally:
            if len(self._visited) > before:
                self._result.depth += 1

    def _suit_code(self) -> None:
        """Go on with better code where there are enough states for it."""
        code = self.code.suited_to(self._known)
        if code is not self.code:
            self.code = code
            for worker in self._crew.workers:
                worker.use(code)

    def _threads_for(self, states: int) -> int:
        """How many threads expand so many states; there are workers for them."""
        threads = self._threads if states >= _SMALL else 1
        self._crew.grow(threads)
        return threads

    def _take_in(self, threads: int, *, checked: bool) -> None:
        """Insert all candidates that are in the buffers."""
        more = self._crew.candidates
        self._plan(more, threads)
        shards = Shards(shard for shard, count in enumerate(more) if count)
        self._crew.do(self._pool, threads, self._collect, shards, checked)
        for worker in self._crew.workers:
            worker.empty()

    def _expand(self, worker: Worker, level: Stretches) -> None:
        """Expand stretches until there is no more, a buffer is full, or it is time to pause."""
        while time.perf_counter() < self._pause_at and (stretch := level.take()) is not None:
            part, begin, end = stretch
            stopped = self._loops.expand(worker.packed, part, begin, end)
            if stopped < end:
                level.give_back((part, stopped, end))
                return

    def _plan(self, more: list[int], threads: int) -> None:
        """See that shards can take so many candidates within the memory, or stop before they do."""
        states = sum(more) * self._words * 8
        if self._allowance.allows(self._visited.growth(more, threads) + states, self._crew.workers):
            return
        if self._spill is None:
            raise self._supervision.out_of_memory()
        self._visited.grow_on_disk(self._spill)

    def _collect(self, worker: Worker, shards: Shards, checked: bool) -> None:
        """Insert the candidates of one shard after the other."""
        while (shard := shards.take()) is not None:
            parts = [sender.candidates(shard) for sender in self._crew.workers]
            self._grow(shard, sum(len(part) for part in parts) // self._words)
            for part in parts:
                if len(part):
                    self._visited.insert(shard, part, self._new[shard], worker, checked=checked)

    def _grow(self, shard: int, more: int) -> None:
        """Let a shard take so many candidates."""
        self._visited.make_room(shard, more)
        self._new[shard].make_room(more, self._words)

    def _taken_new(self) -> list[Array]:
        """The new states of a level, so far."""
        return [block for new in self._new for block in new.take(self._words)]

    def _newest(self) -> list[Array]:
        """The states that were found while the last level was expanded, which are kept no more."""
        return self._taken_new()

    @property
    def _new_bytes(self) -> int:
        return sum(new.bytes for new in self._new)

    @property
    def _known(self) -> int:
        """How many states are known."""
        return len(self._visited)

    @property
    def bytes(self) -> int:
        """The memory taken by what grows."""
        return self._visited.bytes + self._levels.bytes + self._new_bytes + self._crew.bytes

    def _ended_by_findings(self) -> bool:
        """Whether something is wrong on the level just finished; the result then says what."""
        findings = self._crew.findings
        if not any(noted.is_noted for noted in findings):
            return False
        Rebuilder(self._program, self._ancestry()).report(self._result, findings)
        if self._result.violation is not None and self._request.environment is not None:
            ways = WaysBack(self._program, self.code, self._levels, self._request.environment)
            ways.simplify(self._result, self._result.violation, self._newest())
        return True

    def _ancestry(self) -> Ancestry:
        """The finished levels, from which a behaviour is rebuilt."""
        return LevelAncestry(self._program, self.code, self._levels)

    def _count(self) -> None:
        """Say in the result what was counted."""
        result, totals = self._result, self._crew.totals
        result.states = self._known
        if self._supervision.met is Bound.STATES:
            totals, result.states = self._covered, self._supervision.covered_states
            result.depth = self._supervision.covered
        count(self._model, totals, result)
        result.transitions = totals.report[TRANSITIONS]
        result.deadlocks = totals.report[DEADLOCKS]

    def _watch(self) -> None:
        """Report how far the search is, and end it when a bound is met."""
        self._supervision.watch_states()
        self._supervision.watch(self._progress)

    def _progress(self, seconds: float) -> Progress:
        states, depth = self._known, self._result.depth
        return Progress(states, self._crew.transitions, depth, self._waiting, seconds, self.bytes)

    def _sample(self) -> None:
        """Let plain Python say of some states what it says of them, for a moment."""
        sample = Sample(self._program, self.code)
        seconds = self._supervision.seconds
        sample.compare_some(self._chosen(), seconds, self._complete, self._found)
        self._result.sampled = sample.states
        self._result.sampled_steps = sample.steps

    def _chosen(self) -> Iterator[tuple[int, Array]]:
        """The states of the sample, each with its level."""
        for depth, position in places(self._levels.counts):
            yield depth, self._levels.state(depth, position)

    def _found(self, state: Array) -> bool:
        """Whether the search found a state; it is known from then on."""
        return not self._take(state, checked=False)


def _file(checkpoint: Checkpoint | None, spill: Spill | None, words: int) -> StateFile | None:
    """Where the states of levels are; None for memory."""
    if checkpoint is not None:
        return checkpoint.states
    return None if spill is None else spill.states(words)
