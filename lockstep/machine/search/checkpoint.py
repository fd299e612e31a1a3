"""A search on disk: the states of its finished levels, what was counted, and what it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from lockstep.errors import LockstepError
from lockstep.machine.code.program import Program
from lockstep.machine.search.interface import REPORT, Array
from lockstep.machine.search.search_folder import SearchFolder
from lockstep.machine.search.state_file import Extent, StateFile
from lockstep.machine.search.workers import Totals
from lockstep.system.sealed import BrokenSeal, Natural, decoded, seal_of

_PACKAGES = ("llvmlite", "lockstep", "numba")
"""What makes the machine code."""


def search_identity(program: Program, *, deadlock_allowed: bool) -> dict[str, str]:
    """Each part that the answer depends on, by its name for readers, as a digest or a word.

    Bounds, threads and folders are no parts: they change how far a search comes, not what it says.
    The byte order is none, for words are written in one order on every machine.
    """
    model = program.model
    return {
        "the model": model.name,
        "the program": _digest(program.text),
        "the variables": _digest([[name, str(domain)] for name, domain in model.variables.items()]),
        "the initial state": _digest(program.layout.encode(model.initial)),
        "the actions": _digest([action.name for action in model.actions]),
        "the properties": _digest([[prop.name, str(prop.kind)] for prop in model.properties]),
        "the deadlock rule": "allowed" if deadlock_allowed else "forbidden",
        "the symmetry": "none" if program.symmetry is None else _digest(program.symmetry.groups),
        "the search's own code": _own_code(),
    }


def _digest(part: object) -> str:
    return hashlib.sha256(json.dumps(part).encode()).hexdigest()


@cache
def _own_code() -> str:
    """A digest of the search's sources and of what translates them."""
    return code_in(Path(__file__).parent)


def code_in(folder: Path) -> str:
    """A digest of a folder's sources and of what translates them."""
    sources = sorted(folder.glob("*.py"))
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{source.name} {source.stat().st_size}\n".encode())
        digest.update(source.read_bytes())
    for package in _PACKAGES:
        digest.update(f"{package} {version(package)}\n".encode())
    return digest.hexdigest()


_MANIFEST = "checkpoint.json"
_PAUSE = 20
"""So many times as long as a commit took, at least, passes before the next: tiny levels share one,
and a search spends a twentieth of its time on commits at most."""


class _Line(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A level in the index: its states, their CRC-32, and what was counted up to it."""

    states: Natural
    crc: Natural
    fired: list[Natural]
    marks: list[Natural]
    report: list[Natural]


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
        self._words = program.layout.words
        identity = search_identity(program, deadlock_allowed=deadlock_allowed)
        self._initial = program.layout.encode(program.model.initial)
        self._sizes = [len(program.model.actions), max(1, len(program.model.properties)), REPORT]
        self._extents: list[Extent] = []
        self._totals: Totals | None = None
        self._tail = _Tail(0, b"", seal_of(msgspec.json.encode(identity)))
        self._next_commit = 0.0
        self._folder = SearchFolder(folder, identity)
        self._states_file = self._folder.path / "levels.states"
        self._index_file = self._folder.path / "levels.index"
        try:
            self._open()
        except BaseException:
            self._folder.close()
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
        level = _Line(extent.words // self._words, extent.crc, **vars(totals))
        line = msgspec.json.encode(level)
        tail = self._tail
        seal = seal_of(line, tail.seal)
        self._tail = _Tail(tail.offset, tail.lines + b"%b %b\n" % (line, seal.encode()), seal)
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
            self._folder.close()

    def _open(self) -> None:
        is_new = self._folder.read(_MANIFEST, int) is None
        if is_new:
            for file in (self._index_file, self._states_file):
                file.unlink(missing_ok=True)
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
                self._folder.write(_MANIFEST, self._words)
            else:
                self._read_index()
            self._states.reopen(self._extents)
            os.ftruncate(self._index, self._tail.offset)
        except BaseException as error:
            self._states.close()
            os.close(self._index)
            if isinstance(error, OSError):
                raise self._unusable(self._folder.path, error) from None
            raise

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
            raise self._folder.damaged(self._states_file, f"it has {self._states.size:,} bytes")

    def _read_line(self, data: bytes, depth: int) -> None:
        line, _, seal = data.rpartition(b" ")
        if seal_of(line, self._tail.seal).encode() != seal:
            raise self._folder.damaged(
                self._index_file, f"the checksum of line {depth + 1} is wrong"
            )
        try:
            level = decoded(line, _Line)
        except BrokenSeal as reason:
            raise self._folder.damaged(self._index_file, f"line {depth + 1}: {reason}") from None
        if [len(level.fired), len(level.marks), len(level.report)] != self._sizes:
            raise self._folder.damaged(
                self._index_file, f"line {depth + 1} has no counts of this model"
            )
        last = self._extents[-1] if self._extents else Extent(0, 0, 0)
        begin = last.begin + last.words
        self._extents.append(Extent(begin, level.states * self._words, level.crc))
        self._totals = Totals(level.fired, level.marks, level.report)
        self._tail = _Tail(0, b"", seal.decode())

    def _checked(self, depth: int, extent: Extent) -> Iterator[Array]:
        crc = 0
        for part in self._states.read(extent):
            crc = zlib.crc32(part.astype("<u8", copy=False).data, crc)
            if depth == 0 and part.tolist() != self._initial:
                raise self._folder.damaged(
                    self._states_file, "it begins with another initial state"
                )
            yield part
        if crc != extent.crc:
            raise self._folder.damaged(self._states_file, f"the checksum of level {depth} is wrong")

    def _unusable(self, file: Path, error: OSError) -> LockstepError:
        if isinstance(error, FileNotFoundError):
            return self._folder.damaged(file, "it is missing")
        return LockstepError(f"{file} cannot be used: {error.strerror}", cure="name another folder")
