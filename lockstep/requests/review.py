"""What is asked of `review`, for Python and for the command line alike."""

from __future__ import annotations

import shlex
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from lockstep.plain.exploration import DEFAULT_ENGINE
from lockstep.requests.option import (
    command_line,
    option,
    save_option,
    seconds,
    seconds_option,
    workspace_option,
)
from lockstep.requests.search import SearchOptions
from lockstep.specs.expected import EXPECTED_FILE
from lockstep.workspace import Workspace

ENGINES = ("auto", "compiled", "python")
"""The engines that compare behaviours."""

MOST_STATES = 10_000_000
"""The states of a scope, of either version, up to which it is reviewed unless it is named."""


@dataclass(frozen=True)
class ReviewRequest(SearchOptions):
    """A comparison of two versions of a model, or of all models of two revisions.

    `versions` are `BASE` and `HEAD`, each `MODEL` or `MODEL.FAULT`, either with `@NAME=VALUE,...`
    for constants; or one text `REV..REV`, with names of models after it where not all are meant.
    """

    versions: tuple[str, ...] = option(
        default=(),
        metavar="BASE HEAD",
        help="Twice MODEL, MODEL.FAULT or MODEL@NAME=VALUE; or REV..REV, and names of models.",
    )
    workspace: Workspace | None = workspace_option()
    scope: str | None = option(
        "--scope",
        metavar="NAME",
        help="The scope to compare. Default: all that both have, but for very large ones.",
    )
    _: KW_ONLY
    engine: str = option(
        "--engine",
        default=DEFAULT_ENGINE,
        choices=ENGINES,
        help="The engine that executes the models.",
    )
    max_seconds: float | None = seconds_option(
        "Stop each search and each comparison after S seconds, and begin no fault after S."
    )
    action_seconds: float = option(
        "--action-seconds",
        default=30.0,
        parse=seconds,
        metavar="S",
        help="Ask the solver for at most S seconds about each action.",
    )
    save: Path | None = save_option()
    expected: Path | None = option(
        "--expected",
        metavar="FILE",
        help=f"What a change may break, and why. Default: {EXPECTED_FILE}.",
    )
    no_faults: bool = option(
        "--no-faults",
        default=False,
        help="Do not look whether the faults of changed models are caught as they say.",
    )
    twins: bool = option(
        "--twins", default=False, help="Compare TLA+ twins of changed models; needs Java."
    )
    proofs: bool = option(
        "--proofs", default=False, help="Make the proofs of changed models again."
    )

    @property
    def again(self) -> str:
        """The command that asks the same again."""
        return command_line("review", self, *map(shlex.quote, self.versions))
