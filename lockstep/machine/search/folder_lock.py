"""One process at a time in a folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from lockstep.errors import LockstepError


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
