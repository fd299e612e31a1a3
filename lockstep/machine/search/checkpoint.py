"""One process at a time in a folder."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.machine.code.program import Program
from lockstep.machine.search.crew import Totals
from lockstep.machine.search.identity import search_identity
from lockstep.machine.search.interface import REPORT
from lockstep.machine.search.memory import Array
from lockstep.machine.search.state_file import Extent, StateFile


class FolderLock:
    """A folder that is this search's alone, until `release` or the end of the process.

    The system drops the lock with the process, however that ends. The file stays: a process that
    removed it could remove another's. Raises LockstepError naming the process that has the folder.
    """

    def __init__(self, folder: Path) -> None:
        file = folder / "lock"
        try:
            self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise LockstepError(f"{file} cannot be opened: {error.strerror}") from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise LockstepError(
                f"{folder} is in use by {f'process {holder}' if holder else 'another process'}",
                cure="wait for its end, or name another folder",
            ) from None
        except OSError as error:
            os.close(self._descriptor)
            raise LockstepError(f"{file} cannot be locked: {error.strerror}") from None

    def release(self) -> None:
        """Let others use the folder."""
        os.close(self._descriptor)


_FORMAT = 2
_PAUSE = 20
"""So many times as long as a commit took, at least, passes before the next: tiny levels share one,
and a search spends a twentieth of its time on commits at most."""


@dataclass(frozen=True)
class _Tail:
    """The end of the index: lines to be written at an offset, and the seal of the last of them.

    It is replaced as a whole, so that Ctrl-C between two statements leaves nothing half done.
    """

    offset: int
    lines: bytes
    seal: str


class Checkpoint:
    """The checkpoint of one search in a folder of its own; closing it lets others use the folder.

    Raises LockstepError naming the file when the folder cannot be used, is in use, belongs to
    another search, or is damaged.
    """

    def __init__(self, folder: Path, program: Program, *, deadlock_allowed: bool = True) -> None:
        self._folder = folder
        self._words = program.layout.words
        self._identity = search_identity(program, deadlock_allowed=deadlock_allowed)
        self._initial = program.layout.encode(program.model.initial)
        self._sizes = (len(program.model.actions), max(1, len(program.model.properties)))
        self._extents: list[Extent] = []
        self._totals: Totals | None = None
        self._tail = _Tail(0, b"", _seal("", json.dumps(self._identity)))
        self._next_commit = 0.0
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LockstepError(f"{folder} cannot be made: {error.strerror}") from None
        self._lock = FolderLock(folder)
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise

    @property
    def totals(self) -> Totals | None:
        """The counts of the search that is here; None when there is none yet."""
        return self._totals

    @property
    def states(self) -> StateFile:
        """The file that takes the states of the next level."""
        return self._states

    def levels(self) -> Iterator[tuple[Extent, Iterator[Array]]]:
        """Each level that is here, and its states, which are checked once all of them are read."""
        for depth, extent in enumerate(self._extents):
            yield extent, self._checked(depth, extent)

    def add(self, extent: Extent, totals: Totals) -> None:
        """One more level, whose states are in the file, and what was counted with it.

        It is committed at once or together with the next ones. `OSError` when that cannot be done:
        what was committed before is still good.
        """
        line = json.dumps([extent.words // self._words, extent.crc, *vars(totals).values()])
        tail = self._tail
        seal = _seal(tail.seal, line)
        self._tail = _Tail(tail.offset, tail.lines + f"{line} {seal}\n".encode(), seal)
        if time.monotonic() >= self._next_commit:
            self.commit()

    def commit(self) -> None:
        """See that every level that was added is on disk. `OSError` when that cannot be done."""
        tail = self._tail
        if not tail.lines:
            return
        started = time.monotonic()
        self._states.sync()
        data, offset = memoryview(tail.lines), tail.offset
        while data:
            written = os.pwrite(self._index, data, offset)
            data, offset = data[written:], offset + written
        os.fsync(self._index)
        self._tail = _Tail(offset, b"", tail.seal)
        finished = time.monotonic()
        self._next_commit = finished + _PAUSE * (finished - started)

    def close(self) -> None:
        """Commit what can be committed, and let others use the folder."""
        try:
            with suppress(OSError):
                self.commit()
        finally:
            self._states.close()
            os.close(self._index)
            self._lock.release()

    @property
    def _manifest(self) -> Path:
        return self._folder / "checkpoint.json"

    @property
    def _states_file(self) -> Path:
        return self._folder / "levels.states"

    @property
    def _index_file(self) -> Path:
        return self._folder / "levels.index"

    def _open(self) -> None:
        is_new = not self._manifest.exists()
        if is_new:
            for file in (self._index_file, self._states_file):
                file.unlink(missing_ok=True)
        else:
            self._compare(self._document())
        mode = os.O_RDWR | (os.O_CREAT if is_new else 0)
        try:
            self._index = os.open(self._index_file, mode, 0o666)
        except OSError as error:
            raise self._unusable(self._index_file, error) from None
        try:
            self._states = StateFile(os.open(self._states_file, mode, 0o666), self._words)
        except OSError as error:
            os.close(self._index)
            raise self._unusable(self._states_file, error) from None
        try:
            if is_new:
                self._write_manifest()
            else:
                self._read_index()
            self._states.reopen(self._extents)
            os.ftruncate(self._index, self._tail.offset)
        except BaseException as error:
            self._states.close()
            os.close(self._index)
            if isinstance(error, OSError):
                raise self._unusable(self._folder, error) from None
            raise

    def _write_manifest(self) -> None:
        text = json.dumps({"format": _FORMAT, "words": self._words, "search": self._identity})
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

    def _document(self) -> dict[str, Any]:
        try:
            sealed = json.loads(self._manifest.read_text("utf-8"))
            text = sealed["checkpoint"]
            whole = zlib.crc32(text.encode()) == sealed["crc32"]
            document = json.loads(text)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self._damaged(self._manifest, "it cannot be read") from None
        if not whole or not isinstance(document, dict):
            raise self._damaged(self._manifest, "its checksum is wrong")
        return document

    def _compare(self, document: dict[str, Any]) -> None:
        """See that the search that is here is this one."""
        if document.get("format") != _FORMAT:
            raise self._another("another version of lockstep made it")
        parts = document.get("search")
        if document.get("words") != self._words or not isinstance(parts, Mapping):
            parts = {}
        differences = [name for name, part in self._identity.items() if parts.get(name) != part]
        if differences:
            are = "is another" if len(differences) == 1 else "are others"
            raise self._another(f"{_listed(differences)} {are}")

    def _read_index(self) -> None:
        """Take in every whole line; what comes after the last one was never committed."""
        data = self._index_file.read_bytes()
        begin = 0
        while (end := data.find(b"\n", begin)) >= 0:
            self._read_line(data[begin:end], len(self._extents))
            begin = end + 1
        self._tail = _Tail(begin, b"", self._tail.seal)
        last = self._extents[-1] if self._extents else Extent(0, 0, 0)
        if self._states.size < 8 * (last.begin + last.words):
            raise self._damaged(self._states_file, f"it has {self._states.size:,} bytes")

    def _read_line(self, data: bytes, depth: int) -> None:
        line, _, seal = data.decode("utf-8", "replace").rpartition(" ")
        if _seal(self._tail.seal, line) != seal:
            raise self._damaged(self._index_file, f"the checksum of line {depth + 1} is wrong")
        try:
            count, crc, *totals = json.loads(line)
            fired, marks = _numbers(totals[0], self._sizes[0]), _numbers(totals[1], self._sizes[1])
            report, counts = _numbers(totals[2], REPORT), _numbers([count, crc], 2)
        except (ValueError, TypeError, IndexError, RecursionError):
            raise self._damaged(self._index_file, f"line {depth + 1} cannot be read") from None
        if counts is None or fired is None or marks is None or report is None:
            raise self._damaged(self._index_file, f"line {depth + 1} has no counts of this model")
        last = self._extents[-1] if self._extents else Extent(0, 0, 0)
        self._extents.append(Extent(last.begin + last.words, counts[0] * self._words, counts[1]))
        self._totals = Totals(fired, marks, report)
        self._tail = _Tail(0, b"", seal)

    def _checked(self, depth: int, extent: Extent) -> Iterator[Array]:
        crc = 0
        for part in self._states.read(extent):
            crc = zlib.crc32(part.astype("<u8", copy=False).data, crc)
            if depth == 0 and part.tolist() != self._initial:
                raise self._damaged(self._states_file, "it begins with another initial state")
            yield part
        if crc != extent.crc:
            raise self._damaged(self._states_file, f"the checksum of level {depth} is wrong")

    def _another(self, why: str) -> LockstepError:
        return LockstepError(
            f"{self._folder} is the checkpoint of another search: {why}",
            cure="name another folder, or remove this one",
        )

    def _damaged(self, file: Path, why: str) -> LockstepError:
        return LockstepError(
            f"the checkpoint is damaged: {file}: {why}",
            cure=f"remove {self._folder}; the search begins again",
        )

    def _unusable(self, file: Path, error: OSError) -> LockstepError:
        if isinstance(error, FileNotFoundError):
            return self._damaged(file, "it is missing")
        return LockstepError(f"{file} cannot be used: {error.strerror}", cure="name another folder")


def _seal(before: str, line: str) -> str:
    """What seals a line of the index, after the seal of the line before."""
    return hashlib.sha256(f"{before} {line}".encode()).hexdigest()[:16]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _numbers(numbers: object, size: int | None) -> list[int] | None:
    """Whole numbers, `size` of them unless that is None; None for anything else."""
    if not isinstance(numbers, list) or (size is not None and len(numbers) != size):
        return None
    if not all(type(number) is int and number >= 0 for number in numbers):
        return None
    return numbers
