"""Runs: files of sorted states, each with the level that the state is on.

They are Parquet with delta encoding, which takes a few bytes for a sorted state: what is written is
the difference from the state before. States that are sent between tasks have the same form.

A run is named by the manifest together with a digest of its bytes, how many states it has, and the
sum of their hashes. A reader that reaches the end of a run has compared all of them: a file that
was lost or changed is reported, and nothing is built upon it.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import pyarrow
from pyarrow import parquet

from lockstep.machine.search.interface import Array
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.search_folder import damaged_in
from lockstep.machine.search.visited import hashes
from lockstep.system.sealed import Damaged, Natural, whole_file

_ROW_GROUP = 1 << 17
"""Rows that are written and read at a time."""


class Unreadable(Exception):
    """Bytes that are no states; the text says why."""


class Run(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A file in the folder of runs, with states of the levels `first` to `last`."""

    file: Annotated[str, msgspec.Meta(pattern=r"^[^/]+$")]
    states: Natural
    checksum: Natural
    first: Natural
    last: Natural
    digest: str

    def has(self, level: int) -> bool:
        """Whether there may be states of a level."""
        return self.first <= level <= self.last


@dataclass(frozen=True)
class RunFolder:
    """The runs of one search, whose states have so many words."""

    path: Path
    words: int

    def damaged(self, file: str, why: str) -> Damaged:
        """That a run is not what the manifest says of it."""
        return damaged_in(self.path.parent, self.path / file, why)

    def write(self, owner: int, parts: Iterable[Array], first: int, last: int) -> Run | None:
        """Write a new run of dated rows, safely on disk under a name that nothing else has.

        None where there are no rows. Two tasks that do the same work write two files, of which the
        manifest names one.
        """
        rows = filter(len, parts)
        begin = next(rows, None)
        if begin is None:
            return None
        name = f"{owner:05}-{first:05}-{last:05}-{uuid.uuid4().hex}.parquet"
        tally = _Tally(self.words)
        with whole_file(self.path / name) as out:
            write_rows(
                out,
                tally.counted(chain([begin], rows), dated=True),
                names_of(self.words, dated=True),
            )
        return Run(name, tally.states, tally.checksum, first, last, _digest(self.path / name))

    def read(self, run: Run, *, dated: bool = False) -> Iterator[Array]:
        """The states of a run in parts; of `dated` rows each is a state and its level.

        `Damaged` where they are not those that were written.
        """
        file, tally = self.path / run.file, _Tally(self.words)
        try:
            if _digest(file) != run.digest:
                raise self.damaged(run.file, "its bytes are not those that were written")
            yield from tally.counted(
                read_rows(str(file), names_of(self.words, dated=dated)), dated=dated
            )
        except FileNotFoundError:
            raise self.damaged(run.file, "it is missing") from None
        except (OSError, Unreadable) as error:
            raise self.damaged(run.file, f"it cannot be read: {error}") from None
        if tally.states != run.states:
            why = f"it has {tally.states:,} states instead of {run.states:,}"
            raise self.damaged(run.file, why)
        if tally.checksum != run.checksum:
            raise self.damaged(run.file, "its checksum is wrong")
        if not tally.ascends:
            raise self.damaged(run.file, "its states are not in order")


class _Tally:
    """The count and the checksum of the states that pass by, and whether they ascend."""

    def __init__(self, words: int) -> None:
        self._words, self._loops = words, loops_for("runs", words)
        self._last: list[int] = []
        self.states = 0
        self.checksum = 0
        self.ascends = True

    def counted(self, parts: Iterable[Array], *, dated: bool) -> Iterator[Array]:
        """Rows as they are."""
        words = self._words
        for part in parts:
            states = undated(part, words) if dated else part
            if count := len(states) // words:
                self.states += count
                self.checksum = (self.checksum + int(hashes(states, words).sum())) % 2**64
                self.ascends &= self._last < states[:words].tolist()
                self.ascends &= bool(self._loops.ascends(states, count))
                self._last = states[-words:].tolist()
            yield part


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def names_of(words: int, *, dated: bool = False) -> list[str]:
    """The columns of states, or of dated rows."""
    return [f"w{word}" for word in range(words)] + ["level"] * dated


def write_rows(target: Any, parts: Iterable[Array], names: list[str]) -> None:
    """Write rows to a file or a stream, one column a word."""
    schema = pyarrow.schema([(name, pyarrow.uint64()) for name in names])
    with parquet.ParquetWriter(
        target,
        schema,
        compression="none",
        use_dictionary=False,
        column_encoding=dict.fromkeys(names, "DELTA_BINARY_PACKED"),
        write_statistics=False,
        store_schema=False,
    ) as writer:
        for part in parts:
            rows = part.reshape(-1, len(names))
            columns = [pyarrow.array(rows[:, place]) for place in range(len(names))]
            table = pyarrow.Table.from_arrays(columns, schema=schema)
            writer.write_table(table, row_group_size=_ROW_GROUP)


def read_rows(source: Any, names: list[str]) -> Iterator[Array]:
    """Rows with these columns, in parts; `Unreadable` where the bytes are something else."""
    try:
        with parquet.ParquetFile(source) as file:
            missing = set(names) - set(file.schema_arrow.names)
            if missing:
                raise Unreadable(f"it has no column {min(missing)}")
            for batch in file.iter_batches(_ROW_GROUP, columns=names, use_threads=False):
                columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in names]
                rows = columns[0] if len(names) == 1 else np.stack(columns, axis=1).reshape(-1)
                yield np.ascontiguousarray(rows, np.uint64)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise Unreadable(next(iter(str(error).splitlines()), type(error).__name__)) from None


def packed(states: Array, words: int) -> bytes:
    """States as bytes, to be sent."""
    stream = pyarrow.BufferOutputStream()
    write_rows(stream, [states], names_of(words))
    content: bytes = stream.getvalue().to_pybytes()
    return content


def unpacked(content: Any, words: int) -> Array:
    """The states that were sent as bytes; `Unreadable` where they are none."""
    parts = list(read_rows(pyarrow.BufferReader(content), names_of(words)))
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def dated(states: Array, words: int, level: int) -> Array:
    """States with their level, as rows of one word more."""
    rows = np.empty((len(states) // words, words + 1), np.uint64)
    rows[:, :words] = states.reshape(-1, words)
    rows[:, words] = level
    return rows.reshape(-1)


def of_level(rows: Array, words: int, level: int) -> Array:
    """The states of one level among dated rows."""
    table = rows.reshape(-1, words + 1)
    return np.ascontiguousarray(table[table[:, words] == level, :words]).reshape(-1)


def undated(rows: Array, words: int) -> Array:
    """The states of dated rows."""
    return np.ascontiguousarray(rows.reshape(-1, words + 1)[:, :words]).reshape(-1)
