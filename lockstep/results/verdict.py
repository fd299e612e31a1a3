"""The verdict: one word that means the same in every verb."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from lockstep.errors import ExitCode, LockstepError


class Verdict(StrEnum):
    """The outcome in one word that is the same in every verb."""

    HOLDS = "holds"
    VIOLATED = "violated"
    DIFFERS = "differs"
    """What was checked is as claimed, but the scope pins other counts than were found."""
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"
    """The model's text is not well formed, or has no meaning in a reachable state."""


def verdict_without(error: LockstepError) -> Verdict:
    """The word for what could not be judged: it agrees with the error's exit code."""
    bounded = error.exit_code is ExitCode.INCONCLUSIVE
    return Verdict.INCONCLUSIVE if bounded else Verdict.ERROR


INTERRUPTED = 130
"""Ctrl-C, as shells count it, so that no caller takes it for a verdict."""

_CODES = {
    Verdict.HOLDS: ExitCode.HOLDS,
    Verdict.VIOLATED: ExitCode.VIOLATED,
    Verdict.DIFFERS: ExitCode.DIFFERS,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    Verdict.ERROR: ExitCode.USAGE,
}


def exit_code_of(verdict: Verdict, *, expected: bool = False, interrupted: bool = False) -> int:
    """What an answer alone ends the process with: 130 where it was interrupted, else its verdict's.

    A violation that is `expected` ends it as what holds does.
    """
    if interrupted:
        return INTERRUPTED
    return int(ExitCode.HOLDS if expected else _CODES[verdict])


def verdict_of(code: int) -> Verdict:
    """The verdict that ends a process with a code; `error` where none does."""
    return next((verdict for verdict, end in _CODES.items() if end == code), Verdict.ERROR)


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
