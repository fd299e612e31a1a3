"""What is asked of `twin`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.verbs.option import (
    MOST_THREADS,
    anew_option,
    command_line,
    option,
    workspace_option,
)
from lockstep.verbs.search_options import seconds_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class TwinRequest:
    """Comparisons of some models with their twins; every field has a default."""

    models: tuple[str, ...] = option(
        default=(), metavar="MODEL", help="Names of models; all that have a twin unless some given."
    )
    workspace: Workspace | None = workspace_option()
    scope: str | None = option(
        "--scope", metavar="NAME", help="A scope to compare instead of `small` and `default`."
    )
    max_seconds: float | None = seconds_option("Stop TLC after S seconds, and the search as well.")
    workers: int = option(
        "--workers",
        default=1,
        least=1,
        most=MOST_THREADS,
        metavar="N",
        help="Number of TLC's threads where counts are compared.",
    )
    keep: Path | None = option(
        "--keep", metavar="DIR", help="Keep TLC's configurations and graphs in a folder."
    )
    liveness: bool = option(
        "--liveness",
        default=False,
        help="Let TLC check liveness in scopes beyond some thousand states.",
    )

    anew: bool = anew_option()

    def again(self, model: str) -> str:
        """The command that asks the same of one model."""
        return command_line("twin", self, model)
