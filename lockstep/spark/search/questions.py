"""Questions to the runs of a search, which are answered where the runs are read.

They are which state leads to another, and which of some states are nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from lockstep.machine.search.interface import Array
from lockstep.machine.search.levels import LevelAncestry
from lockstep.machine.search.visited import distinct, subtract
from lockstep.spark.search.jobs import Answer, Batches, Jobs, numbers, row
from lockstep.spark.search.owners import places_by_owner
from lockstep.spark.search.runs import Run, RunFolder, of_level
from lockstep.spark.search.work_folder import Machine, Manifest

Owned: TypeAlias = tuple[int, Sequence[Run]]
"""An owner and its runs."""
Question: TypeAlias = Callable[[Machine, RunFolder, Owned], list[int]]
"""What is asked of the runs of one owner; the answer is words, or nothing."""

_FEW = 2_000_000
"""States that this process reads in less time than a job takes."""


@dataclass(frozen=True)
class Inquirer:
    """Puts questions to the runs of a manifest.

    So many of the first levels are `near`, in this process.
    """

    jobs: Jobs
    manifest: Manifest
    near: LevelAncestry
    near_levels: int

    def __len__(self) -> int:
        return len(self.manifest.levels)

    def predecessor(self, depth: int, target: Array) -> Array:
        """The smallest state of a level with a step to `target`."""
        if depth < self.near_levels:
            return self.near.predecessor(depth, target)
        return np.array(min(self._answers(partial(_predecessor, depth, target))), np.uint64)

    def missing(self, states: Array) -> list[list[int]]:
        """Those of some states that are in no run."""
        words, owners = self.jobs.machine.words, self.manifest.owners
        states = distinct([states], words)
        rows, places = states.reshape(-1, words), places_by_owner(states, words, owners)
        by_owner = {owner: rows[chosen].reshape(-1) for owner, chosen in places}
        return self._answers(partial(_missing, by_owner))

    def _answers(self, question: Question) -> list[list[int]]:
        runs = tuple(self.manifest.runs.items())
        if self.manifest.states > _FEW:
            notes = self.jobs.run(len(runs), partial(_ask, question, runs))
            return [note.words for note in notes if isinstance(note, Answer) and note.words]
        machine, folder = self.jobs.machine, self.jobs.runs
        return list(filter(None, (question(machine, folder, owned) for owned in runs)))


def _ask(
    question: Question,
    runs: Sequence[Owned],
    machine: Machine,
    folder: RunFolder,
    batches: Batches,
) -> Batches:
    for number in numbers(batches):
        yield row(0, Answer(question(machine, folder, runs[number])))


def _predecessor(
    level: int, target: Array, machine: Machine, folder: RunFolder, owned: Owned
) -> list[int]:
    words, worker = machine.words, machine.worker()
    found: list[list[int]] = []
    for run in owned[1]:
        for rows in folder.read(run, dated=True) if run.has(level) else ():
            states = of_level(rows, words, level)
            count = len(states) // words
            at = machine.loops.predecessor(worker.packed, states, count, target)
            if at >= 0:
                found.append(states[at * words : (at + 1) * words].tolist())
    return min(found, default=[])


def _missing(
    states: Mapping[int, Array], machine: Machine, folder: RunFolder, owned: Owned
) -> list[int]:
    owner, runs = owned
    rest = states.get(owner, np.empty(0, np.uint64)).copy()
    for run in runs if len(rest) else ():
        rest = subtract(rest, folder.read(run), machine.words)
    words: list[int] = rest.tolist()
    return words
