"""What is asked of `review`, for Python and for the command line alike."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.plain.exploration import DEFAULT_ENGINE, Bounds, Exploration
from lockstep.verbs.models import parse_size
from lockstep.verbs.option import (
    MOST_THREADS,
    command_line,
    option,
    seconds,
    workspace_option,
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
        help="The scope to compare; all that both have, but for very large ones, unless told.",
    )
    engine: str = option(
        "--engine",
        default=DEFAULT_ENGINE,
        metavar="|".join(ENGINES),
        help="The engine that executes the models.",
    )
    max_states: int | None = option("--max-states", least=1, metavar="N", help="Stop at N states.")
    max_seconds: float | None = option(
        "--max-seconds",
        parse=seconds,
        metavar="S",
        help="Stop each search and each comparison after S seconds.",
    )
    memory: int | None = option(
        "--memory",
        parse=parse_size,
        metavar="SIZE",
        help="Stop before more is in memory than SIZE, such as 8GiB.",
    )
    threads: int | None = option(
        "--threads",
        least=1,
        most=MOST_THREADS,
        metavar="N",
        is_asked_again=False,
        help="Number of threads; one a core unless told.",
    )
    save: Path | None = option(
        "--save",
        metavar="DIR",
        is_asked_again=False,
        help="Folder for traces; .lockstep/counterexamples unless told.",
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
