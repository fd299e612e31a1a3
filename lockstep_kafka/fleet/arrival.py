"""What is new of some files, put into the table of inputs before it is followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow

from lockstep_kafka.fleet.columns import RANGES, batches_of
from lockstep_kafka.fleet.log_files import LogFile
from lockstep_kafka.fleet.log_ranges import (
    CHUNK,
    Chunk,
    Identity,
    LogRange,
    Measure,
    ReadFiles,
    ReadSoFar,
    chunks_of,
    measured,
    ranges_of,
)
from lockstep_kafka.fleet.tables import INPUTS, Tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BATCH_BYTES = 16 * 2**30
"""The content that is followed in one batch: a run that is killed does as much anew at most."""


@dataclass(frozen=True)
class Arrived:
    """What is new of some files.

    `unfinished` has the plain files whose last line has no newline yet, with that line's bytes.
    `copies` are files with the content of another one.
    """

    ranges: list[LogRange]
    unfinished: dict[str, int] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> int:
        """How many lines are new."""
        return sum(range_.lines for range_ in self.ranges)


MeasureAll = Callable[[Sequence[Chunk]], Sequence[Measure]]
"""Counts the lines of chunks, in their order."""


def arrived(
    files: Sequence[LogFile],
    broker_of: Callable[[str], str],
    read: ReadFiles,
    measure_all: MeasureAll,
) -> Arrived:
    """What was not read before of some files, in the order in which it is to be followed.

    The order of ranges counts from 0.
    """
    identities = [read.identity(file, broker_of(file.path)) for file in files]
    so_far = [read.so_far(identity) for identity in identities]
    chunks = [chunks_of(file, read) for file, read in zip(files, so_far, strict=True)]
    measures = iter(measure_all([chunk for of_file in chunks for chunk in of_file]))
    longest: dict[Identity, _New] = {}
    copies: dict[str, str] = {}
    for file, identity, before, of_file in zip(files, identities, so_far, chunks, strict=True):
        sizes = [next(measures) for _ in of_file]
        new = _New(file, before, ranges_of(file, identity, before, sizes))
        other = longest.setdefault(identity, new)
        if other is not new:
            copy, longest[identity] = sorted((other, new), key=lambda one: one.end)
            copies[copy.file.path] = longest[identity].file.path
    ordered = [
        replace(range_, order=order)
        for order, new in enumerate(longest.values())
        for range_ in new.ranges
    ]
    unfinished = {new.file.path: new.unfinished for new in longest.values() if new.unfinished}
    return Arrived(ordered, unfinished, copies)


@dataclass(frozen=True)
class _New:
    """What is new of one file."""

    file: LogFile
    before: ReadSoFar | None
    ranges: list[LogRange]

    @property
    def end(self) -> int:
        """Where the last whole line ends."""
        if self.ranges:
            return self.ranges[-1].end
        return 0 if self.before is None else self.before.end

    @property
    def unfinished(self) -> int:
        """The bytes of a last line that has no newline yet."""
        return 0 if self.file.is_compressed else max(self.file.size - self.end, 0)


@dataclass(frozen=True)
class ReadBefore:
    """What the table of inputs has: the files, and the place in order behind the last of them."""

    files: ReadFiles
    next_order: int


def read_before(tables: Tables) -> ReadBefore:
    """The files that were read before."""
    from pyspark.sql import functions as sql

    if not tables.is_there(INPUTS):
        return ReadBefore(ReadFiles({}), 0)
    rows = tables.rows(INPUTS).groupBy("broker", "size", "digest")
    sums = rows.agg(
        sql.max("end").alias("end"),
        sql.sum("lines").alias("lines"),
        sql.max_by("stored", "order").alias("stored"),
        sql.max("order").alias("order"),
    ).collect()
    files = {
        Identity(row.broker, row.size, row.digest): ReadSoFar(row.end, row.lines, row.stored)
        for row in sums
    }
    return ReadBefore(ReadFiles(files), 1 + max((row.order for row in sums), default=-1))


def put_into(
    tables: Tables, spark: SparkSession, ranges: Sequence[LogRange], next_order: int
) -> None:
    """Append what has arrived to the table of inputs, a batch a commit."""
    for batch in _batches(ranges):
        rows = [range_row(range_, next_order) for range_ in batch]
        content = pyarrow.Table.from_batches(batches_of(rows, RANGES))
        # Orders ascend from batch to batch: where another run was faster, its version is higher.
        tables.append(INPUTS, spark.createDataFrame(content), batch[-1].order + next_order)


def _batches(ranges: Sequence[LogRange]) -> Iterator[list[LogRange]]:
    """The ranges in batches of so many bytes, whole files wherever one is not larger than that."""
    batch: list[LogRange] = []
    size = 0
    for range_ in ranges:
        if size > BATCH_BYTES and range_.order != batch[-1].order:
            yield batch
            batch, size = [], 0
        batch.append(range_)
        size += range_.end - range_.begin
    if batch:
        yield batch


def range_row(range_: LogRange, next_order: int) -> tuple[Any, ...]:
    """The row of a range (`RANGES`), whose order counts from `next_order`."""
    fields = asdict(range_)
    fields |= fields.pop("file")
    fields["order"] += next_order
    return tuple(fields[name] for name in RANGES.names)


def measure_on(spark: SparkSession) -> MeasureAll:
    """Counting of lines as tasks, one a chunk; what is little is counted here."""

    def measure_all(chunks: Sequence[Chunk]) -> list[Measure]:
        if sum(chunk.stored for chunk in chunks) < CHUNK:
            return [measured(chunk) for chunk in chunks]
        context = spark.sparkContext
        tasks = min(len(chunks), 8 * context.defaultParallelism)
        return context.parallelize(chunks, tasks).map(measured).collect()

    return measure_all
