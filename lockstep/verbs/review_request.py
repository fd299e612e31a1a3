"""What is asked of `review`, for Python and for the command line alike."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.plain.exploration import DEFAULT_ENGINE, Bounds, Exploration
from lockstep.specs.expected import EXPECTED_FILE
from lockstep.verbs.option import (
    command_line,
    option,
    seconds,
    workspace_option,
)
from lockstep.verbs.search_options import (
    memory_option,
    save_option,
    seconds_option,
    states_option,
    threads_option,
)
from lockstep.workspace import Workspace

ENGINES = ("auto", "compiled", "python")
"""The engines that compare behaviours."""

MOST_STATES = 10_000_000
"""The states of a scope, of either version, up to which it is reviewed unless it is named."""


@dataclass(frozen=True)
class ReviewRequest:
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
    engine: str = option(
        "--engine",
        default=DEFAULT_ENGINE,
        metavar="|".join(ENGINES),
        help="The engine that executes the models.",
    )
    max_states: int | None = states_option()
    max_seconds: float | None = seconds_option(
        "Stop each search and each comparison after S seconds, and begin no fault after S."
    )
    memory: int | None = memory_option()
    action_seconds: float = option(
        "--action-seconds",
        default=30.0,
        parse=seconds,
        metavar="S",
        help="Ask the solver for at most S seconds about each action.",
    )
    threads: int | None = threads_option()
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

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise LockstepError(
                f"there is no engine {self.engine!r} for reviews",
                cure=f"the engines are: {', '.join(ENGINES)}",
            )

    @property
    def exploration(self) -> Exploration:
        """How each version is explored."""
        bounds = Bounds(self.max_states, self.max_seconds, memory=self.memory)
        return Exploration(self.engine, bounds, threads=self.threads)

    @property
    def again(self) -> str:
        """The command that asks the same again."""
        return command_line("review", self, *map(shlex.quote, self.versions))
