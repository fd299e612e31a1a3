"""What Spark's tasks do for a level: they expand its states, and settle which of the next are new.

A job may find several levels: then a task that settled its owner's part of a level expands that,
too, and sends what it reports along to the same owner's next task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby

import numpy as np

from lockstep.machine.search.interface import SHARDS, Array
from lockstep.machine.search.visited import (
    MOST_WAITING,
    Gathered,
    distinct,
    merged,
    union,
    without,
)
from lockstep.spark.search.jobs import Batches, Jobs, numbers, read_note, row
from lockstep.spark.search.owners import Sampled, due, places_by_owner, sample_of, smallest
from lockstep.spark.search.runs import Run, RunFolder, dated, packed, unpacked
from lockstep.spark.search.work_folder import Account, Machine, OwnerReport

_BUFFER = 16384
"""Candidates that wait for one shard before they are put in order."""


@dataclass(frozen=True)
class LevelPlan:
    """How the level after `depth` is found, and so many `levels` in all, in one job.

    `shares` are the runs of the last level, one for each task that expands them.
    """

    owners: int
    depth: int
    shares: tuple[tuple[Run, ...], ...]
    runs: Mapping[int, tuple[Run, ...]]
    most_mark: int
    levels: int = 1

    def reports(self, jobs: Jobs) -> list[list[OwnerReport]]:
        """What the owners report, level by level up to the last that anything is reported of."""
        settle = [partial(self._settle, self.depth + 1 + level) for level in range(self.levels)]
        notes = jobs.run(len(self.shares), self._expand, settle, self.owners)
        found = [note for note in notes if isinstance(note, OwnerReport)]
        found.sort(key=lambda report: (report.level, report.owner))
        return [list(level) for _, level in groupby(found, lambda report: report.level)]

    def _expand(self, machine: Machine, folder: RunFolder, batches: Batches) -> Batches:
        """Send the candidates that follow from some shares."""
        for number in numbers(batches):
            yield from self._candidates(machine, folder, self.shares[number])

    def _candidates(self, machine: Machine, folder: RunFolder, runs: Iterable[Run]) -> Batches:
        expansion = _Expansion(machine, self.owners)
        for owner, states in expansion.expand(chain.from_iterable(map(folder.read, runs))):
            yield row(owner, states=packed(states, machine.words))
        yield row(0, Account.of(expansion.worker))

    def _settle(self, level: int, machine: Machine, folder: RunFolder, batches: Batches) -> Batches:
        """Find the new states among the candidates of one owner; write, check and report them."""
        received = _Received.of(batches, machine.words, folder)
        for report in received.reports:
            yield row(received.owner, report)
        if not received.is_of_a_level:
            return
        report = self._report(level, machine, folder, received)
        yield row(received.owner, report)
        if report.states and level < self.depth + self.levels:
            new = [run for run in report.written if run.first == level]
            yield from self._candidates(machine, folder, new)

    def _report(
        self, level: int, machine: Machine, folder: RunFolder, received: _Received
    ) -> OwnerReport:
        owner, words, worker = received.owner, machine.words, machine.worker()
        for account in received.accounts:
            account.add_to(worker)
        runs = self.runs.get(owner, ())
        for report in received.reports:
            runs = report.runs_after(runs)
        replaced = due(runs)
        written = _merged(owner, replaced, folder, words)
        known = [run for run in (*runs, *written) if run not in replaced]
        if received.candidates.is_empty:
            known = []  # nothing is taken away from nothing
        sample: list[Sampled] = []

        def checked(states: Array) -> Array:
            machine.loops.check(worker.packed, states, len(states) // words)
            sample[:] = smallest([*sample, *sample_of(states, words, level, self.most_mark)])
            return dated(states, words, level)

        new = without(received.candidates.parts(), map(folder.read, known), words)
        run = folder.write(owner, map(checked, new), level, level)
        if run is not None:
            written.append(run)
        return OwnerReport(
            owner,
            level,
            0 if run is None else run.states,
            tuple(written),
            tuple(run.file for run in replaced),
            Account.of(worker),
            tuple(sample),
        )


def _merged(owner: int, runs: Sequence[Run], folder: RunFolder, words: int) -> list[Run]:
    """Some runs as one; none of none."""
    rows = merged([folder.read(run, dated=True) for run in runs], words + 1)
    levels = [run.first for run in runs] + [run.last for run in runs]
    run = folder.write(owner, rows, min(levels, default=0), max(levels, default=0))
    if run is None:
        return []
    if run.checksum != sum(run.checksum for run in runs) % 2**64:
        raise folder.damaged(run.file, "it is not what it was merged from")
    return [run]


@dataclass
class _Received:
    """What one owner was sent: candidates for a level, and what was reported of earlier ones."""

    candidates: Gathered
    owner: int = 0
    accounts: list[Account] = field(default_factory=list)
    reports: list[OwnerReport] = field(default_factory=list)

    @classmethod
    def of(cls, batches: Batches, words: int, folder: RunFolder) -> _Received:
        """All rows of a task; `Damaged` where one says so."""
        received = cls(Gathered(words))
        for batch in batches:
            for owner, states, text in zip(*batch.columns, strict=True):
                received.owner = owner.as_py()
                if states.is_valid:
                    received.candidates.add(unpacked(states.as_buffer(), words))
                    continue
                note = read_note(text.as_py(), folder)
                if isinstance(note, Account):
                    received.accounts.append(note)
                elif isinstance(note, OwnerReport):
                    received.reports.append(note)
        received.reports.sort(key=lambda report: report.level)
        return received

    @property
    def is_of_a_level(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.accounts) or not self.candidates.is_empty


class _Expansion:
    """Expands states, and has their distinct successors by owner; `worker` counts."""

    def __init__(self, machine: Machine, owners: int) -> None:
        self.worker = machine.worker(_BUFFER)
        self._machine = machine
        self._owners = owners
        self._shards: list[list[Array]] = [[] for _ in range(SHARDS)]
        self._waiting = 0

    def expand(self, parts: Iterable[Array]) -> Iterator[tuple[int, Array]]:
        """All candidates with their owners, of whom each may be named several times."""
        words = self._machine.words
        for part in parts:
            begin, count = 0, len(part) // words
            while begin < count:
                begin = self._machine.loops.expand(self.worker.packed, part, begin, count)
                if begin < count:
                    self._order(words)
                if self._waiting > MOST_WAITING:
                    yield from self._sent(words)
        self._order(words)
        yield from self._sent(words)

    def _order(self, words: int) -> None:
        """Put the candidates of each buffer in order: while they are few, that is cheap."""
        for shard in np.flatnonzero(self.worker.filled).tolist():
            states = distinct([self.worker.candidates(shard)], words)
            self._shards[shard].append(states)
            self._waiting += states.nbytes
        self.worker.empty()

    def _sent(self, words: int) -> Iterator[tuple[int, Array]]:
        per_owner = max(1, SHARDS // self._owners)
        for first in range(0, SHARDS, per_owner):
            states = union(chain(*self._shards[first : first + per_owner]), words)
            if self._owners <= SHARDS and len(states):
                yield first // per_owner, states
            elif len(states):
                rows = states.reshape(-1, words)
                for owner, places in places_by_owner(states, words, self._owners):
                    yield owner, rows[places].reshape(-1)
        self._shards = [[] for _ in range(SHARDS)]
        self._waiting = 0
