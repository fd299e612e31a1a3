"""How the process ends."""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.errors import ExitCode

INTERRUPTED = 130
"""Ctrl-C, as shells count it, so that a caller can tell it from a verdict."""

_WORST_FIRST = (
    INTERRUPTED,
    ExitCode.USAGE,
    ExitCode.VIOLATED,
    ExitCode.INCONCLUSIVE,
    ExitCode.DIFFERS,
)


def worst(codes: Iterable[int]) -> int:
    """The code of several results together: 130, then 2, 1, 3, 4, and 0 when there is no other."""
    found = set(codes)
    return int(next((code for code in _WORST_FIRST if code in found), ExitCode.HOLDS))
