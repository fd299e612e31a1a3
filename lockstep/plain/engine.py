"""What a search needs of an engine that executes one state at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from lockstep.language.model import Model, Property
from lockstep.language.notation import State
from lockstep.results.trace import Step


def is_stuck(state: State, steps: Iterable[Step]) -> bool:
    """Whether a state is a deadlock: none of its steps leads to another state.

    A step that changes nothing is no way on, and would hide a state that nothing ever leaves.
    """
    return all(step.state == state for step in steps)


class Disagreement(Exception):
    """An engine and plain Python differ: a mistake of this program, never a verdict."""


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
