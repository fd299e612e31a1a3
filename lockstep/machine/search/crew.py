"""All workers of a search, and what they counted and noted together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.machine.search.interface import SHARDS, TRANSITIONS
from lockstep.machine.search.judge import Findings
from lockstep.machine.search.workers import BUFFER, Worker
from lockstep.results.search_result import SearchResult
from lockstep.system.resident import ResidentBound


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
