"""The states of each level, in the order in which the search came to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from lockstep.machine.search.memory import Array
from lockstep.machine.search.state_file import Extent, StateFile


class Levels:
    """The states that are `depth` steps from the initial one, for every depth so far.

    They are what the next level is made from, and what a trace is rebuilt from, backwards. With a
    file they are there, and in memory only while they are read.
    """

    def __init__(self, words: int, file: StateFile | None = None) -> None:
        self._words = words
        self._file = file
        self._levels: list[list[Array] | Extent | range] = []
        self._numbered: Callable[[], Array] | None = None
        self._counts: list[int] = []
        self._unfinished: list[Array] = []
        self.bytes = 0
        """The size of all states in memory."""

    def __len__(self) -> int:
        return len(self._levels)

    @property
    def is_on_disk(self) -> bool:
        """Whether states are in a file."""
        return self._file is not None

    def extend(self, parts: Iterable[Array]) -> None:
        """More states of the last level, which is not finished."""
        for part in parts:
            if self._file is not None:
                self._file.append(part)
            else:
                self._unfinished.append(part)
                self.bytes += part.nbytes

    def finish(self) -> None:
        """The last level is finished: another begins."""
        if self._file is not None:
            self.restore(self._file.finish())
        else:
            self._counts.append(sum(len(part) for part in self._unfinished) // self._words)
            self._levels.append(self._unfinished)
            self._unfinished = []

    def number(self, count: int, states: Callable[[], Array]) -> None:
        """One more level, of so many states: those that follow in what has all of them by number.

        `states` is where they are from now on; their memory is not that of the levels.
        """
        begin = sum(self._counts)
        self._numbered = states
        self._counts.append(count)
        self._levels.append(range(begin * self._words, (begin + count) * self._words))

    def rebase(self, states: Array) -> None:
        """States by number are here now."""
        self._numbered = lambda: states
        self.bytes += states.nbytes

    def restore(self, extent: Extent) -> None:
        """One more level, which is in the file already."""
        self._counts.append(extent.words // self._words)
        self._levels.append(extent)

    def leave_out(self, count: int) -> None:
        """One more level, of so many states that are somewhere else."""
        self._counts.append(count)
        self._levels.append([])

    def parts(self, depth: int) -> Iterator[Array]:
        """The states of one level, in arrays."""
        level = self._levels[depth]
        if isinstance(level, Extent):
            assert self._file is not None
            yield from self._file.read(level)
        elif isinstance(level, range):
            assert self._numbered is not None
            yield self._numbered()[level.start : level.stop]
        else:
            yield from level

    def extent(self, depth: int) -> Extent:
        """Where a level is in the file."""
        level = self._levels[depth]
        assert isinstance(level, Extent)
        return level

    def state(self, depth: int, position: int) -> Array:
        """One state of a level."""
        level, begin = self._levels[depth], position * self._words
        if isinstance(level, Extent):
            assert self._file is not None
            return np.concatenate(list(self._file.read(level, begin, self._words)))
        for part in self.parts(depth):
            if begin < len(part):
                return part[begin : begin + self._words]
            begin -= len(part)
        raise IndexError(position)

    def count(self, depth: int) -> int:
        """How many states a level has."""
        return self._counts[depth]

    @property
    def counts(self) -> list[int]:
        """How many states each level has."""
        return self._counts.copy()


def chunks(parts: Iterable[Array], words: int, most: int) -> Iterator[tuple[Array, int, int]]:
    """The states of a level in stretches of at most `most`: an array, and from where to where."""
    for part in parts:
        count = len(part) // words
        for begin in range(0, count, most):
            yield part, begin, min(begin + most, count)
