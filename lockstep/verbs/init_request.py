"""What is asked of `init`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.verbs.option import REQUIRED, option


@dataclass(frozen=True)
class InitRequest:
    """A workspace to make."""

    folder: Path = option(
        default=REQUIRED,
        metavar="NAME",
        help="The folder to make it in, which gives it its name: a new one, "
        "or one that is there, such as `.`",
    )
