"""Spark's part in a search, taken by this process: ranges, tasks, and the way to an owner.

The tasks are the real ones, and what goes from one to the next is what Spark would carry. So all
that a search does between its jobs and in them is tested in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pyarrow
from pyspark.sql import SparkSession

Batches = Iterable[pyarrow.RecordBatch]
Partitions = Callable[[], Iterator[Batches]]


@dataclass(frozen=True)
class Rows:
    """Rows in partitions, which are made when they are collected."""

    partitions: Partitions

    def mapInArrow(self, task: Callable[[Batches], Batches], _schema: str) -> Rows:  # noqa: N802
        """What a task makes of each partition."""
        return Rows(lambda: (task(part) for part in self.partitions()))

    def repartitionById(self, number: int, column: str) -> Rows:  # noqa: N802
        """The rows, each in the partition that its column names."""

        def partitions() -> Iterator[Batches]:
            rows: list[list[pyarrow.RecordBatch]] = [[] for _ in range(number)]
            for part in self.partitions():
                for batch in part:
                    for place, owner in enumerate(batch.column(column).to_pylist()):
                        rows[owner].append(batch.slice(place, 1))
            yield from rows

        return Rows(partitions)

    def collect(self) -> list[Any]:
        """All rows."""
        return [
            SimpleNamespace(**row)
            for part in self.partitions()
            for batch in part
            for row in batch.to_pylist()
        ]


@dataclass
class InProcess:
    """A session that counts its jobs; `before_job` is called with their number."""

    before_job: Callable[[int], None] = lambda number: None
    jobs: int = 0

    sparkContext = SimpleNamespace(defaultParallelism=2)  # noqa: N815

    def range(self, begin: int, end: int, step: int, partitions: int) -> Rows:
        """The numbers from one to another, one in each partition."""
        assert (begin, step, partitions) == (0, 1, end)
        self.jobs += 1
        self.before_job(self.jobs)
        batches = [
            pyarrow.RecordBatch.from_pydict({"id": pyarrow.array([number], pyarrow.int64())})
            for number in range(end)
        ]
        return Rows(lambda: ([batch] for batch in batches))

    def addTag(self, tag: str) -> None:  # noqa: N802
        """A job begins."""

    def interruptTag(self, tag: str) -> None:  # noqa: N802
        """A job is ended."""

    @property
    def session(self) -> SparkSession:
        """This as what it stands for."""
        return cast(SparkSession, self)
