"""What is drawn while a model is written, so that shrinking makes the model simpler."""

from __future__ import annotations

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
        return self._draw(_below(count)) if count > 1 else 0

    def pick(self, options: Sequence[Option]) -> Option:
        """One of the options, each as likely as any other."""
        return options[self.below(len(options))]

    def now_and_then(self, one_in: int) -> bool:
        """True once in so many times; False is simpler."""
        return self.below(one_in) == one_in - 1

    def times(self, least: int, most: int, *, go_on: int = 2) -> Iterator[int]:
        """Counts from 0, to be gone through: each round is drawn, so that any may be taken out.

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
