"""A model as the engines see it: variables, actions, invariants and goals, in declared order."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.domains import Domain, domain_of
from lockstep.language.loader import Universe
from lockstep.language.notation import FAULT, MARK, FaultMark, Kind, Mark, State
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.values import NotInDomain


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
    """An invariant, a step invariant or a reachability goal, and the requirements it states."""

    name: str
    kind: Kind
    function: Callable[..., bool]
    parameters: tuple[Parameter, ...]
    requirements: tuple[str, ...]
    doc: str


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

    @property
    def variables(self) -> Mapping[str, Domain]:
        """Name and domain of each state variable."""
        return self.state.fields

    def of_kind(self, kind: Kind) -> tuple[Property, ...]:
        """The properties of one kind, in order."""
        return tuple(found for found in self.properties if found.kind is kind)

    def action(self, name: str) -> Action:
        """The action of that name; `StopIteration` when there is none."""
        return next(found for found in self.actions if found.name == name)

    def property(self, name: str) -> Property:
        """The property of that name; `StopIteration` when there is none."""
        return next(found for found in self.properties if found.name == name)


def load_model(
    root: Path,
    name: str,
    constants: Mapping[str, object] | None = None,
    *,
    fault: str | None = None,
) -> Model:
    """Load `models/NAME.py` with `invariants/NAME.py` below `root`, constants as given.

    With `fault`, the function of that name in `models/faults/NAME.py` is put in place first.
    `LockstepError` for an unknown model, constant or fault; `ModelError` for text that is not
    well formed.
    """
    universe = Universe(root, dict(constants or {}))
    if not root.joinpath("models", f"{name}.py").is_file():
        known = ", ".join(model_names(root)) or "none"
        raise LockstepError(f"there is no model {name!r}", cure=f"the models here are: {known}")
    module = universe.load(f"models.{name}")
    extra: list[tuple[str, Callable[..., Any]]] = []
    has_invariants = root.joinpath("invariants", f"{name}.py").is_file()
    checks = universe.load(f"invariants.{name}") if has_invariants else None
    if fault is not None:
        extra = _apply_fault(universe, name, fault)
    if unused := universe.unused_constants():
        raise LockstepError(
            f"{name} has no constant {unused[0]}",
            cure=f"its constants are: {', '.join(sorted(universe.declared)) or 'none'}",
        )
    state = _state_class(module, name)
    members = [*vars(module).items(), *extra]
    seen: set[str] = set()
    actions = []
    for function_name, function in members:
        mark = getattr(function, MARK, None)
        if isinstance(mark, Mark) and mark.kind is Kind.ACTION and function_name not in seen:
            seen.add(function_name)
            actions.append(
                Action(function_name, function, _parameters(universe, function, 2), _doc(function))
            )
    properties = []
    for function_name, function in vars(checks).items() if checks else ():
        mark = getattr(function, MARK, None)
        if isinstance(mark, Mark) and mark.kind is not Kind.ACTION:
            states = 2 if mark.kind is Kind.STEP_INVARIANT else 1
            properties.append(
                Property(
                    function_name,
                    mark.kind,
                    function,
                    _parameters(universe, function, states),
                    mark.requirements,
                    _doc(function),
                )
            )
    if not actions:
        raise LockstepError(
            f"models/{name}.py has no action", cure="mark at least one with @action"
        )
    return Model(
        name,
        (module.__doc__ or "").strip(),
        universe,
        state,
        _initial(universe, state),
        tuple(actions),
        tuple(properties),
        dict(universe.declared),
    )


def model_names(root: Path) -> list[str]:
    """The files directly below `models/` that declare a state class, in alphabetical order."""
    return sorted(
        path.stem
        for path in root.joinpath("models").glob("*.py")
        if "(State):" in path.read_text(encoding="utf-8")
    )


def fault_marks(root: Path, name: str) -> dict[str, tuple[FaultMark, str]]:
    """The faults of a model: name to (mark, docstring), in order of declaration."""
    if not root.joinpath("models", "faults", f"{name}.py").is_file():
        return {}
    module = Universe(root).load(f"models.faults.{name}")
    return {
        fault_name: (getattr(function, FAULT), _doc(function))
        for fault_name, function in vars(module).items()
        if isinstance(getattr(function, FAULT, None), FaultMark)
    }


def _apply_fault(universe: Universe, name: str, fault: str) -> list[tuple[str, Callable[..., Any]]]:
    module = universe.load(f"models.faults.{name}")
    function = vars(module).get(fault)
    mark = getattr(function, FAULT, None)
    if function is None or not isinstance(mark, FaultMark):
        known = ", ".join(fault_marks(universe.root, name)) or "none"
        raise LockstepError(f"{name} has no fault {fault!r}", cure=f"its faults are: {known}")
    if mark.replaces is None:
        setattr(function, MARK, Mark(Kind.ACTION))
        return [(fault, function)]
    old_mark = getattr(mark.replaces, MARK, None)
    if old_mark is not None:
        setattr(function, MARK, old_mark)
    universe.substitute(mark.replaces, function)
    return []


def _state_class(module: Any, name: str) -> type[State]:
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, State) and value is not State
    ]
    if len(classes) != 1:
        raise LockstepError(
            f"models/{name}.py has {len(classes)} state classes",
            cure="declare the variables in one class derived from State",
        )
    return classes[0]


def _initial(universe: Universe, state: type[State]) -> State:
    values = []
    for name, domain in state.fields.items():
        try:
            if name not in state.first_values:
                raise LockstepError(
                    f"variable {name} of {state.__name__} has no first value",
                    cure=f"write `{name}: ... = first value`",
                )
            values.append(domain.coerce(state.first_values[name], name))
        except NotInDomain as error:
            raise ModelError([_state_diagnostic(universe, state, name, error)]) from None
    return state.of(values)


def _state_diagnostic(
    universe: Universe, state: type[State], name: str, error: NotInDomain
) -> Diagnostic:
    module = universe.modules[state.__module__]
    path = Path(str(module.__file__))
    place = Place(path, 1, 0, 1, 1)
    for node in ast.walk(ast.parse(universe.files[str(path)].text)):
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id == name
        ):
            place = Place.of(node, path)
    return Diagnostic(
        "outside-domain",
        place,
        f"the first value of {name} is outside its domain: {error}",
        "the initial state must satisfy every domain",
        "give a first value in the domain, or widen the domain",
    )


def _parameters(
    universe: Universe, function: Callable[..., Any], states: int
) -> tuple[Parameter, ...]:
    parameters = list(inspect.signature(function).parameters.values())
    expected = ["s", "new"][:states]
    definition = universe.definition(function)
    assert definition is not None
    node, path = definition
    if [parameter.name for parameter in parameters[:states]] != expected:
        raise ModelError(
            [
                Diagnostic(
                    "signature",
                    Place.of(node, path),
                    f"{function.__name__} must begin with the parameters {', '.join(expected)}",
                    "`s` is the state before and `new` the state after",
                    f"write `def {function.__name__}({', '.join(expected)}, ...)`",
                )
            ]
        )
    found = []
    for parameter, argument in zip(parameters[states:], node.args.args[states:], strict=True):
        try:
            if parameter.annotation is inspect.Parameter.empty:
                raise TypeError(f"{parameter.name} has no domain")
            domain = domain_of(parameter.annotation, parameter.name)
        except TypeError as error:
            raise ModelError(
                [
                    Diagnostic(
                        "parameter-domain",
                        Place.of(argument, path),
                        f"{error}",
                        "a parameter ranges over a finite domain",
                        f"write `{parameter.name}: Domain`",
                    )
                ]
            ) from None
        found.append(Parameter(parameter.name, domain))
    return tuple(found)


def _doc(function: Callable[..., Any]) -> str:
    return inspect.cleandoc(function.__doc__ or "")
