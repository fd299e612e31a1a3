"""What Spark's tasks do for a level. They know nothing but what is sent to them and the runs.

A task that fails is done again, and may be done twice: all that counts is what the driver is told
by the tasks whose results Spark takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import pyarrow

from lockstep.machine.search.memory import Array
from lockstep.spark.search.account import Account, together
from lockstep.spark.search.expansion import Expansion, settle
from lockstep.spark.search.machine import Machine, Shipment, machine_of
from lockstep.spark.search.merging import due, merged
from lockstep.spark.search.rows import packed, unpacked
from lockstep.spark.search.runs import Run, RunFolder, damaged_run, dated
from lockstep.spark.search.sampling import Sampled, sample_of
from lockstep.spark.task_start import forget_archives
from lockstep.system.sealed import Damaged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SENT = "owner int, states binary, note string"
"""What goes from the tasks that expand to those that settle: candidates, or a note."""
TOLD = "note string"
"""What goes to the driver."""
_SENT = pyarrow.schema(
    [("owner", pyarrow.int32()), ("states", pyarrow.binary()), ("note", pyarrow.string())]
)
_TOLD = pyarrow.schema([("note", pyarrow.string())])
_PIECE = 1 << 21
"""States of a level in one run, at most: a task takes whole runs."""

Batches: TypeAlias = Iterable[pyarrow.RecordBatch]


@dataclass(frozen=True)
class LevelPlan:
    """The work of one level: `shares` of the last level's runs, one for each task."""

    shipment: Shipment
    folder: str
    owners: int
    depth: int
    shares: tuple[tuple[Run, ...], ...]
    runs: Mapping[int, tuple[Run, ...]]
    sampled_below: int | None

    def on(self, spark: SparkSession) -> DataFrame:
        """The level as a job; its rows are `OwnerReport`s."""
        tasks = len(self.shares)
        candidates = spark.range(0, tasks, 1, tasks).mapInArrow(expanding(self), SENT)
        return candidates.repartitionById(self.owners, "owner").mapInArrow(settling(self), TOLD)


class OwnerReport(msgspec.Struct, frozen=True):
    """What the driver is told of one owner's level.

    `merged` runs are replaced by `runs`, which has those of the new states, too.
    """

    owner: int
    states: int
    runs: tuple[Run, ...]
    merged: tuple[str, ...]
    account: Account
    sample: tuple[Sampled, ...]

    def runs_after(self, before: Mapping[int, tuple[Run, ...]]) -> tuple[Run, ...]:
        """The owner's runs once its level is committed."""
        kept = (run for run in before.get(self.owner, ()) if run.file not in self.merged)
        return (*kept, *self.runs)


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a task says beside states; one of these.

    `damage` names a file and what is wrong with it: then the job does not count.
    """

    account: Account | None = None
    report: OwnerReport | None = None
    answer: list[int] | None = None
    damage: tuple[str, str] | None = None

    @classmethod
    def of_damage(cls, damage: Damaged) -> Note:
        """That a file is damaged."""
        return cls(damage=(str(damage.file), damage.why))

    @property
    def row(self) -> pyarrow.RecordBatch:
        """The note as a row for the driver."""
        return _row(_TOLD, self.text)

    @property
    def text(self) -> str:
        """The note as JSON."""
        return msgspec.json.encode(self).decode()


def read_notes(texts: Iterable[str]) -> list[Note]:
    """The notes of tasks; `Damaged` where one says so."""
    notes = [msgspec.json.decode(text, type=Note) for text in texts]
    for note in notes:
        if note.damage is not None:
            raise damaged_run(Path(note.damage[0]), note.damage[1])
    return notes


def expanding(plan: LevelPlan) -> Callable[[Batches], Batches]:
    """The task that expands a share of the last level."""

    def task(batches: Batches) -> Batches:
        forget_archives()
        machine = machine_of(plan.shipment)
        for number in numbers(batches):
            yield from _expanded(plan, machine, plan.shares[number])

    return task


def _expanded(plan: LevelPlan, machine: Machine, share: Iterable[Run]) -> Batches:
    folder = RunFolder(Path(plan.folder), machine)
    expansion = Expansion(machine, plan.owners)
    parts = chain.from_iterable(folder.states(run) for run in share)
    try:
        for owner, states in expansion.expand(parts):
            yield _row(_SENT, owner, packed(states, machine.words), None)
    except Damaged as damage:
        yield _row(_SENT, 0, None, Note.of_damage(damage).text)
    else:
        yield _row(_SENT, 0, None, Note(account=expansion.account).text)


def settling(plan: LevelPlan) -> Callable[[Batches], Batches]:
    """The task that settles what was sent to one owner."""

    def task(batches: Batches) -> Batches:
        forget_archives()
        machine = machine_of(plan.shipment)
        candidates: dict[int, list[Array]] = {}
        notes: list[str] = []
        for batch in batches:
            for owner, states, note in zip(*batch.columns, strict=True):
                of_owner = candidates.setdefault(owner.as_py(), [])
                if note.is_valid:
                    notes.append(note.as_py())
                else:
                    of_owner.append(unpacked(states.as_buffer(), machine.words))
        for owner, parts in candidates.items():
            try:
                accounts = [note.account for note in read_notes(notes) if note.account is not None]
                yield Note(report=_settled(plan, machine, owner, parts, accounts)).row
            except Damaged as damage:
                yield Note.of_damage(damage).row
            notes = []

    return task


def _settled(
    plan: LevelPlan,
    machine: Machine,
    owner: int,
    candidates: list[Array],
    accounts: list[Account],
) -> OwnerReport:
    folder, words = RunFolder(Path(plan.folder), machine), machine.words
    runs = plan.runs.get(owner, ())
    replaced = due(runs)
    written: list[Run] = []
    if replaced:
        rows = merged([folder.dated(run) for run in replaced], words + 1, machine.dated)
        first, last = min(r.first for r in replaced), max(r.last for r in replaced)
        written.append(folder.write(owner, rows, first, last))
        if written[0].checksum != sum(run.checksum for run in replaced) % 2**64:
            raise damaged_run(folder.path(written[0]), "it is not what it was merged from")
    kept = [run for run in runs if run not in replaced] + written
    settled = settle(machine, candidates, (folder.states(run) for run in kept))
    states, level = settled.states, plan.depth + 1
    for begin in range(0, len(states), _PIECE * words):
        piece = dated(states[begin : begin + _PIECE * words], words, level)
        written.append(folder.write(owner, [piece], level, level))
    return OwnerReport(
        owner,
        len(states) // words,
        tuple(written),
        tuple(run.file for run in replaced),
        together([settled.account, *accounts]),
        tuple(sample_of(states, words, level, plan.sampled_below)),
    )


def numbers(batches: Batches) -> Iterator[int]:
    """The numbers of the tasks that are to be done here."""
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _row(schema: pyarrow.Schema, *values: object) -> pyarrow.RecordBatch:
    columns = [
        pyarrow.array([value], field.type) for value, field in zip(values, schema, strict=True)
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)
