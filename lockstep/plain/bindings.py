"""The bindings of some parameters, one at a time: nothing is listed beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lockstep.language.domains import Domain


class Bindings:
    """Every combination of values of some domains in turn, the last one running fastest.

    `depth` may be set after each binding: those that begin with its first `depth` values are
    passed over.
    """

    def __init__(self, domains: Sequence[Domain]) -> None:
        self._domains = tuple(domains)
        self.depth = len(self._domains)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for binding in self._of_first(len(self._domains)):
            self.depth = len(self._domains)
            yield binding

    def _of_first(self, count: int) -> Iterator[tuple[Any, ...]]:
        if count == 0:
            yield ()
            return
        for outer in self._of_first(count - 1):
            for value in self._domains[count - 1]:
                yield (*outer, value)
                if self.depth < count:
                    break
