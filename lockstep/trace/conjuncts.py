"""Which conjunct of a property, or of a guard, is false in a state, and the values it has there.

The text of the property is taken apart: `and`, `all(...)`, conditional expressions, and functions
of the model that it calls. Plain Python evaluates each part, as it evaluates the whole.
"""

from __future__ import annotations

import ast
import builtins
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep.language.loader import Universe
from lockstep.language.notation import Disabled, Kind, State
from lockstep.language.protocol import Action, Property
from lockstep.plain.run import NextState
from lockstep.results.trace import Trace
from lockstep.trace.layout import show
from lockstep.words import path_below, place_text

_MOST_CALLS = 20
"""How many functions deep a conjunct is looked for: one that calls itself has no end."""


@dataclass(frozen=True)
class Conjunct:
    """A part of a property that is false, with the values of what it is made of.

    `place` is its file and line as they are shown. `bound` are the names that stand for one value
    each in it: those that `all(...)` goes through, and the parameters of the function that it is
    written in.
    """

    file: Path
    line: int
    place: str
    text: str
    bound: Mapping[str, object]
    values: Mapping[str, object]

    @property
    def known(self) -> tuple[tuple[str, object], ...]:
        """All that has a value in it, by its text."""
        return (*self.bound.items(), *self.values.items())

    @property
    def equations(self) -> tuple[str, ...]:
        """The same as texts: `s.epoch = 2`."""
        return tuple(f"{text} = {show(value)}" for text, value in self.known)


def false_conjunct(
    universe: Universe, function: Callable[..., Any], arguments: Sequence[object]
) -> Conjunct | None:
    """The first conjunct of `function` that is false for some arguments.

    None where the function is not false, or the conjunct cannot be found for sure.
    """
    try:
        return _in_function(universe, function, arguments, 0)
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever a model's text raises, `exit(0)` included
        return None


def false_at_the_end(
    universe: Universe, prop: Property, trace: Trace, parameters: Sequence[object]
) -> Conjunct | None:
    """The first conjunct of an invariant that is false at the end of a behaviour.

    None for a property of another kind, and as of `false_conjunct`.
    """
    match prop.kind:
        case Kind.INVARIANT:
            ending = trace.states[-1:]
        case Kind.STEP_INVARIANT:
            ending = trace.states[-2:]
        case _:
            return None
    return false_conjunct(universe, prop.function, (*ending, *parameters))


def false_requirement(
    universe: Universe, action: Action, state: State, arguments: Sequence[object]
) -> Conjunct | None:
    """The conjunct of the first `require` or `present` that stops an action here.

    None where the action can be taken, or the conjunct cannot be found for sure.
    """
    try:
        action.function(state, NextState(state), *arguments)
    except Disabled as disabled:
        with suppress(Exception):
            return _in_guard(universe, disabled)
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever a model's text raises, `exit(0)` included
        return None
    return None


def _in_guard(universe: Universe, disabled: Disabled) -> Conjunct | None:
    """What is false in the call of `require` or `present` that raised this."""
    frames = [frame for frame, _ in traceback.walk_tb(disabled.__traceback__)]
    frame = frames[-2]
    code = frame.f_code
    definition = universe.definition_of_code(code)
    assert definition is not None
    node, file = definition
    calls = [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id in ("require", "present")
        and part.lineno <= frame.f_lineno <= (part.end_lineno or part.lineno)
    ]
    # What an edit puts in place is in one line: there the column says which call it is.
    column = list(code.co_positions())[frame.f_lasti // 2][2]
    call = next((part for part in calls if part.col_offset == column), calls[0])
    scope = _Scope(universe, file, {**frame.f_globals, **frame.f_locals}, {}, 0)
    (condition,) = call.args
    if isinstance(call.func, ast.Name) and call.func.id == "present":
        text = f"{ast.unparse(condition)} is not None"
        return scope.conjunct(call.lineno, text)
    return _in_expression(condition, scope)


class _Unclear(Exception):
    """Something is written in a way that is not taken apart here."""


@dataclass(frozen=True)
class _Scope:
    """Where an expression is evaluated."""

    universe: Universe
    file: Path
    names: dict[str, Any]
    bound: dict[str, object]
    depth: int

    def value(self, node: ast.expr) -> Any:
        code = compile(ast.Expression(node), str(self.file), "eval", dont_inherit=True)
        return eval(code, self.names)

    def run(self, node: ast.stmt) -> None:
        code = compile(ast.Module([node], []), str(self.file), "exec", dont_inherit=True)
        exec(code, self.names)

    def conjunct(
        self, line: int, text: str, values: Mapping[str, object] | None = None
    ) -> Conjunct:
        place = place_text(self.file, line, self.universe.root)
        return Conjunct(self.file, line, place, text, self.bound, values or {})

    def inside(self, names: Mapping[str, object]) -> _Scope:
        return _Scope(
            self.universe, self.file, {**self.names, **names}, {**self.bound, **names}, self.depth
        )


def _in_function(
    universe: Universe, function: Callable[..., Any], arguments: Sequence[object], depth: int
) -> Conjunct | None:
    definition = universe.definition(function)
    if definition is None or depth > _MOST_CALLS:
        raise _Unclear
    node, file = definition
    bindings = {
        parameter.arg: value for parameter, value in zip(node.args.args, arguments, strict=True)
    }
    names = {**function.__globals__, **bindings}
    bound = {name: value for name, value in bindings.items() if depth and name not in ("s", "new")}
    scope = _Scope(universe, file, names, bound, depth)
    result = _returned(node.body, scope)
    return None if result is None else _in_expression(result, scope)


def _returned(body: Sequence[ast.stmt], scope: _Scope) -> ast.expr | None:
    """The expression that a function returns here, what precedes it being done."""
    for node in body:
        match node:
            case ast.Return(value):
                return value
            case ast.If(test, then, otherwise):
                result = _returned(then if scope.value(test) else otherwise, scope)
                if result is not None:
                    return result
            case ast.Expr() | ast.Assign() | ast.AnnAssign():
                scope.run(node)  # a premise that is false ends it: then nothing is
            case _:
                raise _Unclear
    return None


def _in_expression(node: ast.expr, scope: _Scope) -> Conjunct | None:
    if scope.value(node):
        return None
    match node:
        case ast.BoolOp(ast.And(), parts):
            return _in_expression(next(part for part in parts if not scope.value(part)), scope)
        case ast.IfExp(test, then, otherwise):
            return _in_expression(then if scope.value(test) else otherwise, scope)
        case ast.Call(ast.Name("all"), [ast.GeneratorExp() as generation], []):
            if scope.value(node.func) is builtins.all:
                names = _first_false(generation, scope)
                return _in_expression(generation.elt, scope.inside(names))
        case ast.Call(ast.Name(), arguments, []) if isinstance(
            function := scope.value(node.func), types.FunctionType
        ):
            if scope.universe.definition(function) is not None:
                values = [scope.value(argument) for argument in arguments]
                return _in_function(scope.universe, function, values, scope.depth + 1)
    return scope.conjunct(node.lineno, ast.unparse(node), _values(node, scope))


def _values(node: ast.expr, scope: _Scope) -> dict[str, object]:
    """What a condition reads, by its text; parts that have no value here are left out."""
    values: dict[str, object] = {}
    for part in _readings(node):
        text = ast.unparse(part)
        with suppress(Exception):
            value = scope.value(part)
            if text not in scope.bound and not callable(value):
                values[text] = value
    return values


def _first_false(generation: ast.GeneratorExp, scope: _Scope) -> dict[str, object]:
    """For which values of its names a generator first yields what is false."""
    targets = [
        part.id
        for generator in generation.generators
        for part in ast.walk(generator.target)
        if isinstance(part, ast.Name)
    ]
    names = ast.Tuple([ast.Name(target, ast.Load()) for target in targets], ast.Load())
    element = ast.Tuple([names, generation.elt], ast.Load())
    listed = ast.ListComp(element, generation.generators)
    outcomes = scope.value(ast.fix_missing_locations(ast.copy_location(listed, generation)))
    first = next(values for values, holds in outcomes if not holds)
    return dict(zip(targets, first, strict=True))


def _readings(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of a condition whose values say why it is false."""
    match node:
        case ast.Compare(left, _, others):
            for part in (left, *others):
                yield from _readings(part)
        case ast.BoolOp(_, parts):
            for part in parts:
                yield from _readings(part)
        case ast.UnaryOp(_, part):
            yield from _readings(part)
        case ast.IfExp(test, then, otherwise):
            for part in (test, then, otherwise):
                yield from _readings(part)
        case ast.BinOp(left, _, right):
            yield from _readings(left)
            yield from _readings(right)
        case ast.Call(ast.Name("any" | "all")):
            return
        case ast.Subscript() | ast.Attribute() | ast.Call() | ast.Name() if _varies(node):
            yield node


def _varies(node: ast.expr) -> bool:
    """Whether the value is another in other states: not that of a constant or an enum's member."""
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return any(not name[0].isupper() for name in names)


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file as they stand there; `first` is the number of the first one, from 1."""

    file: str
    first: int
    lines: tuple[str, ...]


def excerpt(universe: Universe, function: Callable[..., Any]) -> Excerpt | None:
    """A function with its decorators; None for one that is from elsewhere."""
    definition = universe.definition(function)
    if definition is None:
        return None
    node, file = definition
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    edited = universe.edited.get(function.__code__)
    text = universe.files[function.__code__.co_filename].text if edited is None else edited.text
    lines = text.splitlines()[first - 1 : node.end_lineno if edited is None else edited.last]
    return Excerpt(path_below(file, universe.root), first, tuple(lines))
