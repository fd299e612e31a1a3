"""A search on disk: the states of each finished level, and the counts up to there.

A folder has one file a level and `checkpoint.json`, which is replaced as a whole once a level's
file is safely on disk. Whatever interrupts the process, the folder then tells of the last finished
level. Nothing in it is ever executed; every file is checked before it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lockstep.compiled.program import Program
from lockstep.errors import LockstepError
from lockstep.explore.parallel.memory import Array

_FORMAT = 1
_PIECE = 1 << 21
"""Words that are read or written at a time."""


@dataclass(frozen=True)
class Totals:
    """What was counted over the finished levels: by action, by property, and over all."""

    fired: list[int]
    marks: list[int]
    report: list[int]


@dataclass(frozen=True)
class _Level:
    """One level's file: how many states, and the CRC-32 of their words."""

    count: int
    crc: int


class Checkpoint:
    """The checkpoint of one search in a folder of its own.

    Raises LockstepError naming the file when the folder cannot be used, belongs to another model
    or scope, or is damaged.
    """

    def __init__(self, folder: Path, program: Program) -> None:
        self._folder = folder
        self._words = program.layout.words
        self._digest = hashlib.sha256(program.text.encode()).hexdigest()
        self._sizes = (len(program.model.actions), max(1, len(program.model.properties)))
        self._name = program.model.name
        self._levels: list[_Level] = []
        self._totals: Totals | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LockstepError(f"{folder} cannot be made: {error.strerror}") from None
        if self._manifest.exists():
            self._read()

    @property
    def totals(self) -> Totals | None:
        """The counts of the search that is here; None when there is none yet."""
        return self._totals

    def levels(self) -> Iterator[Array]:
        """The states of each level that is here, checked, in memory only while they are read."""
        for depth, level in enumerate(self._levels):
            yield self._map(depth, level)

    def add(self, parts: list[Array], totals: Totals) -> Array:
        """Keep one more level and what was counted with it; its states, now on disk.

        `OSError` when that cannot be done: what was kept before is still good.
        """
        depth = len(self._levels)
        count = sum(len(part) for part in parts) // self._words
        crc = 0
        with self._file(depth).open("wb") as out:
            for part in parts:
                for begin in range(0, len(part), _PIECE):
                    piece = np.ascontiguousarray(part[begin : begin + _PIECE], "<u8").data
                    crc = zlib.crc32(piece, crc)
                    out.write(piece)
            out.flush()
            os.fsync(out.fileno())
        self._levels.append(_Level(count, crc))
        try:
            self._write(totals)
        except OSError:
            self._levels.pop()
            raise
        return self._open(depth, count)

    @property
    def _manifest(self) -> Path:
        return self._folder / "checkpoint.json"

    def _file(self, depth: int) -> Path:
        return self._folder / f"level-{depth:06}.states"

    def _write(self, totals: Totals) -> None:
        document = {
            "format": _FORMAT,
            "model": self._name,
            "program": self._digest,
            "words": self._words,
            "levels": [{"count": level.count, "crc32": level.crc} for level in self._levels],
            "fired": totals.fired,
            "marks": totals.marks,
            "report": totals.report,
        }
        text = json.dumps(document)
        sealed = json.dumps({"crc32": zlib.crc32(text.encode()), "checkpoint": text})
        part = self._manifest.with_suffix(".part")
        with part.open("w", encoding="utf-8") as out:
            out.write(sealed)
            out.flush()
            os.fsync(out.fileno())
        part.replace(self._manifest)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _read(self) -> None:
        document = self._document()
        if document.get("format") != _FORMAT:
            raise self._damaged(self._manifest, f"its format is not {_FORMAT}")
        if document.get("program") != self._digest:
            raise LockstepError(
                f"{self._folder} is the checkpoint of another search: {self._name} was changed, "
                "its scope is another, or lockstep is",
                cure="name another folder, or remove this one",
            )
        levels = document.get("levels")
        if document.get("words") != self._words or not isinstance(levels, list) or not levels:
            raise self._damaged(self._manifest, "it lists no levels")
        for level in levels:
            numbers = _numbers([level.get("count"), level.get("crc32")], 2)
            if numbers is None:
                raise self._damaged(self._manifest, "a level has no count")
            self._levels.append(_Level(numbers[0], numbers[1]))
        fired = _numbers(document.get("fired"), self._sizes[0])
        marks = _numbers(document.get("marks"), self._sizes[1])
        report = _numbers(document.get("report"), None)
        if fired is None or marks is None or report is None:
            raise self._damaged(self._manifest, "its counts are not those of this model")
        self._totals = Totals(fired, marks, report)

    def _document(self) -> dict[str, Any]:
        try:
            sealed = json.loads(self._manifest.read_text("utf-8"))
            text = sealed["checkpoint"]
            whole = zlib.crc32(text.encode()) == sealed["crc32"]
            document = json.loads(text)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise self._damaged(self._manifest, "it cannot be read") from None
        if not whole or not isinstance(document, dict):
            raise self._damaged(self._manifest, "its checksum is wrong")
        return document

    def _map(self, depth: int, level: _Level) -> Array:
        file = self._file(depth)
        try:
            size = file.stat().st_size
        except OSError:
            raise self._damaged(file, "it is missing") from None
        if size != level.count * self._words * 8:
            raise self._damaged(file, f"it has {size:,} bytes")
        states = self._open(depth, level.count)
        crc = 0
        for begin in range(0, len(states), _PIECE):
            crc = zlib.crc32(states[begin : begin + _PIECE].data, crc)
        if crc != level.crc:
            raise self._damaged(file, "its checksum is wrong")
        return states

    def _open(self, depth: int, count: int) -> Array:
        if count == 0:
            return np.empty(0, np.uint64)
        return np.memmap(self._file(depth), "<u8", "r")

    def _damaged(self, file: Path, why: str) -> LockstepError:
        return LockstepError(
            f"the checkpoint is damaged: {file}: {why}",
            cure=f"remove {self._folder}; the search begins anew",
        )


def _numbers(found: object, size: int | None) -> list[int] | None:
    """Whole numbers, `size` of them unless that is None; None for anything else."""
    if not isinstance(found, list) or (size is not None and len(found) != size):
        return None
    if not all(type(number) is int and number >= 0 for number in found):
        return None
    return found
