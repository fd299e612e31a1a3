"""What a model file imports: the words in which a protocol is written.

A model is ordinary Python. `s` is the state before, `new` the state after; what an action does
not write is unchanged. A parameter's annotation is an existential over its domain (a universal,
in an invariant); `require` is a conjunct of the guard, `when` the premise of an invariant.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, ClassVar, TypeAlias, TypeVar

from lockstep.language.values import Fielded

Function = TypeVar("Function", bound=Callable[..., Any])

Constant: TypeAlias = Any
"""Annotation of a module-level constant that a scope may set: `MAX_EPOCH: Constant = 3`."""


class State(Fielded):
    """The variables of a model, their domains and their first values, in one place.

    `class FetchSession(State): epoch: Map[Fetcher, Epoch] = {f: 0 for f in Fetcher}`.
    """

    first_values: ClassVar[dict[str, object]] = {}

    def __init_subclass__(cls) -> None:
        # Read before the fields' accessors take the class attributes' place.
        own = {
            name: cls.__dict__[name]
            for name in inspect.get_annotations(cls)
            if name in cls.__dict__
        }
        super().__init_subclass__()
        cls.first_values = {**cls.first_values, **own}


class Disabled(Exception):
    """Raised by `require`: the action is not enabled with these parameters."""


class NotApplicable(Exception):
    """Raised by `when`: the invariant says nothing about these parameters."""


def require(condition: bool) -> None:
    """A conjunct of an action's guard: without it the action is not enabled."""
    if not condition:
        raise Disabled


def when(condition: bool) -> None:
    """The premise of an invariant: where it is false the invariant says nothing.

    A premise that no reachable state satisfies is reported: the invariant then proves nothing.
    """
    if not condition:
        raise NotApplicable


class Kind(Enum):
    """What a marked function is."""

    ACTION = auto()
    INVARIANT = auto()
    STEP_INVARIANT = auto()
    SOMETIMES = auto()


@dataclass(frozen=True)
class Mark:
    """What a decorator said of a function. `requirements` are ids of rows in `specs/`."""

    kind: Kind
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True)
class FaultMark:
    """A fault: the function stands in for `replaces`, or is an action of its own.

    `breaks` names the invariant that catches it first, `scope` the scope in which it does, and
    `source` where it really happened.
    """

    replaces: Callable[..., Any] | None
    breaks: str
    scope: str | None
    constants: dict[str, object]
    source: str | None


MARK = "__lockstep_mark__"
FAULT = "__lockstep_fault__"


def _marked(function: Function, mark: Mark) -> Function:
    setattr(function, MARK, mark)
    return function


def action(function: Function) -> Function:
    """A step of the protocol: `def serve(s, new, c: Client)`."""
    return _marked(function, Mark(Kind.ACTION))


def invariant(*requirements: str) -> Callable[[Function], Function]:
    """What every reachable state satisfies: `@invariant("227-4") def name(s, f: Fetcher)`."""
    return lambda function: _marked(function, Mark(Kind.INVARIANT, requirements))


def step_invariant(*requirements: str) -> Callable[[Function], Function]:
    """What every step satisfies: `@step_invariant("227-9") def name(s, new, f: Fetcher)`."""
    return lambda function: _marked(function, Mark(Kind.STEP_INVARIANT, requirements))


def sometimes(*requirements: str) -> Callable[[Function], Function]:
    """What some reachable state satisfies, so that the scope is known to get there."""
    return lambda function: _marked(function, Mark(Kind.SOMETIMES, requirements))


def fault(
    *,
    breaks: str,
    replaces: Callable[..., Any] | None = None,
    scope: str | None = None,
    source: str | None = None,
    constants: dict[str, object] | None = None,
) -> Callable[[Function], Function]:
    """A small change to a model that an invariant must catch.

    The decorated function takes the place of `replaces` wherever that is used, or, without it,
    is one action more. `constants` adjust the scope (by default the model's `small`), and
    `source` says where the mistake was really made.
    """

    def mark(function: Function) -> Function:
        setattr(function, FAULT, FaultMark(replaces, breaks, scope, dict(constants or {}), source))
        return function

    return mark
