"""What is asked of `drift`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.requests.option import REQUIRED, option, workspace_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class DriftRequest:
    """Two releases whose source is compared."""

    before: str = option(
        default=REQUIRED,
        metavar="A",
        help="A release of Apache Kafka, as 4.2.1, or a folder with source jars.",
    )
    after: str = option(default=REQUIRED, metavar="B", help="A later one.")
    workspace: Workspace | None = workspace_option()
