"""The folder of one search: whose it is, one process at a time, and what is sealed in it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from lockstep.errors import LockstepError
from lockstep.system.sealed import PART, BrokenSeal, Damaged, decoded, document_in, write_document

_FORMAT = 3
_OLDER = b'{"crc32"'
"""How such files began before there was a seal."""

T = TypeVar("T")


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


class _Kept(msgspec.Struct):
    """A document with the search that it is of."""

    format: int
    search: dict[str, str]
    content: msgspec.Raw


class SearchFolder:
    """A folder that is one search's alone until it is closed.

    Raises LockstepError where the folder cannot be made, or is in use.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        """`identity` has all that the answer depends on, by its name for readers."""
        self.path = folder.absolute()
        self._identity = dict(identity)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LockstepError(f"{folder} cannot be made: {error.strerror}") from None
        self._lock = FolderLock(folder)

    def write(self, name: str, content: object) -> None:
        """Replace a document as a whole. `OSError` where that cannot be done."""
        for left in self.path.glob(f".*{PART}"):  # by a process that was killed
            left.unlink(missing_ok=True)
        kept = _Kept(_FORMAT, self._identity, msgspec.Raw(msgspec.json.encode(content)))
        write_document(self.path / name, kept)

    def read(self, name: str, kind: type[T]) -> T | None:
        """A document of this search; None where there is none.

        Raises LockstepError where it is another search's, and `Damaged`.
        """
        file = self.path / name
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.damaged(file, f"it cannot be read: {error.strerror}") from None
        if data.startswith(_OLDER):
            raise self._another("another version of lockstep made it")
        try:
            kept = document_in(data, _Kept)
            self._compare(kept)
            return decoded(kept.content, kind)
        except BrokenSeal as reason:
            raise self.damaged(file, str(reason)) from None

    def damaged(self, file: Path, why: str) -> Damaged:
        """What is wrong with a file of the folder."""
        return damaged_in(self.path, file, why)

    def close(self) -> None:
        """Let others use the folder."""
        self._lock.release()

    def _compare(self, kept: _Kept) -> None:
        """See that the search that is here is this one."""
        if kept.format != _FORMAT:
            raise self._another("another version of lockstep made it")
        others = [name for name, part in self._identity.items() if kept.search.get(name) != part]
        if len(others) == 1:
            raise self._another(f"{others[0]} is another")
        if others:
            raise self._another(f"{', '.join(others[:-1])} and {others[-1]} are others")

    def _another(self, why: str) -> LockstepError:
        return LockstepError(
            f"{self.path} is the checkpoint of another search: {why}",
            cure="name another folder, or remove this one",
        )


def damaged_in(folder: Path, file: Path, why: str) -> Damaged:
    """What is wrong with a file in the folder of a search."""
    return Damaged("the checkpoint", file, why, f"remove {folder}; the search begins again")
