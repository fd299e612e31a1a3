"""What Spark's tasks do for a level. They know nothing but what is sent to them and the runs.

A task that fails is done again, and may be done twice: all that counts is what the driver is sent
by the tasks whose results Spark takes.

A job may find several levels: then a task that settled its owner's part of a level expands that,
too, and sends what it reports along to the same owner's next task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import pyarrow

from lockstep.machine.search.memory import Array
from lockstep.spark.search.expansion import Expansion
from lockstep.spark.search.machine import Account, Machine, Shipment, machine_of
from lockstep.spark.search.merging import Gathered, due, merged, without
from lockstep.spark.search.owners import Sampled, sample_of, smallest
from lockstep.spark.search.runs import Run, RunFolder, dated, packed, unpacked
from lockstep.spark.search.work_folder import OwnerReport
from lockstep.spark.task_start import forget_archives
from lockstep.system.sealed import Damaged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = "owner int, states binary, note string"
"""What tasks send to owners and to the driver: candidates for an owner, or a note."""
_ROWS = pyarrow.schema(
    [("owner", pyarrow.int32()), ("states", pyarrow.binary()), ("note", pyarrow.string())]
)

Batches: TypeAlias = Iterable[pyarrow.RecordBatch]
Work: TypeAlias = Callable[[Machine, RunFolder, Batches], Batches]
"""What a task does with its rows."""


class Answer(msgspec.Struct, frozen=True, tag=True):
    """What the runs of one owner answer to a question, as words."""

    words: list[int]


class Damage(msgspec.Struct, frozen=True, tag=True):
    """That a file is damaged, and how: the job does not count."""

    file: str
    why: str


Note: TypeAlias = Account | OwnerReport | Answer | Damage
"""What a task sends beside states."""


@dataclass(frozen=True)
class LevelPlan:
    """How the level after `depth` is found, and so many `levels` in all, in one job.

    `shares` are the runs of the last level, one for each task that expands them.
    """

    shipment: Shipment
    folder: Path
    owners: int
    depth: int
    shares: tuple[tuple[Run, ...], ...]
    runs: Mapping[int, tuple[Run, ...]]
    most_mark: int
    levels: int = 1

    def on(self, spark: SparkSession) -> DataFrame:
        """The levels as a job; the notes in its rows are `OwnerReport`s."""
        tasks = len(self.shares)
        expand = task(self.shipment, self.folder, self._expand)
        rows = spark.range(0, tasks, 1, tasks).mapInArrow(expand, ROWS)
        for level in range(self.depth + 1, self.depth + 1 + self.levels):
            settle = task(self.shipment, self.folder, partial(self._settle, level))
            rows = rows.repartitionById(self.owners, "owner").mapInArrow(settle, ROWS)
        return rows

    def _expand(self, machine: Machine, folder: RunFolder, batches: Batches) -> Batches:
        """Send the candidates that follow from some shares."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self._candidates(machine, folder, self.shares[number])

    def _candidates(self, machine: Machine, folder: RunFolder, runs: Iterable[Run]) -> Batches:
        expansion = Expansion(machine, self.owners)
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


def task(shipment: Shipment, folder: Path, work: Work) -> Callable[[Batches], Batches]:
    """Some work as a task on whichever machine; a damaged file is a note."""

    def run(batches: Batches) -> Batches:
        forget_archives()
        machine = machine_of(shipment)
        try:
            yield from work(machine, RunFolder(folder, machine.words), batches)
        except Damaged as damage:
            yield row(0, Damage(damage.file.name, damage.why))

    return run


def read_note(text: str, folder: RunFolder) -> Note:
    """The note of a task; `Damaged` where it says so."""
    note: Note = msgspec.json.decode(text, type=Note)
    if isinstance(note, Damage):
        raise folder.damaged(note.file, note.why)
    return note


def row(owner: int, note: Note | None = None, states: bytes | None = None) -> pyarrow.RecordBatch:
    """A row for an owner, or for the driver."""
    text = None if note is None else msgspec.json.encode(note).decode()
    columns = [
        pyarrow.array([value], field.type)
        for value, field in zip((owner, states, text), _ROWS, strict=True)
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=_ROWS)
