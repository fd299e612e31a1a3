"""Puts questions to the committed runs, by a job or, where they are few, by this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lockstep.machine.search.memory import Array
from lockstep.spark.search.jobs import run_job
from lockstep.spark.search.machine import Shipment, machine_of
from lockstep.spark.search.merging import distinct
from lockstep.spark.search.questions import Inquiry, Missing, Predecessor, Question, answers
from lockstep.spark.search.work_folder import WorkFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
            return list(answers(run_job(spark, inquiry.on(spark), self.watch)))
        machine, reader = machine_of(self.shipment), self.folder.reader
        asked = (question(reader, machine, owner, runs) for owner, runs in manifest.runs.items())
        return [answer for answer in asked if answer is not None]
