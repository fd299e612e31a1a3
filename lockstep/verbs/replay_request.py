"""What is asked of `replay`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.verbs.option import REQUIRED, option, workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ReplayRequest:
    """A recorded behaviour to take again."""

    file: Path = option(default=REQUIRED, metavar="FILE", help="A trace that a verb saved.")
    pytest: Path | None = option(
        "--pytest", metavar="FILE", help="Write the behaviour as a file of pytest."
    )
    workspace: Workspace | None = workspace_option()
