"""How the process ends."""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.errors import ExitCode

INTERRUPTED = 130
"""Ctrl-C, as shells count it, so that no caller takes it for a verdict."""

_WORST_FIRST = (
    INTERRUPTED,
    ExitCode.INTERNAL,
    ExitCode.USAGE,
    ExitCode.VIOLATED,
    ExitCode.INCONCLUSIVE,
    ExitCode.DIFFERS,
    ExitCode.HOLDS,
)


def worst(codes: Iterable[int]) -> int:
    """The worst code of several results: 130, then 70, 2, 1, 3, 4, and 0 when there is no other."""
    return int(min(codes, key=_WORST_FIRST.index, default=ExitCode.HOLDS))
