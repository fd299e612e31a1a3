"""What a search needs of an engine, and what may go wrong inside a model while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model, Property
from lockstep.language.notation import State
from lockstep.language.source import Diagnostic, Place


class Verdict(StrEnum):
    """What was found, in one word that is the same in every verb."""

    HOLDS = "holds"
    VIOLATED = "violated"
    DIFFERS = "differs"
    """What was checked is as claimed, but the scope pins other counts than were found."""
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"
    """The model's text is not well formed, or has no meaning in a reachable state."""


@dataclass(frozen=True)
class Step:
    """One enabled action instance: which action, with which parameters, and where it leads."""

    action: str
    parameters: tuple[Any, ...]
    state: State


def is_stuck(state: State, steps: Iterable[Step]) -> bool:
    """Whether a state is a deadlock: none of its steps leads to another state.

    A step that changes nothing is no way on, and would hide a state that nothing ever leaves.
    """
    return all(step.state == state for step in steps)


def verdict_without(error: LockstepError) -> Verdict:
    """The word for what could not be judged: it agrees with the error's exit code."""
    bounded = error.exit_code is ExitCode.INCONCLUSIVE
    return Verdict.INCONCLUSIVE if bounded else Verdict.ERROR


class EvaluationError(LockstepError):
    """The model's text has no meaning in a reachable state.

    A write or a record outside its domain, an attribute of None, an index past the end, a
    division by zero. `function` is the action or invariant, `place` where in it (None when
    unknown), `reason` says what went wrong, `why` and `cure` what to make of it. Its text shows
    the source line, as that of a model that is not well formed does.
    """

    def __init__(
        self, function: str, place: Place | None, reason: str, why: str, cure: str
    ) -> None:
        super().__init__(f"{function}: {reason}", cure=cure)
        self.function = function
        self.place = place
        self.reason = reason
        self.why = why

    @property
    def file(self) -> Path | None:
        """The file that it arose in."""
        return None if self.place is None else self.place.file

    @property
    def line(self) -> int | None:
        """The line that it arose in."""
        return None if self.place is None else self.place.line

    def __str__(self) -> str:
        if self.place is None:
            return super().__str__()
        shown = Diagnostic("no-meaning", self.place, self.message, self.why, self.cure or "")
        return shown.render()

    def seen_from(self, folder: Path) -> str:
        """The error in one line, its file relative to `folder` where it lies below that."""
        if self.file is None:
            return self.message
        file = self.file.relative_to(folder) if self.file.is_relative_to(folder) else self.file
        return f"{file}:{self.line}: {self.message}"


class Disagreement(Exception):
    """An engine found what plain Python does not: a mistake of this program, never a verdict."""


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
