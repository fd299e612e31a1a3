"""What is asked of `propose`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.option import REQUIRED, option, workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ProposeRequest:
    """A proposal to begin."""

    model: str = option(default=REQUIRED, metavar="MODEL", help="The model to change.")
    name: str = option(
        default=REQUIRED, metavar="NAME", help="The proposal's name, such as no_retries."
    )
    workspace: Workspace | None = workspace_option()
