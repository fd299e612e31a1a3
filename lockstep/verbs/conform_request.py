"""What is asked of `conform`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.verbs.option import REQUIRED, option, workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ConformRequest:
    """Logs to hold against a model."""

    logs: tuple[str | Path, ...] = option(
        default=REQUIRED,
        metavar="LOG...",
        help="Request logs, plain or compressed by gzip or zstd: files, folders of files, or - for "
        "standard input.",
    )
    model: str | None = option(
        "--model",
        metavar="MODEL",
        help="The model to follow; the only one that has a follower unless told.",
    )
    broker_from: str | None = option(
        "--broker-from",
        metavar="PATTERN",
        help="A regular expression that is searched in the path of each file; its group `broker` "
        "names the broker that wrote it. Unless told, a broker is known by its address.",
    )
    workspace: Workspace | None = workspace_option()
    most: int | None = None
    """How many sessions of each verdict, and how many lines that are not followed, the result
    keeps; all unless told. All are counted."""
