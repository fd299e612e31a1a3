"""The verdict: one word that means the same in every verb."""

from __future__ import annotations

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
