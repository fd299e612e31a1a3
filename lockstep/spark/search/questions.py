"""Questions to the committed runs, which are answered where the runs are read.

They are which state leads to another, and which of some states are nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lockstep.machine.search.memory import Array
from lockstep.spark.search.jobs import run_job
from lockstep.spark.search.machine import Machine, Shipment, machine_of
from lockstep.spark.search.merging import distinct, subtract
from lockstep.spark.search.owners import places_by_owner
from lockstep.spark.search.runs import Run, RunFolder, of_level
from lockstep.spark.search.tasks import TOLD, Batches, Note, numbers, read_notes
from lockstep.spark.search.work_folder import WorkFolder
from lockstep.spark.task_start import forget_archives
from lockstep.system.sealed import Damaged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


Question = Callable[[RunFolder, Machine, int, Sequence[Run]], list[int] | None]
"""What is asked of the runs of one owner; the answer is words, None for nothing."""


@dataclass(frozen=True)
class Predecessor:
    """The smallest state of a level with a step to `target`, as words; None where there is none."""

    level: int
    target: tuple[int, ...]

    def __call__(
        self, folder: RunFolder, machine: Machine, owner: int, runs: Sequence[Run]
    ) -> list[int] | None:
        words, worker = machine.words, machine.worker(0)
        target = np.array(self.target, np.uint64)
        smallest: list[int] | None = None
        for run in runs:
            if not run.first <= self.level <= run.last:
                continue
            for rows in folder.dated(run):
                states = of_level(rows, words, self.level)
                count = len(states) // words
                at = machine.loops.predecessor(worker.packed, states, count, target)
                if at >= 0:
                    state = states[at * words : (at + 1) * words].tolist()
                    smallest = state if smallest is None else min(smallest, state)
        return smallest


@dataclass(frozen=True)
class Missing:
    """Those of some states that are in no run, as words."""

    states: Mapping[int, Array]

    @classmethod
    def among(cls, states: Array, words: int, owners: int) -> Missing:
        """The question for some distinct states in order."""
        rows = states.reshape(-1, words)
        places = places_by_owner(states, words, owners)
        return cls({owner: rows[chosen].reshape(-1) for owner, chosen in places.items()})

    def __call__(
        self, folder: RunFolder, machine: Machine, owner: int, runs: Sequence[Run]
    ) -> list[int] | None:
        rest = self.states.get(owner, np.empty(0, np.uint64)).copy()
        for run in runs if len(rest) else ():
            rest = subtract(rest, folder.states(run), machine.words, machine.runs)
        return rest.tolist() or None


@dataclass(frozen=True)
class Inquiry:
    """A question to the runs of all owners, one task an owner."""

    shipment: Shipment
    folder: str
    runs: Mapping[int, tuple[Run, ...]]
    question: Question

    def on(self, spark: SparkSession) -> DataFrame:
        """The question as a job; its rows are `Note`s."""
        tasks = max(1, len(self.runs))
        return spark.range(0, tasks, 1, tasks).mapInArrow(_asking(self), TOLD)


def _asking(inquiry: Inquiry) -> Callable[[Batches], Batches]:
    def task(batches: Batches) -> Batches:
        forget_archives()
        machine = machine_of(inquiry.shipment)
        folder = RunFolder(Path(inquiry.folder), machine)
        everyones = list(inquiry.runs.items())
        for number in numbers(batches):
            if number >= len(everyones):
                continue
            owner, runs = everyones[number]
            try:
                answer = inquiry.question(folder, machine, owner, runs)
            except Damaged as damage:
                yield Note.of_damage(damage).row
            else:
                yield Note(answer=answer).row

    return task


_FEW = 2_000_000
"""States that this process reads in less time than a job takes."""


@dataclass(frozen=True)
class Inquirer:
    """Puts questions to the runs of a folder; `watch` looks on, and may end it."""

    shipment: Shipment
    folder: WorkFolder
    session: Callable[[], SparkSession]
    watch: Callable[[tuple[int, int]], None]

    @property
    def depth(self) -> int:
        """The last level that was committed; -1 where none was."""
        return -1 if self.folder.manifest is None else self.folder.manifest.depth

    def predecessor(self, depth: int, target: Array) -> Array:
        """The smallest state of a level with a step to `target`."""
        found = self._answers(Predecessor(depth, tuple(target.tolist())))
        return np.array(min(found), np.uint64)

    def missing(self, states: Array) -> list[list[int]]:
        """Those of some states that are in no run."""
        machine, manifest = machine_of(self.shipment), self.folder.manifest
        if manifest is None or not len(states):
            return []
        rows = distinct([states], machine.words, machine.runs)
        return self._answers(Missing.among(rows, machine.words, manifest.owners))

    def _answers(self, question: Question) -> list[list[int]]:
        manifest = self.folder.manifest
        assert manifest is not None
        if manifest.states > _FEW:
            spark = self.session()
            inquiry = Inquiry(self.shipment, str(self.folder.runs), manifest.runs, question)
            notes = read_notes(run_job(spark, inquiry.on(spark), self.watch))
            return [note.answer for note in notes if note.answer is not None]
        machine, reader = machine_of(self.shipment), self.folder.reader
        asked = (question(reader, machine, owner, runs) for owner, runs in manifest.runs.items())
        return [answer for answer in asked if answer is not None]
