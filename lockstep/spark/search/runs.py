"""Runs: files of sorted states, each with the level that the state is on.

A run is named by the manifest together with a digest of its bytes, how many states it has, and the
sum of their hashes. Whoever reads a run to its end has compared all of them: a file that was lost
or changed is told, and nothing is built upon it.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from lockstep.machine.search.memory import Array
from lockstep.machine.search.search_folder import damaged_in
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.rows import Unreadable, read_rows, write_rows
from lockstep.system.sealed import Damaged, Natural, whole_file

_MASK = (1 << 64) - 1


class Run(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A file in the folder of runs, with states of the levels `first` to `last`."""

    file: Annotated[str, msgspec.Meta(pattern=r"^[^/]+$")]
    states: Natural
    checksum: Natural
    first: Natural
    last: Natural
    bytes: Natural
    digest: str


def damaged_run(file: Path, why: str) -> Damaged:
    """That a run is not what the manifest says of it."""
    return damaged_in(file.parent.parent, file, why)


class RunFolder:
    """The runs of one search, all of whose states have as many words as the machine's."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self._folder = folder
        self._machine = machine

    def path(self, run: Run) -> Path:
        """Where a run is."""
        return self._folder / run.file

    def write(self, owner: int, parts: Iterable[Array], first: int, last: int) -> Run:
        """Write a new run of dated rows, safely on disk under a name that nothing else has.

        Two tasks that do the same work write two files, of which the manifest names one.
        """
        words = self._machine.words
        name = f"{owner:05}-{first:05}-{last:05}-{uuid.uuid4().hex}.parquet"
        tally = _Tally(self._machine)
        with whole_file(self._folder / name) as out:
            write_rows(out, tally.counted(parts), words + 1, dated=True)
            size = out.tell()
        digest = _digest(self._folder / name)
        return Run(name, tally.states, tally.checksum, first, last, size, digest)

    def states(self, run: Run) -> Iterator[Array]:
        """The states of a run in parts; `Damaged` where they are not those that were written."""
        yield from self._read(run, dated=False)

    def dated(self, run: Run) -> Iterator[Array]:
        """The rows of a run, each a state and its level, in parts; `Damaged` likewise."""
        yield from self._read(run, dated=True)

    def _read(self, run: Run, *, dated: bool) -> Iterator[Array]:
        words = self._machine.words
        file, tally = self.path(run), _Tally(self._machine, is_checked=True)
        try:
            size = os.stat(file).st_size
            if size != run.bytes:
                raise damaged_run(file, f"it has {size:,} bytes instead of {run.bytes:,}")
            if _digest(file) != run.digest:
                raise damaged_run(file, "its bytes are not those that were written")
            for part in read_rows(str(file), words + dated, dated=dated):
                tally.add(_undated(part, words) if dated else part)
                yield part
        except FileNotFoundError:
            raise damaged_run(file, "it is missing") from None
        except (OSError, Unreadable) as error:
            raise damaged_run(file, f"it cannot be read: {error}") from None
        if tally.states != run.states:
            raise damaged_run(file, f"it has {tally.states:,} states instead of {run.states:,}")
        if tally.checksum != run.checksum:
            raise damaged_run(file, "its checksum is wrong")
        if not tally.ascends:
            raise damaged_run(file, "its states are not in order")


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


class _Tally:
    """The count and the checksum of the states that pass by, and whether they ascend."""

    def __init__(self, machine: Machine, *, is_checked: bool = False) -> None:
        self._words, self._loops = machine.words, machine.runs
        self._is_checked = is_checked
        self._last: list[int] = []
        self.states = 0
        self.checksum = 0
        self.ascends = True

    def counted(self, parts: Iterable[Array]) -> Iterator[Array]:
        """Dated rows as they are."""
        for part in parts:
            self.add(_undated(part, self._words))
            yield part

    def add(self, states: Array) -> None:
        """Some more states."""
        words = self._words
        count = len(states) // words
        if not count:
            return
        self.states += count
        self.checksum = (self.checksum + self._loops.checksum(states, count)) & _MASK
        if self._is_checked:
            self.ascends &= self._last < states[:words].tolist()
            self.ascends &= bool(self._loops.ascends(states, count))
            self._last = states[-words:].tolist()


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


def _undated(rows: Array, words: int) -> Array:
    return np.ascontiguousarray(rows.reshape(-1, words + 1)[:, :words]).reshape(-1)
