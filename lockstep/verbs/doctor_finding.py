"""What `doctor` says of one thing that lockstep needs, or can use."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Presence(StrEnum):
    """Whether a thing is there."""

    OK = "ok"
    ABSENT = "absent"
    """It is not there, or not fit to be used, and most of lockstep does without."""
    MISSING = "missing"
    """It is not there, and lockstep does not do without."""


@dataclass(frozen=True)
class Finding:
    """One thing: its `name`, and `what` there is, or why there is nothing.

    What is not there has a `cure`; `needed_for` is empty where all of lockstep needs it.
    """

    name: str
    presence: Presence
    what: str
    needed_for: str = ""
    cure: str | None = None

    @staticmethod
    def ok(name: str, what: str) -> Finding:
        """A thing that is there."""
        return Finding(name, Presence.OK, what)

    @staticmethod
    def missing(name: str, why: str, cure: str | None) -> Finding:
        """A thing that has to be there."""
        return Finding(name, Presence.MISSING, why, cure=cure)

    @staticmethod
    def absent(name: str, why: str, needed_for: str, cure: str | None) -> Finding:
        """A thing without which only some of lockstep cannot be used."""
        return Finding(name, Presence.ABSENT, why, needed_for, cure)
