"""A protocol as the engines see it: variables, actions, fairness, invariants and goals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from lockstep.language import ir
from lockstep.language.declarations import text_of
from lockstep.language.domains import Domain
from lockstep.language.loader import Universe
from lockstep.language.notation import MARK, Each, Fair, Kind, Mark, State
from lockstep.language.source import Diagnostic, Place

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


@dataclass(frozen=True)
class Fairness:
    """The promise that an action is not passed over for ever, weak or strong.

    It is made once for each binding of the parameters at `positions`, with any values of the
    others; of no positions, to the action as a whole.
    """

    action: str
    strong: bool
    positions: tuple[int, ...] = ()


Promise: TypeAlias = tuple[Fairness, tuple[Any, ...]]
"""Fairness for one binding of the parameters that it is promised for."""


def promises_kept(
    fairness: Iterable[Fairness], action: str, parameters: tuple[Any, ...]
) -> Iterator[Promise]:
    """The promises that are kept by taking an action with these parameters."""
    for fair in fairness:
        if fair.action == action:
            yield fair, tuple(parameters[position] for position in fair.positions)


class _Unfair(Exception):
    """Something that no fairness can be promised to; what is wrong, and the cure."""


@dataclass(frozen=True)
class FairAction:
    """An action that fairness can be promised to.

    `module` is where it is written, and `is_replaced` says that a fault or a proposal stands in its
    place.
    """

    parameters: tuple[str, ...]
    module: str
    is_replaced: bool


def read_fairness(
    universe: Universe,
    function: Callable[..., Any],
    mark: Mark,
    actions: Mapping[str, FairAction],
    problems: list[Diagnostic],
) -> tuple[Fairness, ...]:
    """What the decorator of a `leads_to` promises; what is wrong is added to `problems`.

    `actions` are those of the model by name.
    """
    promises: list[Fairness] = []
    given = [*((fair, False) for fair in mark.weak), *((fair, True) for fair in mark.strong)]
    for fair, strong in given:
        try:
            promise = _promise(fair, strong, actions)
            if any(
                (promise.action, promise.positions) == (p.action, p.positions) for p in promises
            ):
                raise _Unfair(
                    f"{promise.action} is promised fairness twice",
                    "strong fairness implies weak: name it once",
                )
            promises.append(promise)
        except _Unfair as unfair:
            what, cure = unfair.args
            node, path = text_of(universe, function)
            problems.append(
                Diagnostic(
                    "fairness",
                    Place.of(node.decorator_list[0], path),
                    what,
                    "fairness is promised to actions: to each as a whole, or by `each` for every "
                    "value of a parameter",
                    cure,
                )
            )
    return tuple(promises)


def _is(action: object, own: FairAction) -> bool:
    """Whether a marked function is an action of the model, or the one that a fault replaces."""
    marked = getattr(action, MARK, None)
    if not isinstance(marked, Mark) or marked.kind is not Kind.ACTION:
        return False
    return own.is_replaced or getattr(action, "__module__", None) == own.module


def _promise(fair: Fair, strong: bool, actions: Mapping[str, FairAction]) -> Fairness:
    action = fair.action if isinstance(fair, Each) else fair
    name = getattr(action, "__name__", repr(action))
    own = actions.get(name)
    if own is None or not _is(action, own):
        names = ", ".join(actions)
        raise _Unfair(f"{name} is no action of this model", f"name one as a function: {names}")
    if not isinstance(fair, Each):
        return Fairness(name, strong)
    parameters = own.parameters
    for parameter in fair.parameters:
        if parameter not in parameters:
            names = ", ".join(parameters) or "none"
            raise _Unfair(f"{name} has no parameter {parameter!r}", f"its parameters are: {names}")
    wanted = fair.parameters or parameters
    return Fairness(name, strong, tuple(map(parameters.index, dict.fromkeys(wanted))))
