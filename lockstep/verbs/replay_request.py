"""What is asked of `replay`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.verbs.option import REQUIRED, given_flags, option, refuse_pairs, workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ReplayRequest:
    """A recorded behaviour to take again."""

    file: Path = option(default=REQUIRED, metavar="FILE", help="A trace that a verb saved.")
    pytest: Path | None = option(
        "--pytest", metavar="FILE", help="Write the behaviour as a file of pytest."
    )
    on: str | None = option(
        "--on",
        metavar="VERSION",
        help="Take it on another version: MODEL, MODEL.FAULT, MODEL.PROPOSAL, MODEL@NAME=VALUE, "
        "or REV:MODEL.",
    )
    scope: str | None = option(
        "--scope", metavar="NAME", help="The scope of --on; the constants recorded unless told."
    )
    workspace: Workspace | None = workspace_option()

    def __post_init__(self) -> None:
        refuse_pairs({"--on": ("--pytest",)}, given_flags(self))
        if self.scope is not None and self.on is None:
            raise LockstepError(
                "--scope is that of another version", cure="name the version with --on"
            )
