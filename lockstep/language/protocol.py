"""A protocol as the engines see it: variables, actions, invariants and goals, in declared order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import Domain
from lockstep.language.fairness import (
    Fairness,
)
from lockstep.language.loader import Universe
from lockstep.language.notation import Kind, State

DEADLOCK = "deadlock"
"""The name, among those of properties, of what a state violates that no step leaves."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action (exists) or an invariant (for all), with its finite domain."""

    name: str
    domain: Domain


@dataclass(frozen=True)
class Action:
    """A step that the protocol may take; `function(s, new, **parameters)` is its meaning."""

    name: str
    function: Callable[..., None]
    parameters: tuple[Parameter, ...]
    doc: str


@dataclass(frozen=True)
class Property:
    """What must hold, or be reached, or come to pass; `requirements` are those that it states.

    `fairness` is what a `leads_to` relies on.
    """

    name: str
    kind: Kind
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    requirements: tuple[str, ...]
    doc: str
    fairness: tuple[Fairness, ...] = ()

    def for_one(self, values: tuple[Any, ...]) -> Property:
        """The property for one binding of its parameters alone."""

        def alone(*states: State) -> object:
            return self.function(*states, *values)

        return replace(self, parameters=(), function=alone)


@dataclass(frozen=True)
class Shown:
    """A value that a state shows under a name; `function(s)` is its meaning."""

    name: str
    function: Callable[[State], Any]


@dataclass(frozen=True)
class Lowered:
    """The code of the functions that were lowered so far."""

    actions: dict[Action, ir.ActionCode]
    properties: dict[Property, ir.PropertyCode]
    shown: dict[Shown, ir.ShownCode]


@dataclass(frozen=True)
class Model:
    """One protocol in one scope.

    `initial` is the only initial state. Every engine explores `actions` in this order, each over
    its parameters in the order of their domains, the last parameter running fastest.
    """

    name: str
    doc: str
    universe: Universe
    state: type[State]
    initial: State
    actions: tuple[Action, ...]
    properties: tuple[Property, ...]
    constants: Mapping[str, object]
    measures: tuple[Property, ...] = ()
    """What steps are worth, for scenarios; no engine looks at them."""
    shown: tuple[Shown, ...] = ()
    """What a review sees beside variables, or in place of those of the same names."""
    lowered: Lowered = field(default_factory=lambda: Lowered({}, {}, {}), compare=False, repr=False)
    """Kept with this model, and with all that `dataclasses.replace` derives from it."""

    @property
    def variables(self) -> Mapping[str, Domain]:
        """Name and domain of each state variable."""
        return self.state.fields

    def of_kind(self, kind: Kind) -> tuple[Property, ...]:
        """The properties of one kind, in order."""
        return tuple(prop for prop in self.properties if prop.kind is kind)

    def without(self, kind: Kind) -> Model:
        """The model without its properties of one kind; itself where it has none."""
        kept = tuple(prop for prop in self.properties if prop.kind is not kind)
        return self if kept == self.properties else replace(self, properties=kept)

    def action(self, name: str) -> Action:
        """The action of that name; `StopIteration` when there is none."""
        return next(action for action in self.actions if action.name == name)

    def find_action(self, name: str) -> Action | None:
        """The action of that name; None when there is none."""
        return next((action for action in self.actions if action.name == name), None)

    def property(self, name: str) -> Property:
        """The property of that name; `StopIteration` when there is none."""
        return next(prop for prop in self.properties if prop.name == name)

    def find_property(self, name: str) -> Property | None:
        """The property of that name; None when there is none."""
        return next((prop for prop in self.properties if prop.name == name), None)
