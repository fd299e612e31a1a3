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

BATCH_BYTES = 16 * 2**30
"""The content that is followed in one batch: a run that is killed does as much again at most."""

NO_BATCH = -1
"""The batch of ranges that hold nothing to follow."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Arrived:
    """What is new of some files.

    `unfinished` has the plain files whose last line has no newline yet, with that line's bytes.
    `copies` are files with the content of another one. `seen` are ranges without lines of files
    that hold nothing new.
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


def arrived(
    files: Sequence[LogFile],
    identities: Sequence[Identity],
    read: ReadFiles,
    measure_all: MeasureAll,
) -> Arrived:
    """What was not read before of some files, in the order in which it is to be followed.

    The order of ranges counts from 0.
    """
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
    seen = [
        replace(seen_range(new.file, identity, new.before), order=order)
        for order, (identity, new) in enumerate(longest.items())
        if new.before is not None and not new.ranges
    ]
    unfinished = {new.file.path: new.unfinished for new in longest.values() if new.unfinished}
    return Arrived(ordered, unfinished, copies, seen)


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
    """What the table of inputs has.

    `stored` are the files that need not be looked at while they are stored so, `unfinished` those
    of them whose last line had no newline. `layouts` are the layouts of files by their paths, and
    `at` are the paths at which files were last seen.
    `pending` are the rows of batches that were not followed to the end. `next_order` and
    `next_batch` come after all that are there.
    """

    files: ReadFiles
    stored: Mapping[str, Stored]
    unfinished: Mapping[str, int]
    layouts: Mapping[str, str]
    at: Mapping[Identity, str]
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
            identity = Identity(row["broker"], row["size"], row["digest"])
            files[identity] = ReadSoFar(row["end"], row["lines"], row["stored"], row["flaw"])
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
    identities = (Identity(row["broker"], row["size"], row["digest"]) for row in rows)
    return [
        {**row, "path": paths.get(identity, row["path"])}
        for row, identity in zip(rows, identities, strict=True)
    ]


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
    identities = [before.files.identity(file, broker_of(file.path) or "") for file in readable]
    new = arrived(readable, identities, before.files, measure_all)
    others = before.layouts.keys() & set(paths) - {file.path for file in files}
    unfinished = {path: size for path, size in before.unfinished.items() if path in others}
    new_batches = list(batches(new.ranges, before))
    seen = [range_row(one, before.next_order, NO_BATCH) for one in new.seen]
    looked_at = {identity: file.path for identity, file in zip(identities, readable, strict=True)}
    # A run that was killed, too, may have seen where a file has moved: it is not looked at again.
    now = {**before.at, **looked_at}
    begun = [moved_to(rows, now) for _, rows in sorted(before.pending.items())]
    return Newcomers(
        files,
        replace(new, unfinished=new.unfinished | unfinished),
        {path: before.layouts[path] for path in others},
        [*seen, *chain.from_iterable(new_batches)],
        [*begun, *new_batches],
    )
