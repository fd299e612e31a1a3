"""Arrays of words in files, for states that memory has no room for."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from lockstep.errors import LockstepError
from lockstep.machine.search.memory import Array
from lockstep.machine.search.state_file import StateFile


class Spill:
    """Arrays in nameless files of a folder: however the process ends, nothing is left of them.

    Nameless files are of one process alone, so that any number of searches may share the folder.
    Raises LockstepError when the folder cannot be used, and OSError when it has no more room.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: list[StateFile] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise LockstepError(
                f"no states can be kept in {folder}: {error.strerror}", cure="name another folder"
            ) from None

    def close(self) -> None:
        """Close the files of states; arrays of zeros stay as long as they are referred to."""
        for file in self._files:
            file.close()
        self._files = []

    def zeros(self, words: int) -> Array:
        """An array of zeros, all of whose room is taken at once."""
        with tempfile.TemporaryFile(dir=self._folder) as file:
            # A file with holes would end the process, not the call, where the disk is full.
            os.posix_fallocate(file.fileno(), 0, 8 * words)
            return np.memmap(file, np.uint64, "r+", shape=(words,))

    def states(self, words: int) -> StateFile:
        """An empty file for states of so many words."""
        with tempfile.TemporaryFile(dir=self._folder) as file:
            self._files.append(StateFile(os.dup(file.fileno()), words))
        return self._files[-1]


def is_on_disk(array: Array) -> bool:
    """Whether an array is part of a file."""
    return isinstance(array, np.memmap)
