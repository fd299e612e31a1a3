"""What a model file imports: the words in which a protocol is written.

A model is ordinary Python. `s` is the state before, `new` the state after; what an action does
not write is unchanged. A parameter's annotation is an existential over its domain (a universal,
in an invariant); `require` is a conjunct of the guard, `when` the premise of an invariant, and
`present` either of them, with a name for the value that it asks for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, ClassVar, TypeAlias, TypeVar, overload

from lockstep.language.records import Fielded

Function = TypeVar("Function", bound=Callable[..., Any])
Value = TypeVar("Value")

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


class Absent(Disabled, NotApplicable):
    """Raised by `present`: in an action as a false `require`, in an invariant as a false `when`."""


class NoRequirement(TypeError):
    """Raised by a decorator that is given anything but the ids of requirements; it says what."""


class MarkedTwice(TypeError):
    """Raised by a decorator on a function that bears another mark; it names the function."""


class OutcomeUnclear(TypeError):
    """Raised by `fault` unless it is given what the fault breaks or else why it is harmless."""


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


def present(value: Value | None) -> Value:
    """The value itself, on condition that it is not None: a guard and a local name in one line.

        request = present(incoming(s, f, via))

    This is `request = incoming(s, f, via)` and then `require(request is not None)` in an action or
    a procedure, `when(request is not None)` in an invariant. It stands on the right side of a local
    name and nowhere else: a helper, a claim and a `leads_to` have no guard.
    """
    if value is None:
        raise Absent
    return value


class Kind(Enum):
    """What a marked function is."""

    ACTION = auto()
    INVARIANT = auto()
    STEP_INVARIANT = auto()
    SOMETIMES = auto()
    LEADS_TO = auto()
    MEASURE = auto()
    SHOWS = auto()


@dataclass(frozen=True)
class Each:
    """An action for each value of some of its parameters: see `each`."""

    action: Callable[..., Any]
    parameters: tuple[str, ...]


Fair: TypeAlias = "Callable[..., Any] | Each"
"""What fairness is promised to: an action as a whole, or for each value of its parameters."""


@dataclass(frozen=True)
class Mark:
    """What a decorator said of a function. `requirements` are ids of rows in `specs/`.

    A `lemma` is an invariant for the sake of proofs. `weak` and `strong` are the fairness under
    which a premise leads to its goal.
    """

    kind: Kind
    requirements: tuple[str, ...] = ()
    weak: tuple[Fair, ...] = ()
    strong: tuple[Fair, ...] = ()
    lemma: bool = False


@dataclass(frozen=True)
class Edit:
    """Another text for a piece of a function: an expression, or whole statements."""

    function: Callable[..., Any]
    old: str
    new: str


@dataclass(frozen=True)
class FaultMark:
    """A fault: it edits functions, or stands in for `replaces`, or is an action of its own.

    `breaks` names the property that catches it first; of a fault that nothing catches it is None,
    and `harmless` says why. `scope` is the scope in which that is so, and `source` where the
    mistake really happened. `unchanged` is what the fault leaves out of what it replaces or edits.
    """

    replaces: Callable[..., Any] | None
    breaks: str | None
    harmless: str | None
    scope: str | None
    constants: dict[str, object]
    source: str | None
    unchanged: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def changed(self) -> tuple[Callable[..., Any], ...]:
        """The functions that are replaced or edited, each once."""
        replaced = () if self.replaces is None else (self.replaces,)
        return tuple(dict.fromkeys((*replaced, *(edit.function for edit in self.edits))))


MARK = "__lockstep_mark__"
FAULT = "__lockstep_fault__"
REPLACES = "__lockstep_replaces__"
"""What a function of a proposal stands in for."""
EDITS = "__lockstep_edits__"
"""The edits of a fault, and of a function those that it has."""


_NOTED: ContextVar[list[Callable[..., Any]]] = ContextVar("marked functions")


@contextmanager
def marked_functions() -> Iterator[list[Callable[..., Any]]]:
    """The functions that are marked in the block, whatever becomes of their names there."""
    functions: list[Callable[..., Any]] = []
    token = _NOTED.set(functions)
    try:
        yield functions
    finally:
        _NOTED.reset(token)


def _noted(function: Callable[..., Any]) -> None:
    """Note that a function is being marked; `MarkedTwice` when it is marked already."""
    if any(hasattr(function, mark) for mark in (MARK, FAULT, REPLACES)):
        raise MarkedTwice(function.__name__)
    _NOTED.get([]).append(function)


def _marked(function: Function, mark: Mark) -> Function:
    _noted(function)
    setattr(function, MARK, mark)
    return function


def _bare_or_called(mark: Callable[[Function], Function], given: tuple[Any, ...]) -> Any:
    """The result of a decorator: `@invariant` marks a function itself, `@invariant()` the next one.

    `mark` is what the decorator does to a function. `given` are the arguments that have no name.
    """
    if not given:
        return mark
    if len(given) > 1 or not callable(given[0]):
        raise TypeError(f"this decorator takes no argument without a name, but has {given[0]!r}")
    return mark(given[0])


@overload
def action(function: Function, /) -> Function: ...
@overload
def action() -> Callable[[Function], Function]: ...
def action(*given: Any) -> Any:
    """A step of the protocol: `@action def serve(s, new, c: Client)`."""
    return _bare_or_called(lambda function: _marked(function, Mark(Kind.ACTION)), given)


@overload
def invariant(function: Function, /) -> Function: ...
@overload
def invariant(*requirements: str) -> Callable[[Function], Function]: ...
def invariant(*given: Any) -> Any:
    """What every reachable state satisfies: `@invariant("227-4") def name(s, f: Fetcher)`."""
    return _claim(Kind.INVARIANT, given)


@overload
def lemma(function: Function, /) -> Function: ...
@overload
def lemma() -> Callable[[Function], Function]: ...
def lemma(*given: Any) -> Any:
    """An invariant that states no requirement: what the proofs of others need to know.

        @lemma
        def nobody_waits_for_nothing(s, f: Fetcher): ...

    `lockstep prove` proves it with them; nothing else looks at it.
    """
    mark = Mark(Kind.INVARIANT, lemma=True)
    return _bare_or_called(lambda function: _marked(function, mark), given)


@overload
def step_invariant(function: Function, /) -> Function: ...
@overload
def step_invariant(*requirements: str) -> Callable[[Function], Function]: ...
def step_invariant(*given: Any) -> Any:
    """What every step satisfies: `@step_invariant("227-9") def name(s, new, f: Fetcher)`."""
    return _claim(Kind.STEP_INVARIANT, given)


@overload
def sometimes(function: Function, /) -> Function: ...
@overload
def sometimes(*requirements: str) -> Callable[[Function], Function]: ...
def sometimes(*given: Any) -> Any:
    """What some reachable state satisfies, so that the scope is known to get there."""
    return _claim(Kind.SOMETIMES, given)


@overload
def leads_to(function: Function, /) -> Function: ...
@overload
def leads_to(
    *requirements: str, weak: Fair | tuple[Fair, ...] = (), strong: Fair | tuple[Fair, ...] = ()
) -> Callable[[Function], Function]: ...
def leads_to(
    *given: Any, weak: Fair | tuple[Fair, ...] = (), strong: Fair | tuple[Fair, ...] = ()
) -> Any:
    """What must come to pass: a state of the premise is followed by one of the goal, or is one.

        @leads_to("630-31", weak=(each(fetch, "r"), deliver))
        def lagging_follower_catches_up(s, r: Replica):
            return is_lagging(s, r), has_caught_up(s, r)

    The function ends with `return premise, goal`; both must have a value in every state. Nothing
    is reached unless fairness is assumed: an action named in `weak` is taken again and again
    if from some time on it is always enabled, and one named in `strong` even if it is only enabled
    again and again. An action counts as enabled, and as taken, where it changes the state. These
    are TLA+'s `premise ~> goal` under `WF_vars` and `SF_vars`.
    """
    weakly, strongly = (given if isinstance(given, tuple) else (given,) for given in (weak, strong))
    return _claim(Kind.LEADS_TO, given, weakly, strongly)


@overload
def measure(function: Function, /) -> Function: ...
@overload
def measure() -> Callable[[Function], Function]: ...
def measure(*given: Any) -> Any:
    """What a step is worth, a whole number from 0 up, for the scenarios of `specs/MODEL.toml`.

    @measure
    def bytes_sent(s, new):
        return 4 * len(new.request.partitions) if new.request != s.request else 0
    """
    return _bare_or_called(lambda function: _marked(function, Mark(Kind.MEASURE)), given)


@overload
def shows(function: Function, /) -> Function: ...
@overload
def shows() -> Callable[[Function], Function]: ...
def shows(*given: Any) -> Any:
    """What `lockstep review` sees of a state under the name of the function, whatever hides it.

        @shows
        def reported(s):
            return s.heard

    It stands for a variable of that name: the other version's variable, or its `@shows` function of
    that name, is compared with it by value.
    """
    return _bare_or_called(lambda function: _marked(function, Mark(Kind.SHOWS)), given)


def _claim(
    kind: Kind,
    given: tuple[Any, ...],
    weak: tuple[Fair, ...] = (),
    strong: tuple[Fair, ...] = (),
) -> Any:
    is_bare = len(given) == 1 and callable(given[0])
    for requirement in () if is_bare else given:
        if not isinstance(requirement, str):
            raise NoRequirement(repr(requirement))
    mark = Mark(kind, () if is_bare else given, weak, strong)
    return _bare_or_called(lambda function: _marked(function, mark), given if is_bare else ())


def each(action: Callable[..., Any], *parameters: str) -> Each:
    r"""Fairness of an action for each value of some of its parameters, or of all if none is named.

    `each(fetch, "r")` is TLA+'s `\A r : WF_vars(\E c : Fetch(r, c))`: no value of `r` is passed
    over for ever. `fetch` by itself is `WF_vars(\E r, c : Fetch(r, c))`: some fetch is made.
    """
    return Each(action, parameters)


@overload
def fault(function: Function, /) -> Function: ...
@overload
def fault(
    *,
    breaks: str | None = None,
    harmless: str | None = None,
    replaces: Callable[..., Any] | None = None,
    scope: str | None = None,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    unchanged: tuple[str, ...] = (),
) -> Callable[[Function], Function]: ...
def fault(
    *given: Any,
    breaks: str | None = None,
    harmless: str | None = None,
    replaces: Callable[..., Any] | None = None,
    scope: str | None = None,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    unchanged: tuple[str, ...] = (),
) -> Any:
    """A small change to a model: a property catches it (`breaks`), or none does (`harmless`).

    `breaks` names the property, `harmless` says in words why every property still holds; exactly
    one of the two is given. The decorated function takes the place of `replaces` wherever that is
    used, or is one action more, or has edits (`@edit`) and neither parameters nor statements.
    `constants` adjust the scope (by default the model's `small`), and `source` says where the
    mistake was really made. `unchanged` names the variables that the step writes and the fault, on
    purpose, does not.
    """
    if bool(breaks) == bool(harmless):
        both = "both what it breaks and why it is harmless"
        neither = "neither what it breaks nor why it is harmless"
        raise OutcomeUnclear(both if breaks else neither)

    if replaces is not None and not callable(replaces):
        raise TypeError(f"replaces={replaces!r} is no function: name the function itself")

    if not isinstance(unchanged, tuple) or not all(isinstance(one, str) for one in unchanged):
        raise TypeError(f"unchanged={unchanged!r} is no tuple of names: write ('name',)")

    def mark(function: Function) -> Function:
        _noted(function)
        adjusted = dict(constants or {})
        edits = getattr(function, EDITS, ())
        says = FaultMark(replaces, breaks, harmless, scope, adjusted, source, unchanged, edits)
        setattr(function, FAULT, says)
        return function

    return _bare_or_called(mark, given)


def edit(function: Callable[..., Any], old: str, new: str) -> Callable[[Function], Function]:
    """In a fault, another text for a piece of a function: `@edit(serve, "s.epoch[c]", "0")`.

    `old` is an expression or whole statements that stand in the function once, however they are
    laid out, and `new` what stands there instead; `""` leaves statements out. In `old`, `...` is
    any expression: `"new.epoch = ..."`. The function keeps its name and place, and is edited
    wherever it is used. `@edit` stands below `@fault`, one a line.
    """
    if not callable(function):
        raise TypeError(f"@edit({function!r}, ...) names no function: name the function itself")
    if not isinstance(old, str) or not isinstance(new, str):
        raise TypeError("@edit takes a function and two texts: what stands there, what is to")

    def mark(fault: Function) -> Function:
        if hasattr(fault, FAULT):
            raise TypeError("@edit stands below @fault")
        setattr(fault, EDITS, (Edit(function, old, new), *getattr(fault, EDITS, ())))
        return fault

    return mark


def replaces(old: Callable[..., Any]) -> Callable[[Function], Function]:
    """In a proposal, what stands in for a function of the model: `@replaces(serve_incremental)`.

    The function is used wherever `old` was, an action as an action. In the proposal's own file the
    name `old` still means the function as it was, so that the new one may call it.
    """
    if not callable(old):
        raise TypeError(f"@replaces({old!r}) names no function: name the function itself")

    def mark(function: Function) -> Function:
        _noted(function)
        setattr(function, REPLACES, old)
        return function

    return mark
