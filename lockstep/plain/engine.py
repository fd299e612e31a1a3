"""What a search needs of an engine that takes one state at a time, and how parameters are bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Protocol

from lockstep.language.domains import Domain
from lockstep.language.model import Model, Property
from lockstep.language.notation import State
from lockstep.language.values import TooManyValues
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


_MOST_LISTED = 1 << 12
"""Bindings that are listed once and kept; of more, nothing is listed beforehand."""


class Parameters:
    """The domains of some parameters, whose bindings are listed once where they are few."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.domains = tuple(domains)
        values = _values(self.domains)
        self.listed = None if values is None else list(product(*values))
        self.repeats = [1]
        """How many bindings that are listed begin with the same first 0, 1, 2 and so on values."""
        for of_one in reversed(values or ()):
            self.repeats.insert(0, self.repeats[0] * len(of_one))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(Bindings(self) if self.listed is None else self.listed)


class Bindings:
    """Every combination of values of some domains in turn, the last one running fastest.

    `depth` may be set after each binding: those that begin with its first `depth` values are
    passed over.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self.depth = len(parameters.domains)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        count, listed = len(self._parameters.domains), self._parameters.listed
        if listed is None:
            for binding in self._of_first(count):
                self.depth = count
                yield binding
            return
        at, repeats = 0, self._parameters.repeats
        while at < len(listed):
            self.depth = count
            yield listed[at]
            at += repeats[self.depth] - at % repeats[self.depth]

    def _of_first(self, count: int) -> Iterator[tuple[Any, ...]]:
        if count == 0:
            yield ()
            return
        for outer in self._of_first(count - 1):
            for value in self._parameters.domains[count - 1]:
                yield (*outer, value)
                if self.depth < count:
                    break


def _values(domains: Sequence[Domain]) -> list[list[Any]] | None:
    """The values of each domain; None where they are many together, or cannot be listed."""
    values: list[list[Any]] = []
    count = 1
    for domain in domains:
        try:
            values.append(list(islice(domain, _MOST_LISTED + 1)))
        except TooManyValues:  # where the domain is iterated over, it says so
            return None
        count *= len(values[-1])
        if count > _MOST_LISTED:
            return None
    return values
