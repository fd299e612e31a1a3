"""What is asked of `new`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lockstep.verbs.option import REQUIRED, option, workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class NewRequest:
    """A protocol to begin."""

    kind: Literal["model"] = option(default=REQUIRED, metavar="model", help="What to begin.")
    name: str = option(default=REQUIRED, metavar="NAME", help="Its name, such as lock_service.")
    workspace: Workspace | None = workspace_option()
