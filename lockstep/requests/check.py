"""What is asked of `check`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from lockstep.errors import LockstepError
from lockstep.plain.exploration import Exploration, Walks
from lockstep.requests.option import (
    changed_option,
    command_line,
    liveness_option,
    option,
    spill_option,
)
from lockstep.requests.search import CachedSearchOptions, CostsRequest

_OF_A_SEARCH = ("--checkpoint", "--symmetry", "--liveness", "--all")
"""What random walks do not go with."""


@dataclass(frozen=True, kw_only=True)
class JudgedRequest(CachedSearchOptions, CostsRequest):
    """What is checked of versions of models, by a search or by random walks."""

    apart: ClassVar = {
        "--simulate": ("--hypothesis", *_OF_A_SEARCH),
        "--hypothesis": _OF_A_SEARCH,
        "--only": ("--except",),
    }

    only: tuple[str, ...] = option(
        "--only", default=(), metavar="PROPERTY", help="Check this property and no other."
    )
    omitted: tuple[str, ...] = option(
        "--except", default=(), metavar="PROPERTY", help="Check all properties but this one."
    )
    symmetry: bool = option(
        "--symmetry",
        default=False,
        help="Treat states that differ in interchangeable names alone as one.",
    )
    liveness: bool = liveness_option()
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

    @property
    def exploration(self) -> Exploration:
        """How each model is explored, as far as that is the same for all."""
        return replace(
            super().exploration,
            liveness=self.liveness,
            symmetry=self.symmetry,
            master=self.master,
        )

    @property
    def walks(self) -> Walks | None:
        """Random behaviours to take instead of a search."""
        count = self.simulate if self.hypothesis is None else self.hypothesis
        if count is None:
            return None
        return Walks(count, self.steps, by_hypothesis=self.hypothesis is not None)


@dataclass(frozen=True, kw_only=True)
class CheckRequest(JudgedRequest):
    """A check of some models, each in one scope; every field has a default."""

    apart: ClassVar = {"--mutant": ("--fault", "--proposal")}

    goes_on: bool = option(
        "--all", default=False, help="Go on after a violation, and check the other properties."
    )
    spill: Path | None = spill_option()
    mutant: str | None = option(
        "--mutant",
        metavar="NAME",
        help="Make one of the model's small changes, which `mutants` lists.",
    )
    seed: int = option(
        "--seed", default=0, least=0, most=2**63 - 1, metavar="N", help="Seed of the random walks."
    )
    checkpoint: Path | None = option(
        "--checkpoint",
        metavar="DIR",
        help="Save the search in a folder, level by level, and resume what is saved there.",
    )
    pin: bool = option(
        "--pin",
        default=False,
        is_asked_again=False,
        help="Write the counts of a scope that holds into specs/MODEL.toml.",
    )
    changed: str | None = changed_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pin and not self.is_the_scope_itself:
            raise LockstepError(
                "--pin writes what a scope gives as it stands",
                cure="leave out what changes the scope, the model or its properties",
            )

    @property
    def exploration(self) -> Exploration:
        """How each model is explored, as far as that is the same for all."""
        whole = super().exploration
        return replace(whole, bounds=replace(whole.bounds, spill=self.spill))

    @property
    def walks(self) -> Walks | None:
        """Random behaviours to take instead of a search."""
        walks = super().walks
        return None if walks is None else replace(walks, seed=self.seed)

    @property
    def is_bounded(self) -> bool:
        """Whether a search may end before it has seen everything."""
        return any(bound is not None for bound in vars(self.exploration.bounds).values())

    @property
    def is_the_scope_itself(self) -> bool:
        """Whether what is found can be compared with what the scope pins.

        A bound changes nothing where it is not met, and is inconclusive where it is.
        """
        variant = self.fault or self.proposal or self.mutant
        is_changed = self.constants or self.symmetry or variant
        return not is_changed and not (self.only or self.omitted) and self.walks is None

    def again(self, model: str) -> str:
        """The command that asks the same of one model."""
        return command_line("check", self, model)
