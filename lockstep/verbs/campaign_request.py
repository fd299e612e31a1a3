"""What is asked of the verbs that do many tasks: which, and where their rows are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lockstep.plain.exploration import DEFAULT_ENGINE, Exploration
from lockstep.specs.scopes import DEFAULT_SCOPE
from lockstep.specs.tables import Plain
from lockstep.verbs.check_request import JudgedRequest
from lockstep.verbs.option import (
    changed_option,
    liveness_option,
    option,
    results_option,
    save_option,
    spill_option,
)
from lockstep.verbs.search_request import SPARK, CachedSearchOptions, ModelsRequest
from lockstep.verbs.sweep_values import read_range


@dataclass(frozen=True)
class Resources:
    """What a campaign may take, and where its rows are kept.

    The bound on memory and the number of threads are those of all tasks together. `results` is the
    file of the rows, by default one of the workspace. With `anew` each task is done, whatever is
    kept. Once `seconds` have passed, what is not done by then is left out.
    """

    exploration: Exploration = Exploration()
    master: str | None = None
    results: Path | None = None
    anew: bool = False
    seconds: float | None = None

    @property
    def engine(self) -> str:
        """The engine of each task."""
        engine = self.exploration.engine
        return DEFAULT_ENGINE if engine == SPARK else engine


@dataclass(frozen=True, kw_only=True)
class TasksRequest(CachedSearchOptions, ModelsRequest):
    """Many tasks of some models, by the engine and within the bounds of all of them."""

    results: Path | None = results_option()
    resources: Resources | None = None
    """What all tasks together may take, from Python alone: in place of what the options say."""

    @property
    def budget(self) -> Resources:
        """What all tasks together may take."""
        if self.resources is not None:
            return self.resources
        return Resources(self.exploration, self.master, self.results, anew=self.anew)


@dataclass(frozen=True, kw_only=True)
class FaultsRequest(TasksRequest):
    """The faults of some models; whether a deadlock is allowed is each model's own.

    `names` are the faults to run; all unless some are named, and of claims without one nothing is
    then said.
    """

    spill: Path | None = spill_option()
    liveness: bool = liveness_option()
    save: Path | None = save_option("Folder for the trace of each fault. Default: none is saved.")
    changed: str | None = changed_option()
    names: tuple[str, ...] = ()

    @property
    def exploration(self) -> Exploration:
        """How each fault is explored."""
        whole = super().exploration
        bounds = replace(whole.bounds, spill=self.spill)
        return replace(whole, bounds=bounds, liveness=self.liveness)


@dataclass(frozen=True)
class MutantsRequest(TasksRequest):
    """The mutants of some models, each in one scope, by default up to some times its states."""

    scope: str = option(
        "--scope", default=DEFAULT_SCOPE, metavar="NAME", help="A scope of specs/MODEL.toml."
    )


@dataclass(frozen=True)
class CampaignRequest:
    """Many checks in place of one; every field has a default.

    `sweeps` are the values of each constant, None for all of them.
    """

    sweeps: Mapping[str, tuple[Plain, ...] | None] = field(default_factory=dict)
    seeds: range | None = option(
        "--seeds",
        parse=read_range,
        metavar="FIRST..LAST",
        help="Take the random walks of --simulate or --hypothesis once for each seed.",
    )
    results: Path | None = results_option()

    @property
    def is_sweep(self) -> bool:
        """Whether more than one check is asked for."""
        return bool(self.sweeps) or self.seeds is not None


@dataclass(frozen=True, kw_only=True)
class SweptRequest(JudgedRequest):
    """What is checked many times, as the command line gives it."""

    models: tuple[str, ...] = option(
        default=(),
        metavar="MODEL|NAME=VALUES",
        help="Names of models; all of them unless some are given. "
        "And values of a constant: NAME=2..5, or NAME=2,4,8, or NAME=all.",
    )
