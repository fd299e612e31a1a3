"""The states of each level, in the order in which they were found."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.explore.parallel.memory import Array
from lockstep.explore.parallel.spill import is_on_disk


class Levels:
    """The states that are `depth` steps from the initial one, for every depth so far.

    They are what the next level is made from, and what a trace is rebuilt from, backwards.
    """

    def __init__(self, words: int) -> None:
        self._words = words
        self._levels: list[list[Array]] = []

    def __len__(self) -> int:
        return len(self._levels)

    def add(self, parts: list[Array]) -> None:
        """One more level, its states in any number of arrays."""
        self._levels.append(parts)

    def parts(self, depth: int) -> list[Array]:
        """The arrays of one level."""
        return self._levels[depth]

    def count(self, depth: int) -> int:
        """How many states a level has."""
        return sum(len(part) for part in self._levels[depth]) // self._words

    @property
    def bytes(self) -> int:
        """The size of all levels in memory."""
        parts = (part for level in self._levels for part in level)
        return sum(part.nbytes for part in parts if not is_on_disk(part))


def chunks(parts: list[Array], words: int, most: int) -> Iterator[tuple[Array, int, int]]:
    """The states of a level in stretches of at most `most`: an array, and from where to where."""
    for part in parts:
        count = len(part) // words
        for begin in range(0, count, most):
            yield part, begin, min(begin + most, count)
