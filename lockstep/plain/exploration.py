"""The request for a search: the engine, the bounds, and what counts as right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lockstep.words import plural

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.results.search_result import Progress


DEFAULT_ENGINE = "auto"
"""Plain Python for what it explores in no time, machine code for the rest."""
ENGINES = (DEFAULT_ENGINE, "compiled", "python", "spark")
"""Every engine by its name on the command line."""


@dataclass(frozen=True)
class Bounds:
    """Where a search ends before it has seen everything; None is no bound.

    More than `max_states` distinct states: the level that they are on is left out of the result,
    whose counts are thus the same whichever engine met the bound. `max_seconds` passed, every
    behaviour of `max_depth` steps covered, `memory` bytes resident, the whole process included (for
    the compiled engine nine tenths of what is free by default). With `spill`, a folder, states
    beyond `memory` go there instead. Each bound that is met makes the result inconclusive.
    """

    max_states: int | None = None
    max_seconds: float | None = None
    max_depth: int | None = None
    memory: int | None = None
    spill: Path | None = None


@dataclass(frozen=True)
class Exploration:
    """How a model is explored.

    `on_progress` is called some ten times a second. With `liveness`, what must come to pass is
    checked in more states. The rest is for the compiled engine: `threads` (by default one a core),
    `checkpoint` (a folder for this search alone, from which it goes on if it was interrupted),
    `symmetry` (states that differ only by which interchangeable name is which count as one) and
    `expected` (how many states there should be, which saves time if it is right and nothing else).
    `master` is where the engine spark runs, as Spark names it; this machine unless given.
    With `environment`, the names of the actions that are the environment's, the result has of all
    shortest behaviours to a violation the simplest; without it any of them. `spaces` have what was
    explored before, and are given the graph of all states, if it fits into memory.
    """

    engine: str = DEFAULT_ENGINE
    bounds: Bounds = Bounds()
    deadlock_allowed: bool = True
    liveness: bool = False
    threads: int | None = None
    checkpoint: Path | None = None
    symmetry: bool = False
    expected: int = 0
    master: str | None = None
    environment: frozenset[str] | None = None
    on_progress: Callable[[Progress], None] | None = None
    spaces: Spaces[Any] | None = None

    @property
    def is_on_disk(self) -> bool:
        """Whether states are kept in files."""
        return self.checkpoint is not None or self.bounds.spill is not None


@dataclass(frozen=True)
class Walks:
    """Random behaviours: how many, of up to how many steps each, and the seed they are drawn by.

    Those `by_hypothesis` are taken in plain Python, and what they break is shortened.
    """

    count: int
    steps: int = 200
    seed: int = 0
    by_hypothesis: bool = False

    def ended(self, why: str, count: int, states: int) -> str:
        """Why `count` behaviours, which came by so many states, are no verdict."""
        return (
            f"{why}: {plural(count, 'random behaviour')} of up to "
            f"{plural(self.steps, 'step')} (seed {self.seed}) came by "
            f"{plural(states, 'state')}; what else there is was not looked at"
        )


SpaceT = TypeVar("SpaceT")


class Spaces(Generic[SpaceT]):
    """The state spaces of models, so that each is made once.

    Models that differ in their properties alone have the same. `explorations` says for each search
    that was begun which model it was of.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[Model, SpaceT]] = []
        self.explorations: list[str] = []

    def keep(self, model: Model, space: SpaceT) -> None:
        """Keep the whole state space of a model."""
        self._kept.append((model, space))

    def find(self, model: Model) -> SpaceT | None:
        """The state space of a model; None where it was not made."""
        for other, space in self._kept:
            if other.actions is model.actions and other.initial == model.initial:
                return space
        return None
