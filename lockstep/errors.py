"""Failures that are reported to the user in one clear line, and the exit codes they end with."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path

from lockstep.words import printable


class ExitCode(IntEnum):
    """What the process says to the shell; the same for every verb."""

    HOLDS = 0
    """Everything that was asked holds (or conforms)."""
    VIOLATED = 1
    """A property is violated, a twin differs, or a log departs."""
    USAGE = 2
    """The input cannot be used: a wrong name, a damaged file, a model that is not well formed."""
    INCONCLUSIVE = 3
    """Nothing was refuted, but not everything was covered; the reason is always printed."""
    DIFFERS = 4
    """What was checked is as claimed, but `specs/` pins other counts than were found."""
    INTERNAL = 70
    """A mistake in lockstep itself, which is no verdict (EX_SOFTWARE of sysexits.h)."""


class LockstepError(Exception):
    """A failure whose text is written for the user: what, where, why and what to do.

    The command prints it without a traceback and ends with `exit_code`.
    """

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, message: str, *, cure: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return self.message if self.cure is None else f"{self.message}\n  cure: {self.cure}"


_MOST_NAMES = 12
"""More than these are not printed."""


def nearest(name: str, names: Iterable[str], otherwise: str) -> str:
    """A cure for an unknown name: the closest known one, or `otherwise`."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f"did you mean {close[0]}?" if close else otherwise


def nearest_of(name: str, names: Iterable[str], known: str, place: str = "") -> str:
    """A cure for an unknown name: the closest known one, or those that there are.

    `known` stands before these, as in `its actions are`. Of many only the most similar ones are
    named; `place` says where the others are.
    """
    every = [*names]
    shown = every
    if len(every) > _MOST_NAMES:
        shown = difflib.get_close_matches(name, every, n=_MOST_NAMES // 2, cutoff=0)
    left = len(every) - len(shown)
    more = f" and {left} more{place and f', {place}'}" if left else ""
    return nearest(name, every, f"{known}: {', '.join(shown) or 'none'}{more}")


def unknown(
    problem: str, name: str, names: Iterable[str], known: str, place: str = ""
) -> LockstepError:
    """The error for a name that is not there; its cure is as of `nearest_of`."""
    return LockstepError(problem, cure=nearest_of(name, names, known, place))


def not_written(where: Path, error: OSError) -> str:
    """That something cannot be written and why; a full disk does not say which file it was."""
    return f"{printable(str(error.filename or where))} cannot be written: {error.strerror}"
