"""The threads of a search: what each writes to, and how they share work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

import numpy as np

from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.interface import AHEAD, REPORT, SHARDS, TRANSITIONS, Array, Packed
from lockstep.machine.search.judge import Findings, site_ranks
from lockstep.results.search_result import SearchResult
from lockstep.system.resident import ResidentBound

BUFFER = 32768
"""Candidates that a buffer usually holds, one buffer a thread and shard."""

Stretch: TypeAlias = tuple[Array, int, int]
"""Some states of an array: from where to where."""


@dataclass(frozen=True)
class ProgramShape:
    """What a worker must know of a program beside its code: plain numbers, for any machine.

    `first_labels` and `work` are those of the program, `ranks` those of the places without meaning.
    """

    words: int
    first_labels: tuple[int, ...]
    properties: int
    ranks: tuple[int, ...]
    has_step_invariants: bool
    has_state_checks: bool
    reduces: bool
    work: int

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return len(self.first_labels) - 1

    @property
    def most_successors(self) -> int:
        """Room for so many successors is always enough."""
        return max(1, self.first_labels[-1])


def shape_of(program: Program) -> ProgramShape:
    """The shape of a program."""
    return ProgramShape(
        program.layout.words,
        program.first_labels,
        max(1, len(program.model.properties)),
        tuple(site_ranks(program)),
        program.has_step_invariants,
        program.has_state_checks,
        program.reduces,
        program.work,
    )


class Worker:
    """What one thread writes to, and what its kernels are given.

    `fired` counts by action, `marks` says by property whether it was applied or reached, `report`
    counts as `interface` says. `filled[shard]` candidates wait in the buffer of a shard.
    """

    def __init__(
        self,
        shape: ProgramShape,
        code: MachineCode,
        *,
        deadlock_allowed: bool = True,
        buffer: int = BUFFER,
    ) -> None:
        """A worker for a program, with nothing done yet.

        Its buffers fill up to `buffer` candidates, and by the successors of one state beyond that.
        """
        self._shape = shape
        words, most = shape.words, shape.most_successors
        self._words = words
        self.capacity = buffer + most
        """How many candidates the buffer for one shard holds."""
        self.findings = Findings.none(words)
        self.fired = np.zeros(shape.actions, np.int64)
        self.marks = np.zeros(shape.properties, np.int64)
        self.report = np.zeros(REPORT, np.int64)
        self.filled = np.zeros(SHARDS, np.int64)
        # The most so far: the system has given no memory yet for what lies beyond.
        self._fullest = np.zeros(SHARDS, np.int64)
        self._buffers: Array = np.zeros(SHARDS * self.capacity * words, np.uint64)
        self.packed = Packed(
            "worker",
            **self._entries(code),
            stop_at_deadlock=int(not deadlock_allowed),
            ranks=np.array(shape.ranks, np.int64),
            successors=np.zeros(most * words, np.uint64),
            most=most,
            labels=np.zeros(most, np.int64),
            owners=np.repeat(np.arange(shape.actions), np.diff(shape.first_labels)),
            fired=self.fired,
            marks=self.marks,
            buffers=self._buffers,
            capacity=self.capacity,
            filled=self.filled,
            report=self.report,
            broken_step=self.findings.broken_step.packed,
            broken_state=self.findings.broken_state.packed,
            failed_step=self.findings.failed_step.packed,
            failed_state=self.findings.failed_state.packed,
            pair=np.zeros(2 * words, np.uint64),
            scratch=np.zeros(AHEAD, np.int64),
        )

    def use(self, code: MachineCode) -> None:
        """Go on with other code of the same program."""
        self.packed.set(**self._entries(code))

    def _entries(self, code: MachineCode) -> dict[str, int]:
        """Where the functions of the code begin; 0 for those that are not called."""
        self._code = code  # or its functions would be gone
        shape = self._shape
        return {
            "expand_at": code.address("expand"),
            "check_step_at": code.address("check_step") if shape.has_step_invariants else 0,
            "check_state_at": code.address("check_state") if shape.has_state_checks else 0,
            "canonical_at": code.address("canonical") if shape.reduces else 0,
        }

    @property
    def bytes(self) -> int:
        """The size of the buffers."""
        return self._buffers.nbytes

    def candidates(self, shard: int) -> Array:
        """The candidates that wait for a shard."""
        begin = shard * self.capacity
        return self._buffers[begin * self._words : (begin + int(self.filled[shard])) * self._words]

    def empty(self) -> None:
        """The candidates in the buffers were taken in."""
        np.maximum(self._fullest, self.filled, out=self._fullest)
        self.filled[:] = 0

    def untouched(self, buffer: int) -> int:
        """Bytes of the buffers, as far as they usually fill, that nothing was written to yet."""
        places = np.maximum(buffer - self._fullest, 0).sum()
        return int(places) * 8 * self._words


class Stretches:
    """The states of a level, which threads take in stretches."""

    def __init__(self, stretches: Iterator[Stretch]) -> None:
        self._stretches = stretches
        self._returned: list[Stretch] = []
        self._lock = Lock()
        self.is_done = False

    def take(self) -> Stretch | None:
        """The next stretch, None when there is no more."""
        with self._lock:
            if self._returned:
                return self._returned.pop()
            stretch = next(self._stretches, None)
            self.is_done = stretch is None
            return stretch

    def give_back(self, stretch: Stretch) -> None:
        """The rest of a stretch, to be taken again."""
        with self._lock:
            self._returned.append(stretch)
            self.is_done = False


class Shards:
    """The numbers of some shards, which threads take one by one."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = list(numbers)

    def take(self) -> int | None:
        """The next number, None when there is no more."""
        try:
            return self._numbers.pop()
        except IndexError:
            return None


@dataclass(frozen=True)
class Totals:
    """What was counted over the finished levels: by action, by property, and over all."""

    fired: list[int]
    marks: list[int]
    report: list[int]


class Crew:
    """The workers of one search, each made when it is first needed."""

    def __init__(self, worker: Callable[[], Worker]) -> None:
        """`worker` makes one."""
        self._worker = worker
        self.workers: list[Worker] = []

    def grow(self, size: int) -> None:
        """Let there be at least so many workers."""
        while len(self.workers) < size:
            self.workers.append(self._worker())

    def do(
        self, pool: ThreadPoolExecutor, size: int, task: Callable[..., None], *on: object
    ) -> None:
        """Let so many workers do a task at the same time, `on` what they share."""
        if size == 1:
            task(self.workers[0], *on)
            return
        for done in [pool.submit(task, worker, *on) for worker in self.workers[:size]]:
            done.result()

    @property
    def candidates(self) -> list[int]:
        """How many candidates wait for each shard."""
        counts: list[int] = np.sum([worker.filled for worker in self.workers], axis=0).tolist()
        return counts

    @property
    def transitions(self) -> int:
        """How many steps were taken."""
        return sum(int(worker.report[TRANSITIONS]) for worker in self.workers)

    @property
    def bytes(self) -> int:
        """The size of all buffers."""
        return sum(worker.bytes for worker in self.workers)

    @property
    def findings(self) -> list[Findings]:
        """What each worker noted."""
        return [worker.findings for worker in self.workers]

    @property
    def totals(self) -> Totals:
        """What all workers counted together."""
        return Totals(
            np.sum([worker.fired for worker in self.workers], axis=0).tolist(),
            np.max([worker.marks for worker in self.workers], axis=0).tolist(),
            np.sum([worker.report for worker in self.workers], axis=0).tolist(),
        )

    def restore(self, totals: Totals) -> None:
        """Go on from what was counted before: the first worker has counted it all."""
        for worker in self.workers:
            for counts in (worker.fired, worker.marks, worker.report):
                counts[:] = 0
        worker = self.workers[0]
        worker.fired[:] = totals.fired
        worker.marks[:] = totals.marks
        worker.report[:] = totals.report


def count(model: Model, totals: Totals, result: SearchResult) -> None:
    """Say in a result how often actions fired, and what was applied and reached."""
    names = [action.name for action in model.actions]
    result.fired = dict(zip(names, totals.fired, strict=True))
    for prop, mark in zip(model.properties, totals.marks, strict=False):
        if mark:
            kept = result.reached if prop.kind is Kind.SOMETIMES else result.applied
            kept.add(prop.name)


_FEWEST = 256
"""Candidates that a buffer holds, however little memory there is."""
_MOST_UNWRITTEN = 64 * 2**20
"""Bytes of new states that wait for the end of their level, where levels are on disk."""


class Allowance:
    """What a search by some threads may take of a bound, for states of so many words.

    `room` is all of it in bytes, `buffer` how many candidates a worker's buffer fills up to, and
    `unwritten` how many bytes of new states are written to disk before their level ends.
    """

    def __init__(self, bound: ResidentBound, threads: int, words: int) -> None:
        self._bound = bound
        self.room = bound.bound - bound.before
        # All buffers together take an eighth at most.
        places = threads * SHARDS * words * 8
        self.buffer = max(_FEWEST, min(BUFFER, self.room // 8 // places))
        self._used = bound.before + self.buffer * places
        self.unwritten = min(_MOST_UNWRITTEN, self.room // 16)

    def allows(self, size: int, workers: Sequence[Worker]) -> bool:
        """Whether so many bytes more are within the bound; they count as taken from then on.

        The system is asked only when all that may have been taken since would be too much. What it
        has not given the workers' buffers yet is kept for them.
        """
        if self._used + size > self._bound.bound:
            untouched = sum(worker.untouched(self.buffer) for worker in workers)
            self._used = self._bound.used + untouched
        fits = self._used + size <= self._bound.bound
        self._used += size if fits else 0
        return fits
