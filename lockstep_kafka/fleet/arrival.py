"""What is new of some files, put into the table of inputs before it is followed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any

from lockstep_kafka.fleet.log_files import LogFile, Stored, look_at
from lockstep_kafka.fleet.log_ranges import (
    Chunk,
    Identity,
    LogRange,
    Measure,
    ReadFiles,
    ReadSoFar,
    chunks_of,
    ranges_of,
    seen_range,
)
from lockstep_kafka.fleet.reading import Observed, time_of_line
from lockstep_kafka.fleet.recognised import Recognised, recognised

BATCH_BYTES = 16 * 2**30
"""The content that is followed in one batch: a run that is killed does as much again at most."""

NO_BATCH = -1
"""The batch of ranges that hold nothing to follow."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Arrived:
    """What is new of some files.

    `unfinished` has the plain files whose last line has no newline yet, with that line's bytes.
    `copies` are files that another one begins with, or equals. `seen` are ranges without lines of
    files that hold nothing new.
    """

    ranges: list[LogRange]
    unfinished: dict[str, int] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    seen: list[LogRange] = field(default_factory=list)

    @property
    def lines(self) -> int:
        """How many lines are new."""
        return sum(range_.lines for range_ in self.ranges)


MeasureAll = Callable[[Sequence[Chunk]], Sequence[Measure]]
"""Counts the lines of chunks, in their order."""


def arrived(files: Sequence[Recognised], measure_all: MeasureAll) -> Arrived:
    """What was not read before of some files, in the order in which it is to be followed.

    The order of ranges counts from 0.
    """
    chunks = [chunks_of(one.file, one.before) for one in files]
    measures = iter(measure_all([chunk for of_file in chunks for chunk in of_file]))
    new = Arrived([])
    for order, (one, of_file) in enumerate(zip(files, chunks, strict=True)):
        sizes = [next(measures) for _ in of_file]
        before = one.before or ReadSoFar()
        ranges = ranges_of(one.file, one.identity, before, sizes)
        new.ranges.extend(replace(range_, order=order) for range_ in ranges)
        if one.before is not None and not ranges:
            new.seen.append(replace(seen_range(one.file, one.identity, before), order=order))
        end = ranges[-1].end if ranges else before.end
        if one.file.size > end and not one.file.is_compressed:
            new.unfinished[one.file.path] = one.file.size - end
    return new


@dataclass(frozen=True)
class ReadBefore:
    """What the table of inputs has.

    `stored` are the files that need not be looked at while they are stored so, `unfinished` those
    of them whose last line had no newline. `layouts` are the layouts of files by their paths, and
    `at` are the paths at which files were last seen, and `held` which file each path then held.
    `pending` are the rows of batches that were not followed to the end. `next_order` and
    `next_batch` come after all that are there.
    """

    files: ReadFiles
    stored: Mapping[str, Stored]
    unfinished: Mapping[str, int]
    layouts: Mapping[str, str]
    at: Mapping[Identity, str]
    held: Mapping[str, Identity]
    pending: Mapping[int, list[Row]]
    next_order: int
    next_batch: int

    @classmethod
    def of(cls, rows: Iterable[Row], pending: Iterable[Row]) -> ReadBefore:
        """What the last row of each file and path says; `lines` is the sum over all of a file."""
        files: dict[Identity, ReadSoFar] = {}
        at: dict[Identity, str] = {}
        last: dict[str, Row] = {}
        next_order = next_batch = 0
        for row in rows:
            identity = _identity_of(row)
            files[identity] = ReadSoFar(
                row["end"], row["lines"], row["stored"], row["flaw"], row["tail"]
            )
            at[identity] = row["path"]
            if row["path"] not in last or last[row["path"]]["order"] < row["order"]:
                last[row["path"]] = row
            next_order = max(next_order, row["order"] + 1)
            next_batch = max(next_batch, row["batch"] + 1)
        known = {path: row for path, row in last.items() if row["layout"] is not None}
        by_batch: dict[int, list[Row]] = {}
        for row in sorted(pending, key=lambda row: (row["batch"], row["order"], row["first_line"])):
            by_batch.setdefault(row["batch"], []).append(row)
        return cls(
            ReadFiles(files),
            {path: Stored(row["disk_size"], row["written_ns"]) for path, row in known.items()},
            {
                path: row["disk_size"] - row["end"]
                for path, row in known.items()
                if row["stored"] is None and row["disk_size"] > row["end"]
            },
            {path: row["layout"] for path, row in known.items()},
            at,
            {path: _identity_of(row) for path, row in known.items()},
            by_batch,
            next_order,
            next_batch,
        )


def batches(ranges: Sequence[LogRange], before: ReadBefore) -> Iterator[list[Row]]:
    """The rows of what has arrived, a list a batch: whole files wherever one is not too large."""
    batch: list[LogRange] = []
    size, number = 0, before.next_batch
    for range_ in ranges:
        if size > BATCH_BYTES and range_.order != batch[-1].order:
            yield [range_row(one, before.next_order, number) for one in batch]
            batch, size, number = [], 0, number + 1
        batch.append(range_)
        size += range_.end - range_.begin
    if batch:
        yield [range_row(one, before.next_order, number) for one in batch]


def range_row(range_: LogRange, next_order: int, batch: int) -> Row:
    """The row of a range (`RANGES`), whose order counts from `next_order`."""
    row = asdict(range_) | {"batch": batch, "brokers": list(range_.brokers)}
    row |= row.pop("file")
    row["order"] += next_order
    return row


def moved_to(rows: Sequence[Row], paths: Mapping[Identity, str]) -> list[Row]:
    """Rows of an earlier run with the paths at which their files are now."""
    return [{**row, "path": paths.get(_identity_of(row), row["path"])} for row in rows]


def _identity_of(row: Row) -> Identity:
    return Identity(row["broker"], row["size"], row["digest"])


@dataclass(frozen=True)
class Newcomers:
    """What a run finds of files.

    `files` are those that it looked at, and `layouts` those of the others, by their paths. `rows`
    are new in the table of inputs. `of_batches` are the rows to follow, a list a batch: those that
    an earlier run began, then the new ones.
    """

    files: Sequence[LogFile]
    new: Arrived
    layouts: Mapping[str, str]
    rows: Sequence[Row]
    of_batches: Sequence[list[Row]]


def newcomers(
    paths: Sequence[str], before: ReadBefore, observed: Observed, measure_all: MeasureAll
) -> Newcomers:
    """What is new of some files, and what of them is to be followed."""
    files = look_at(paths, time_of_line, before.stored)
    readable = [file for file in files if file.unreadable is None]
    broker_of = observed.paths.broker
    others = before.layouts.keys() & set(paths) - {file.path for file in files}
    unchanged = {before.held[path]: path for path in others}
    to_read, copies = recognised(readable, broker_of, before.files, unchanged)
    new = replace(arrived(to_read, measure_all), copies=copies)
    there = others - copies.keys()
    unfinished = {path: size for path, size in before.unfinished.items() if path in there}
    new_batches = list(batches(new.ranges, before))
    seen = [range_row(one, before.next_order, NO_BATCH) for one in new.seen]
    looked_at = {one.identity: one.file.path for one in to_read}
    # A run that was killed, too, may have seen where a file has moved: it is not looked at again.
    now = {**before.at, **looked_at}
    begun = [moved_to(rows, now) for _, rows in sorted(before.pending.items())]
    return Newcomers(
        files,
        replace(new, unfinished=new.unfinished | unfinished),
        {path: before.layouts[path] for path in there},
        [*seen, *chain.from_iterable(new_batches)],
        [*begun, *new_batches],
    )
