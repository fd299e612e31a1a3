"""How large a random model is: as small as shrinking and time like it, or as real ones are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Count:
    """How many of something there are: after `least`, one more `go_on` times out of one more."""

    least: int
    most: int
    go_on: int = 2


@dataclass(frozen=True)
class Size:
    """How many variables, actions, claims and functions a model has.

    One set in `wide_sets` is drawn from more items than a word has bits.
    """

    variables: Count
    actions: Count
    claims: Count
    helpers: Count
    procedures: Count
    wide_sets: int


USUAL = Size(
    variables=Count(1, 4, go_on=3),
    actions=Count(1, 4, go_on=3),
    claims=Count(0, 3),
    helpers=Count(0, 2),
    procedures=Count(0, 1, go_on=1),
    wide_sets=10,
)
"""Few of everything: what is wrong shows in small models, too."""

LARGE = Size(
    variables=Count(4, 14, go_on=9),
    actions=Count(4, 25, go_on=14),
    claims=Count(3, 12, go_on=9),
    helpers=Count(1, 5, go_on=3),
    procedures=Count(0, 3),
    wide_sets=3,
)
"""As many as the larger protocols of a workspace have."""
