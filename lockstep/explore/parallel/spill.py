"""Arrays of words in files, for states that memory has no room for."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from lockstep.errors import LockstepError
from lockstep.explore.parallel.memory import Array


class Spill:
    """Arrays in nameless files of a folder: however the process ends, nothing is left of them.

    Raises LockstepError when the folder cannot be used, and OSError when it has no more room.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise LockstepError(
                f"no states can be kept in {folder}: {error.strerror}", cure="name another folder"
            ) from None

    def zeros(self, words: int) -> Array:
        """An array of zeros, all of whose room is taken at once."""
        with tempfile.TemporaryFile(dir=self._folder) as file:
            # A file with holes would end the process, not the call, where the disk is full.
            os.posix_fallocate(file.fileno(), 0, 8 * words)
            return np.memmap(file, np.uint64, "r+", shape=(words,))

    def kept(self, parts: list[Array]) -> Array:
        """Some arrays as one, to be read."""
        words = sum(len(part) for part in parts)
        if words == 0:
            return np.empty(0, np.uint64)
        with tempfile.TemporaryFile(dir=self._folder) as file:
            for part in parts:
                file.write(np.ascontiguousarray(part).data)
            file.flush()
            return np.memmap(file, np.uint64, "r", shape=(words,))


def is_on_disk(array: Array) -> bool:
    """Whether an array is part of a file."""
    return isinstance(array, np.memmap)
