"""What the requests of all verbs that search have in common: of what, and what it may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from lockstep.errors import LockstepError
from lockstep.plain.exploration import DEFAULT_ENGINE, ENGINES, Bounds, Exploration
from lockstep.requests.option import (
    MOST_THREADS,
    REQUIRED,
    Request,
    anew_option,
    constants_option,
    fault_option,
    option,
    parse_size,
    save_option,
    seconds_option,
    workspace_option,
)
from lockstep.specs.tables import Plain
from lockstep.workspace import Workspace

SPARK = "spark"
"""The engine that spreads work over a cluster."""


@dataclass(frozen=True)
class ModelsRequest(Request):
    """Some models of a workspace; every field has a default."""

    models: tuple[str, ...] = option(
        default=(), metavar="MODEL", help="Names of models; all of them unless some are given."
    )
    workspace: Workspace | None = workspace_option()


@dataclass(frozen=True)
class VersionOptions(Request):
    """A scope, and what is changed of a model in it."""

    apart: ClassVar = {"--proposal": ("--fault",)}

    scope: str | None = option(
        "--scope",
        metavar="NAME",
        help="A scope of specs/MODEL.toml. Default: `default`; that of a fault with --fault.",
    )
    constants: Mapping[str, Plain] = constants_option(
        "Change a constant; no count is then compared with specs/."
    )
    fault: str | None = fault_option()
    proposal: str | None = option(
        "--proposal", metavar="NAME", help="Put a proposal of the model in place."
    )


@dataclass(frozen=True)
class ModelRequest(Request):
    """One model of a workspace."""

    model: str = option(default=REQUIRED, metavar="MODEL", help="The name of the model.")
    workspace: Workspace | None = workspace_option()


@dataclass(frozen=True)
class VersionsRequest(VersionOptions, ModelsRequest):
    """Models, each in one scope, as they are or with a change."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Request):
    """How models are explored, and what that may take; None is no bound."""

    engine: str = option(
        "--engine",
        default=DEFAULT_ENGINE,
        choices=ENGINES,
        help="The engine that executes the models.",
    )
    max_states: int | None = option(
        "--max-states",
        least=1,
        metavar="N",
        help="Stop before the level that goes beyond N states.",
    )
    max_seconds: float | None = seconds_option()
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
        help="Number of threads. Default: one a core.",
    )

    @property
    def given(self) -> dict[str, Any]:
        """The same options, for another request."""
        return {
            described.name: getattr(self, described.name) for described in fields(SearchOptions)
        }

    @property
    def exploration(self) -> Exploration:
        """How each model is explored, as far as that is the same for all."""
        bounds = Bounds(self.max_states, self.max_seconds, memory=self.memory)
        return Exploration(self.engine, bounds, threads=self.threads)


@dataclass(frozen=True, kw_only=True)
class CachedSearchOptions(SearchOptions):
    """The same, of searches whose results are cached, and which a cluster may do."""

    master: str | None = option(
        "--master",
        metavar="URL",
        help="Where the engine spark runs, as Spark names it. Default: this machine.",
    )
    anew: bool = anew_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.master is not None and self.engine != SPARK:
            raise LockstepError("--master is for the engine spark", cure="--engine spark")


@dataclass(frozen=True)
class CostsRequest(SearchOptions, VersionsRequest):
    """Scenarios of some models to count; every field has a default."""

    save: Path | None = save_option()
