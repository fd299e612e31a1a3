"""What is asked of `report`: of which workspace, and what else goes into its history and page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.verbs.option import option, workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ReportRequest:
    """A report of a workspace; every field has a default.

    `history` is the file that earlier reports have added to, by default one of the workspace.
    `conform` are files with what `conform --json` printed.
    """

    workspace: Workspace | None = workspace_option()
    history: Path | None = option(
        "--history",
        metavar="FILE",
        help="The results of earlier reports, to which this one adds its own; "
        ".lockstep/history.jsonl unless told.",
    )
    conform: tuple[Path, ...] = option(
        "--conform",
        default=(),
        metavar="FILE",
        help="What `conform --json` printed, to be shown as well.",
    )
