"""What is asked of `check`, for Python and for the command line alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.plain.exploration import DEFAULT_ENGINE, ENGINES, Bounds, Exploration, Walks
from lockstep.specs.tables import Plain
from lockstep.verbs.option import (
    anew_option,
    command_line,
    fault_option,
    given_flags,
    option,
    proposal_option,
    refuse_pairs,
    workspace_option,
)
from lockstep.verbs.search_options import (
    constants_option,
    memory_option,
    save_option,
    seconds_option,
    states_option,
    threads_option,
)
from lockstep.workspace import Workspace

_OF_A_SEARCH = ("--checkpoint", "--symmetry", "--liveness", "--all")
"""What random walks do not go with."""


@dataclass(frozen=True)
class CheckRequest:
    """A check of some models, each in one scope; every field has a default."""

    models: tuple[str, ...] = option(
        default=(), metavar="MODEL", help="Names of models; all of them unless some are given."
    )
    workspace: Workspace | None = workspace_option()
    scope: str | None = option(
        "--scope", metavar="NAME", help="A scope of specs/MODEL.toml. Default: `default`."
    )
    engine: str = option(
        "--engine",
        default=DEFAULT_ENGINE,
        metavar="|".join(ENGINES),
        help="The engine that executes the models.",
    )
    master: str | None = option(
        "--master",
        metavar="URL",
        help="Where the engine spark runs, as Spark names it. Default: this machine.",
    )
    constants: Mapping[str, Plain] = constants_option(
        "Change a constant; no count is then compared with specs/."
    )
    only: tuple[str, ...] = option(
        "--only", default=(), metavar="PROPERTY", help="Check this property and no other."
    )
    omitted: tuple[str, ...] = option(
        "--except", default=(), metavar="PROPERTY", help="Check all properties but this one."
    )
    goes_on: bool = option(
        "--all", default=False, help="Go on past what is violated, and judge the rest."
    )
    max_states: int | None = states_option()
    max_seconds: float | None = seconds_option()
    memory: int | None = memory_option()
    spill: Path | None = option(
        "--spill",
        metavar="DIR",
        help="Keep states beyond --memory in a folder, which is as empty afterwards.",
    )
    fault: str | None = fault_option()
    proposal: str | None = proposal_option()
    mutant: str | None = option(
        "--mutant", metavar="NAME", help="Make one of the model's small changes (--mutants)."
    )
    symmetry: bool = option(
        "--symmetry",
        default=False,
        help="Take states for one that differ by interchangeable names only.",
    )
    liveness: bool = option(
        "--liveness", default=False, help="Check what must come to pass in larger scopes, too."
    )
    simulate: int | None = option(
        "--simulate", least=1, metavar="N", help="Take N random walks instead of a search."
    )
    hypothesis: int | None = option(
        "--hypothesis",
        least=1,
        metavar="N",
        help="Take N walks that Hypothesis draws, in plain Python, and shorten what is violated.",
    )
    steps: int = option(
        "--steps", default=200, least=1, most=10**7, metavar="N", help="Steps of a random walk."
    )
    seed: int = option(
        "--seed", default=0, least=0, most=2**63 - 1, metavar="N", help="Seed of the random walks."
    )
    threads: int | None = threads_option()
    checkpoint: Path | None = option(
        "--checkpoint",
        metavar="DIR",
        help="Keep the search in a folder, level by level, and go on with what is there already.",
    )
    anew: bool = anew_option()
    pin: bool = option(
        "--pin",
        default=False,
        is_asked_again=False,
        help="Write the counts of a scope that holds into specs/MODEL.toml.",
    )
    save: Path | None = save_option()
    changed: str | None = option(
        "--changed",
        metavar="REV",
        is_asked_again=False,
        help="Check only what a change since a git revision can affect.",
    )

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise LockstepError(
                f"there is no engine {self.engine!r}",
                cure=f"the engines are: {', '.join(ENGINES)}",
            )
        if self.master is not None and self.engine != "spark":
            raise LockstepError("--master is for the engine spark", cure="--engine spark")
        refuse_pairs(
            {
                "--simulate": ("--hypothesis", *_OF_A_SEARCH),
                "--hypothesis": _OF_A_SEARCH,
                "--only": ("--except",),
                "--mutant": ("--fault", "--proposal"),
                "--proposal": ("--fault",),
            },
            given_flags(self),
        )
        if self.pin and not self.is_the_scope_itself:
            raise LockstepError(
                "--pin writes what a scope gives as it stands",
                cure="leave out what changes the scope, the model or its properties",
            )

    @property
    def exploration(self) -> Exploration:
        """How each model is explored, as far as that is the same for all."""
        return Exploration(
            self.engine,
            Bounds(self.max_states, self.max_seconds, memory=self.memory, spill=self.spill),
            liveness=self.liveness,
            threads=self.threads,
            symmetry=self.symmetry,
            master=self.master,
        )

    @property
    def walks(self) -> Walks | None:
        """Random behaviours to take instead of a search."""
        count = self.simulate if self.hypothesis is None else self.hypothesis
        if count is None:
            return None
        return Walks(count, self.steps, self.seed, by_hypothesis=self.hypothesis is not None)

    @property
    def is_bounded(self) -> bool:
        """Whether a search may end before it has seen everything."""
        return any(bound is not None for bound in vars(self.exploration.bounds).values())

    @property
    def is_the_scope_itself(self) -> bool:
        """Whether what is found can be held against what the scope pins.

        A bound changes nothing where it is not met, and is inconclusive where it is.
        """
        variant = self.fault or self.proposal or self.mutant
        is_changed = self.constants or self.symmetry or variant
        return not is_changed and not (self.only or self.omitted) and self.walks is None

    def again(self, model: str) -> str:
        """The command that asks the same of one model."""
        return command_line("check", self, model)
