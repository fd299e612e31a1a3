"""What conformance checking says: a verdict a session, and every line that was not used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lockstep.language.model import Model

CONFORMS, DEPARTS, UNKNOWN = "conforms", "departs", "unknown"


@dataclass
class SessionFinding:
    """The verdict on one session of one log.

    `session` is its id (0: requests outside any session). `line` is the first line that departs,
    or where the session was lost sight of; None when it conforms. `lines` counts those followed.
    """

    file: str
    session: int
    client: str
    verdict: str = CONFORMS
    line: int | None = None
    because: str = ""
    lines: int = 0


@dataclass(frozen=True)
class Unused:
    """A line that says nothing about any session, and why."""

    file: str
    line: int
    reason: str
    detail: str


@dataclass
class LogFindings:
    """Everything found in one log file. `reordered` names lines that stood out of order."""

    file: str
    sessions: list[SessionFinding] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)
    reordered: list[Unused] = field(default_factory=list)


LoadModel = Callable[[Mapping[str, object]], Model]
"""The observed model, with these constants."""


class Observe(Protocol):
    """`models/observed/MODEL.py` has a function `observe` of this form."""

    def __call__(self, log: Path, load: LoadModel) -> LogFindings:
        """Follow every session of a log through the model."""
        ...
