"""What a search needs of an engine, and what may go wrong inside a model while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from lockstep.language.model import Model, Property
from lockstep.language.notation import State


class Verdict(StrEnum):
    """What was found, in one word that is the same in every verb."""

    HOLDS = "holds"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Step:
    """One enabled action instance: which action, with which parameters, and where it leads."""

    action: str
    parameters: tuple[Any, ...]
    state: State


class EvaluationError(Exception):
    """The model's text has no meaning in a reachable state.

    A write or a record outside its domain, an attribute of None, an index past the end, a
    division by zero. `function` is the action or invariant, `file` and `line` the place in it
    (None when unknown) and `reason` says what went wrong.
    """

    def __init__(self, function: str, file: Path | None, line: int | None, reason: str) -> None:
        place = f"{file}:{line}: " if file is not None else ""
        super().__init__(f"{place}{function}: {reason}")
        self.function = function
        self.file = file
        self.line = line
        self.reason = reason

    def seen_from(self, folder: Path) -> str:
        """The error in one line, its file relative to `folder` where it lies below that."""
        if self.file is None:
            return f"{self.function}: {self.reason}"
        file = self.file.relative_to(folder) if self.file.is_relative_to(folder) else self.file
        return f"{file}:{self.line}: {self.function}: {self.reason}"


@dataclass(frozen=True)
class Outcome:
    """What a property says of a state or step.

    `failing` is the first parameter binding for which it is false (None when it holds), and
    `applied` whether its premise was satisfied for any binding.
    """

    failing: tuple[Any, ...] | None
    applied: bool


@dataclass(frozen=True)
class Pledge:
    """What a `leads_to` says of one state for one binding: is it its premise, is it its goal."""

    parameters: tuple[Any, ...]
    premise: bool
    goal: bool


def owed(pledges: Iterable[Pledge]) -> Outcome:
    """A `leads_to` as an invariant, so that engines can be compared: the premise implies the goal.

    It says of a state whether anything is still to come.
    """
    applied = False
    for pledge in pledges:
        applied |= pledge.premise
        if pledge.premise and not pledge.goal:
            return Outcome(pledge.parameters, True)
    return Outcome(None, applied)


class Engine(Protocol):
    """One way to execute a model. Every engine must agree with plain Python."""

    @property
    def name(self) -> str:
        """How the engine is called on the command line and in results."""
        ...

    @property
    def model(self) -> Model:
        """The model that this engine executes."""
        ...

    def successors(self, state: State) -> Iterator[Step]:
        """Every enabled action instance in `state`, in the model's order."""
        ...

    def pledges(self, prop: Property, state: State) -> Iterator[Pledge]:
        """What a `leads_to` says of a state, for every binding of its parameters."""
        ...

    def evaluate(self, prop: Property, before: State, after: State | None) -> Outcome:
        """Evaluate a property in a state, or over a step when `after` is given.

        Of a `leads_to` that is whether the premise implies the goal: see `owed`.
        """
        ...


def unwatched() -> None:
    """What an engine calls at each instance where nobody watches."""


class WatchedEngine(Engine, Protocol):
    """An engine that can be stopped within one state.

    `watch` is called before each instance that is tried, of an action or a property; what it raises
    goes through.
    """

    watch: Callable[[], None]
