"""What other installed packages add to lockstep, found by their entry points."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from lockstep.errors import LockstepError

VERBS = "lockstep.verbs"
"""Verbs of the command line: functions as `lockstep.cli.app.VERBS` has them."""

LOGS = "lockstep.logs"
"""Who knows the logs of running systems: `follow` one, `read` what came of some, `section` it."""

DRIVERS = "lockstep.drivers"
"""Drivers of known software: functions of what follows their name, such as `:4.4.0`."""


def find_extension(group: str, name: str) -> Any | None:
    """What an installed package gives under this name; None where none does."""
    return next((point.load() for point in entry_points(group=group, name=name)), None)


def extensions(group: str) -> list[str]:
    """The names that installed packages give something under."""
    return sorted({point.name for point in entry_points(group=group)})


def extension(group: str, name: str) -> Any:
    """What an installed package gives under this name; `LockstepError` where none does."""
    if (found := find_extension(group, name)) is not None:
        return found
    raise LockstepError(
        f"no package that is installed gives {name} of {group}",
        cure="install lockstep again: it comes with lockstep_kafka, which does",
    )
