"""The bindings of some parameters, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

from lockstep.language.domains import Domain
from lockstep.language.values import TooManyValues

_MOST_LISTED = 1 << 12
"""Bindings that are listed once and kept; of more, nothing is listed beforehand."""


class Parameters:
    """The domains of some parameters, whose bindings are listed once where they are few."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.domains = tuple(domains)
        values = _values(self.domains)
        self.listed = None if values is None else list(product(*values))
        self.repeats = [1]
        """How many bindings that are listed begin with the same first 0, 1, 2 and so on values."""
        for of_one in reversed(values or ()):
            self.repeats.insert(0, self.repeats[0] * len(of_one))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(Bindings(self) if self.listed is None else self.listed)


class Bindings:
    """Every combination of values of some domains in turn, the last one running fastest.

    `depth` may be set after each binding: those that begin with its first `depth` values are
    passed over.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self.depth = len(parameters.domains)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        count, listed = len(self._parameters.domains), self._parameters.listed
        if listed is None:
            for binding in self._of_first(count):
                self.depth = count
                yield binding
            return
        at, repeats = 0, self._parameters.repeats
        while at < len(listed):
            self.depth = count
            yield listed[at]
            at += repeats[self.depth] - at % repeats[self.depth]

    def _of_first(self, count: int) -> Iterator[tuple[Any, ...]]:
        if count == 0:
            yield ()
            return
        for outer in self._of_first(count - 1):
            for value in self._parameters.domains[count - 1]:
                yield (*outer, value)
                if self.depth < count:
                    break


def _values(domains: Sequence[Domain]) -> list[list[Any]] | None:
    """The values of each domain; None where they are many together, or cannot be listed."""
    values: list[list[Any]] = []
    count = 1
    for domain in domains:
        try:
            values.append(list(islice(domain, _MOST_LISTED + 1)))
        except TooManyValues:  # where the domain is iterated over, it says so
            return None
        count *= len(values[-1])
        if count > _MOST_LISTED:
            return None
    return values
