"""Read what a model declares: its state class, first values, and the parameters of functions.

Each problem is noted with its place, so that all of a model's are shown at once.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.domains import Domain, domain_of
from lockstep.language.loader import Universe
from lockstep.language.notation import MARK, Kind, Mark, State
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.values import NotInDomain

OF_MODELS = frozenset({Kind.ACTION, Kind.SHOWS})
"""What is marked in files of models; all other kinds are claims."""


def state_class(module: types.ModuleType) -> type[State]:
    """The one state class of a module: one that no other state class there is derived from."""
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, State) and value is not State
    ]
    final = [
        last for last in classes if not any(last in derived.__mro__[1:] for derived in classes)
    ]
    if len(final) != 1:
        names = ", ".join(one.__name__ for one in final) or "none"
        raise LockstepError(
            f"{module.__name__.replace('.', '/')}.py must have one state class; it has {names}",
            cure="declare all variables in one class derived from State",
        )
    return final[0]


def initial_state(universe: Universe, state: type[State]) -> State:
    """The state in which every variable has its first value; those that cannot are reported."""
    values = []
    for name, domain in state.fields.items():
        if name not in state.first_values:
            universe.refuse(
                _declared_at(universe, state, name),
                "no-first-value",
                f"variable {name} has no first value",
                "a behaviour begins in one state, in which every variable has a value",
                f"write `{name}: ... = first value`",
            )
            continue
        try:
            values.append(domain.coerce(state.first_values[name], name))
        except NotInDomain as error:
            universe.refuse(
                _declared_at(universe, state, name),
                "first-value",
                f"the first value of {name} is outside its domain: {error}",
                "the first state, like every other, keeps each variable in its domain",
                "give a first value in the domain, or widen the domain",
            )
    return state.of(values)


def read_parameters(
    universe: Universe, function: Callable[..., Any], kind: Kind
) -> list[tuple[str, Domain]]:
    """Name and domain of each parameter after the states; what is wrong is reported."""
    node, path = text_of(universe, function)
    of_a_state = (Kind.INVARIANT, Kind.SOMETIMES, Kind.LEADS_TO, Kind.SHOWS)
    states = ["s"] if kind in of_a_state else ["s", "new"]
    if (problem := _wrong_signature(node, path, states, kind)) is not None:
        universe.report([problem])
        return []
    parameters = []
    for argument in node.args.args[len(states) :]:
        hint = function.__annotations__.get(argument.arg)
        try:
            if argument.annotation is None:
                raise TypeError(f"parameter {argument.arg} has no domain")
            parameters.append((argument.arg, domain_of(hint, argument.arg)))
        except TypeError as error:
            universe.refuse(
                Place.of(argument, path),
                "parameter-domain",
                str(error),
                "a parameter takes every value of a finite domain in turn",
                getattr(error, "cure", None) or f"write `{argument.arg}: Domain`",
            )
    return parameters


def _wrong_signature(
    node: ast.FunctionDef, path: Path, states: list[str], kind: Kind
) -> Diagnostic | None:
    """What is wrong with the parameters of a marked function, their domains aside."""
    arguments, place = node.args.args, Place.of(node, path)
    if [argument.arg for argument in arguments[: len(states)]] != states:
        return Diagnostic(
            "signature",
            place,
            f"{node.name} must begin with the parameters {', '.join(states)}",
            "`s` is the state before, `new` the state after",
            f"write `def {node.name}({', '.join(states)}, ...)`",
        )
    args = node.args
    if any((args.posonlyargs, args.kwonlyargs, args.vararg, args.kwarg, args.defaults)):
        return Diagnostic(
            "parameter-form",
            place,
            f"{node.name} has parameters with `*`, `/` or default values",
            "every parameter takes every value of its domain, in turn",
            "write each as `name: Domain`",
        )
    if kind is Kind.MEASURE and len(arguments) > len(states):
        return Diagnostic(
            "signature",
            place,
            f"{node.name} has other parameters than s, new",
            "a step is worth one number, not one for each value of a parameter",
            f"write `def {node.name}(s, new)`, and add up with `sum(... for ... in ...)`",
        )
    if kind is Kind.SHOWS and arguments[1:]:
        return Diagnostic(
            "signature",
            Place.of(arguments[1], path),
            f"{node.name} has a parameter beside `s`",
            "it stands for a variable, which has one value in each state",
            f"write `def {node.name}(s)`; a map has a value for each of its keys",
        )
    return None


def refuse_misplaced(universe: Universe, module: types.ModuleType, kinds: frozenset[Kind]) -> None:
    """Report the functions marked in a file that is not for their kind: nothing would use them."""
    for function in vars(module).values():
        mark = getattr(function, MARK, None)
        if (
            isinstance(mark, Mark)
            and mark.kind not in kinds
            and getattr(function, "__module__", None) == module.__name__
        ):
            node, path = text_of(universe, function)
            of_models = mark.kind in OF_MODELS
            what = {Kind.ACTION: "an action", Kind.SHOWS: "marked with @shows"}
            universe.refuse(
                Place.of(node, path),
                "misplaced",
                f"{node.name} is {what.get(mark.kind, 'a claim')} in the wrong file",
                "actions, and what a state shows, are read from models/, what must hold from "
                "invariants/",
                f"move it to {'models/' if of_models else 'invariants/'}{path.name}",
            )


def text_of(universe: Universe, function: Callable[..., Any]) -> tuple[ast.FunctionDef, Path]:
    """The syntax of a marked function and its file; `LockstepError` when it has no text there."""
    if (definition := universe.definition(function)) is not None:
        return definition
    name, code = getattr(function, "__name__", repr(function)), getattr(function, "__code__", None)
    what = f"{name} is marked as part of a model but is not a function of its text"
    cure = "mark functions written with `def` at module level only"
    if code is None or code.co_filename not in universe.files:
        raise LockstepError(what, cure=cure)
    place = Place.beginning(Path(code.co_filename), code.co_firstlineno)
    why = "the text of a marked function is read, and it is a plain `def`"
    raise ModelError([Diagnostic("not-a-function", place, what, why, cure)])


def _declared_at(universe: Universe, state: type[State], name: str) -> Place:
    """Where a variable is declared: in the state class or in one that it is derived from."""
    owner = next(one for one in state.__mro__ if name in inspect.get_annotations(one))
    path = Path(str(universe.modules[owner.__module__].__file__))
    tree = ast.parse(universe.files[str(path)].text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == owner.__name__:
            for line in node.body:
                if (
                    isinstance(line, ast.AnnAssign)
                    and isinstance(line.target, ast.Name)
                    and line.target.id == name
                ):
                    return Place.of(line, path)
    return Place.beginning(path)
