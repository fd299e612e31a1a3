"""How far a run is: files, lines, tasks, and the time that is left."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lockstep.words import plural

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ESTIMATE_AFTER = 5.0
"""Seconds until the tasks that are done say something about the time that is left."""


@dataclass
class Course:
    """Counts the tasks of each batch, as Spark tells of those that run.

    `lines` are all that the run has to follow; 0 where nobody knows. A batch has so many `tasks`,
    for what its lines take; writing takes more, which are not counted.
    """

    spark: SparkSession
    on_step: Callable[[str], None]
    tasks: int
    lines: int = 0
    _batch: int | None = None
    _done: int = 0
    _of_batch: int = 0
    _stages: dict[int, int] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def begin(self, batch: int, lines: int) -> None:
        """A batch of so many lines begins."""
        self._done += self._of_batch
        self._batch, self._of_batch = batch, lines
        self._stages.clear()

    def look(self) -> None:
        """Say how far it is now."""
        if self._batch is None:
            return
        tracker = self.spark.sparkContext.statusTracker()
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                self._stages[stage] = info.numCompletedTasks
        tasks = min(sum(self._stages.values()), self.tasks)
        lines = self._done + self._of_batch * tasks / self.tasks
        parts = [f"batch {self._batch}", f"{tasks:,} of {plural(self.tasks, 'task')}"]
        if self.lines:
            parts.append(f"about {int(lines):,} of {plural(self.lines, 'line')}")
            seconds = time.monotonic() - self._began
            if 0 < lines < self.lines and seconds >= _ESTIMATE_AFTER:
                left = seconds * (self.lines - lines) / lines
                parts.append(f"about {left:,.0f} s left")
        self.on_step(", ".join(parts))
