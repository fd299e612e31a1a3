"""What is asked of `doctor`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.option import workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class DoctorRequest:
    """What is to be looked at: the machine, and a workspace."""

    workspace: Workspace | None = workspace_option()
