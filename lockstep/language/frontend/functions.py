"""Lower whole functions: the actions and the properties of a model, and what it shows."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

import lockstep.language.notation as notation
from lockstep.language import ir
from lockstep.language.frontend.expected import condition, integer
from lockstep.language.frontend.expressions import lower_expression
from lockstep.language.frontend.helpers import assigned_names, body_of
from lockstep.language.frontend.scope import Binding, Broken, NewName, Noted, Scope, StateName, Unit
from lockstep.language.frontend.statements import lower_statements
from lockstep.language.load_problems import too_deep
from lockstep.language.notation import Kind
from lockstep.language.protocol import Action, Model, Property, Shown
from lockstep.language.source import Diagnostic, ModelError, reading

_Declared = TypeVar("_Declared", Action, Property, Shown)
_Code = TypeVar("_Code")


def lower(model: Model) -> ir.ModelCode:
    """The IR of a model; `ModelError` with every problem in it when it is not well formed.

    Each function is lowered once: its code is kept with the model.
    """
    if problems := refusals(model):
        raise ModelError(problems)
    return ir.ModelCode(
        tuple(model.variables.items()),
        tuple(model.lowered.actions[action] for action in model.actions),
        tuple(model.lowered.properties[prop] for prop in model.properties),
    )


def refusals(model: Model) -> list[Diagnostic]:
    """What is not well formed in the functions of a model, in the order of its files."""
    problems: list[Diagnostic] = []
    lowered = model.lowered
    with reading():
        for action in model.actions:
            if action not in lowered.actions:
                problems += _read(_action, model, action, lowered.actions)
        for prop in (*model.properties, *model.measures):
            if prop not in lowered.properties:
                problems += _read(_property, model, prop, lowered.properties)
        for shown in model.shown:
            if shown not in lowered.shown:
                problems += _read(_shown, model, shown, lowered.shown)
    return model.universe.in_file_order(problems)


def _read(
    read: Callable[[_Top, _Declared], _Code | None],
    model: Model,
    declared: _Declared,
    lowered: dict[_Declared, _Code],
) -> list[Diagnostic]:
    """Keep what `read` makes of a function; the problems in it, with which nothing is kept."""
    top = _Top(model, declared)
    code: _Code | None = None
    try:
        code = read(top, declared)
    except RecursionError:
        node, path = top.definition, top.scope.file
        text = model.universe.files[str(path)].text
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        top.unit.problems.append(too_deep(path, text, lines))
    if code is not None and not top.unit.problems:
        lowered[declared] = code
    return top.unit.problems


def _action(top: _Top, action: Action) -> ir.ActionCode:
    statements = lower_statements(top.scope, body_of(top.definition), notation.require)
    return ir.ActionCode(action.name, top.parameters, tuple(statements), top.unit.slots)


def _shown(top: _Top, shown: Shown) -> ir.ShownCode | None:
    lines = body_of(top.definition)
    statements = lower_statements(top.scope, lines[:-1], None)
    with Noted(top.unit.problems).noting():
        last = lines[-1] if lines else top.definition
        if not isinstance(last, ast.Return) or last.value is None:
            top.scope.refuse(
                last,
                "no-value",
                f"{top.definition.name} returns no value on its last line",
                "what is marked with @shows ends with the value that a state shows",
                "end it with `return ...`",
            )
        return ir.ShownCode(shown.name, tuple(statements), top.scope.lower(last.value))
    return None


def _property(top: _Top, prop: Property) -> ir.PropertyCode | None:
    lines = body_of(top.definition)
    guard = None if prop.kind in (Kind.LEADS_TO, Kind.MEASURE) else notation.when
    statements = lower_statements(top.scope, lines[:-1], guard)
    last = lines[-1] if lines else top.definition
    premise: ir.Expression | None = None
    with Noted(top.unit.problems).noting():
        if prop.kind is Kind.LEADS_TO:
            premise, claim = _premise_and_goal(top.scope, top.definition.name, last)
        elif not isinstance(last, ast.Return) or last.value is None:
            top.scope.refuse(
                last,
                "no-claim",
                f"{top.definition.name} claims nothing",
                "an invariant ends with what it claims of every state, a measure with a number",
                "end it with `return ...`",
            )
        elif prop.kind is Kind.MEASURE:
            claim = integer(top.scope, last.value)[0]
        else:
            claim = condition(top.scope, last.value)
        return ir.PropertyCode(
            prop.name, prop.kind, top.parameters, tuple(statements), claim, top.unit.slots, premise
        )
    return None


def _premise_and_goal(
    scope: Scope, name: str, last: ast.stmt
) -> tuple[ir.Expression, ir.Expression]:
    pair = last.value if isinstance(last, ast.Return) else None
    if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2:
        scope.refuse(
            last,
            "leads-to",
            f"{name} does not say what leads to what",
            "a `leads_to` ends with its premise and its goal, two conditions",
            "end it with `return premise, goal`",
        )
    premise, goal = pair.elts
    return condition(scope, premise), condition(scope, goal)


class _Top:
    """The function of an action or a property, before its statements are lowered."""

    def __init__(self, model: Model, declared: Action | Property | Shown) -> None:
        function = declared.function
        text = model.universe.definition(function)
        assert text is not None, f"{function.__name__} has no text"
        self.definition, file = text
        self.unit = Unit(model.universe, model.variables, lower_expression)
        self.scope = Scope(
            self.unit,
            file,
            function.__globals__,
            (function,),
            unbound=assigned_names(body_of(self.definition)),
        )
        arguments, states = self.definition.args.args, _states(declared)
        for argument, state in zip(arguments, states, strict=False):
            self.scope.bind(argument.arg, state)
        codes = []
        parameters = () if isinstance(declared, Shown) else declared.parameters
        by_name = {parameter.name: parameter for parameter in parameters}
        for argument in arguments[len(states) :]:
            parameter = by_name.get(argument.arg)
            if parameter is None:
                self.scope.bind(argument.arg, Broken())
                continue
            slot = self.unit.fresh()
            codes.append(ir.ParameterCode(parameter.name, slot, parameter.domain))
            local = ir.Local(self.scope.place(argument), parameter.domain, slot)
            self.scope.bind(argument.arg, local)
        self.parameters = tuple(codes)


def _states(declared: Action | Property | Shown) -> tuple[Binding, ...]:
    """What the first parameters of a function stand for."""
    if isinstance(declared, Action):
        return StateName(False), NewName()
    is_of_steps = isinstance(declared, Property) and declared.kind in (
        Kind.STEP_INVARIANT,
        Kind.MEASURE,
    )
    return (StateName(False), StateName(True)) if is_of_steps else (StateName(False),)
