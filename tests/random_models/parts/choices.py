"""What is drawn while a model is written, so that shrinking makes the model simpler."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeVar

import hypothesis.strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

Option = TypeVar("Option")


@cache
def _below(count: int) -> SearchStrategy[int]:
    return st.integers(0, count - 1)


class Choices:
    """Choices among a few options. The first option is always the one that shrinking prefers."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        """A number from 0 up to and without `count`."""
        return self._below(count) if count > 1 else 0

    def _below(self, count: int) -> int:
        return self._draw(_below(count))

    def pick(self, options: Sequence[Option]) -> Option:
        """One of the options, each as likely as any other."""
        return options[self.below(len(options))]

    def now_and_then(self, one_in: int) -> bool:
        """True once in so many times; False is simpler."""
        return self.below(one_in) == one_in - 1

    def times(self, least: int, most: int, *, go_on: int = 2) -> Iterator[int]:
        """Counts from 0, to be enumerated: each round is drawn, so that any may be taken out.

        After `least` rounds there is another one `go_on` times out of `go_on + 1`.
        """
        for round_ in range(most):
            if round_ >= least and self.below(go_on + 1) == 0:
                return
            yield round_

    def some(self, options: Sequence[Option], most: int) -> list[Option]:
        """Up to `most` different options, in the order in which they are drawn."""
        remaining, chosen = list(options), list[Option]()
        while remaining and len(chosen) < most and self.below(3):
            chosen.append(remaining.pop(self.below(len(remaining))))
        return chosen


class SeededChoices(Choices):
    """The choices of a seed, which are the same whatever else is loaded; `made` records them."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.made: list[int] = []

    def _below(self, count: int) -> int:
        self.made.append(self._chance.randrange(count))
        return self.made[-1]


class RepeatedChoices(Choices):
    """Choices that were made before, perhaps fewer or smaller ones; then the first option."""

    def __init__(self, made: Sequence[int]) -> None:
        self._made = list(made)
        self.made: list[int] = []

    def _below(self, count: int) -> int:
        place = len(self.made)
        self.made.append(min(self._made[place], count - 1) if place < len(self._made) else 0)
        return self.made[-1]
