"""Questions to the runs of a search, which are answered where the runs are read.

They are which state leads to another, and which of some states are nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lockstep.machine.search.memory import Array
from lockstep.machine.search.rebuild import LevelAncestry
from lockstep.spark.search.jobs import run_job
from lockstep.spark.search.machine import Machine, Shipment, machine_of
from lockstep.spark.search.merging import distinct, subtract
from lockstep.spark.search.owners import places_by_owner
from lockstep.spark.search.runs import Run, RunFolder, of_level
from lockstep.spark.search.tasks import ROWS, Answer, Batches, read_note, row, task
from lockstep.spark.search.work_folder import Manifest, WorkFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Question = Callable[[Machine, RunFolder, int, Sequence[Run]], list[int]]
"""What is asked of the runs of one owner; the answer is words, or nothing."""

_FEW = 2_000_000
"""States that this process reads in less time than a job takes."""


@dataclass(frozen=True)
class Predecessor:
    """The smallest state of a level with a step to `target`, as words."""

    level: int
    target: tuple[int, ...]

    def __call__(
        self, machine: Machine, folder: RunFolder, _owner: int, runs: Sequence[Run]
    ) -> list[int]:
        words, worker = machine.words, machine.worker()
        target = np.array(self.target, np.uint64)
        found: list[list[int]] = []
        for run in runs:
            for rows in folder.read(run, dated=True) if run.has(self.level) else ():
                states = of_level(rows, words, self.level)
                count = len(states) // words
                at = machine.loops.predecessor(worker.packed, states, count, target)
                if at >= 0:
                    found.append(states[at * words : (at + 1) * words].tolist())
        return min(found, default=[])


@dataclass(frozen=True)
class Missing:
    """Those of some distinct states in order, by owner, that are in no run, as words."""

    states: Mapping[int, Array]

    def __call__(
        self, machine: Machine, folder: RunFolder, owner: int, runs: Sequence[Run]
    ) -> list[int]:
        rest = self.states.get(owner, np.empty(0, np.uint64)).copy()
        for run in runs if len(rest) else ():
            rest = subtract(rest, folder.read(run), machine.words)
        words: list[int] = rest.tolist()
        return words


@dataclass(frozen=True)
class Inquirer:
    """Puts questions to the runs of a manifest; `watch` looks on, and may end it.

    So many of the first levels are `near`, in this process.
    """

    shipment: Shipment
    folder: WorkFolder
    manifest: Manifest
    near: LevelAncestry
    near_levels: int
    session: Callable[[], SparkSession]
    watch: Callable[[tuple[int, int]], None]

    def __len__(self) -> int:
        return len(self.manifest.levels)

    def predecessor(self, depth: int, target: Array) -> Array:
        """The smallest state of a level with a step to `target`."""
        if depth < self.near_levels:
            return self.near.predecessor(depth, target)
        return np.array(min(self._answers(Predecessor(depth, tuple(target.tolist())))), np.uint64)

    def missing(self, states: Array) -> list[list[int]]:
        """Those of some states that are in no run."""
        words, owners = self.shipment.shape.words, self.manifest.owners
        states = distinct([states], words)
        rows, places = states.reshape(-1, words), places_by_owner(states, words, owners)
        return self._answers(Missing({owner: rows[chosen].reshape(-1) for owner, chosen in places}))

    def _answers(self, question: Question) -> list[list[int]]:
        runs = self.manifest.runs
        if self.manifest.states <= _FEW:
            machine, reader = machine_of(self.shipment), self.folder.reader
            answers = [question(machine, reader, owner, runs[owner]) for owner in runs]
            return list(filter(None, answers))
        spark, tasks = self.session(), len(runs)
        ask = task(self.shipment, self.folder.runs, partial(_ask, question, tuple(runs.items())))
        rows = spark.range(0, tasks, 1, tasks).mapInArrow(ask, ROWS)
        notes = [read_note(text, self.folder.reader) for text in run_job(spark, rows, self.watch)]
        return [note.words for note in notes if isinstance(note, Answer) and note.words]


def _ask(
    question: Question,
    runs: Sequence[tuple[int, Sequence[Run]]],
    machine: Machine,
    folder: RunFolder,
    batches: Batches,
) -> Batches:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield row(0, Answer(question(machine, folder, *runs[number])))
