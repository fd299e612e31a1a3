"""Lower whole functions: actions, invariants, and the helpers and procedures they call."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import lockstep.language.notation as notation
from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.frontend.calls import bind_arguments, callee, checked
from lockstep.language.frontend.expressions import condition, lower_expression, map_key
from lockstep.language.frontend.reachability import is_always_false
from lockstep.language.frontend.scope import (
    Binding,
    NewName,
    Refused,
    Scope,
    Slots,
    StateName,
    nearest,
)
from lockstep.language.model import Action, Model, Parameter, Property
from lockstep.language.notation import Kind
from lockstep.language.source import Diagnostic, ModelError
from lockstep.language.types import is_disjoint, join

_INSTEAD: dict[type[ast.stmt], tuple[str, str]] = {
    ast.If: (
        "an `if` statement",
        "write `a if test else b`, or one action per outcome, each with its `require`",
    ),
    ast.For: ("a `for` statement", "write a whole map: `new.x = {k: ... for k in Keys}`"),
    ast.While: ("a `while` statement", "make each round a step of its own"),
    ast.AugAssign: ("an augmented assignment", "write `new.x = s.x + 1`"),
    ast.AnnAssign: ("an annotated local", "write `name = value`"),
    ast.Assert: ("`assert`", "write `require(...)` in an action, or state an invariant"),
    ast.Raise: ("`raise`", "write `require(...)`"),
    ast.Try: ("`try`", "an error in a model is a mistake in it: guard with `require(...)`"),
    ast.Return: ("`return` here", "an action writes to `new`; it returns nothing"),
    ast.Match: ("`match`", "write one action per case, each with its `require`"),
    ast.With: ("`with`", "a step is atomic: remove it"),
    ast.FunctionDef: ("a nested function", "define it at module level"),
    ast.Delete: ("`del`", "write the value without the part"),
    ast.Global: ("`global`", "only the state changes: make it a variable"),
    ast.Import: ("an import here", "import at the top of the file"),
    ast.ImportFrom: ("an import here", "import at the top of the file"),
}


def lower(model: Model) -> ir.ModelCode:
    """The IR of a model; `ModelError` with a diagnostic for each ill-formed function."""
    actions: list[ir.ActionCode] = []
    properties: list[ir.PropertyCode] = []
    problems: list[Diagnostic] = []
    for action in model.actions:
        try:
            actions.append(_action(model, action))
        except Refused as refused:
            problems.append(refused.diagnostic)
    for prop in model.properties:
        try:
            properties.append(_property(model, prop))
        except Refused as refused:
            problems.append(refused.diagnostic)
    if problems:
        raise ModelError(list(dict.fromkeys(problems)))
    return ir.ModelCode(tuple(model.variables.items()), tuple(actions), tuple(properties))


def inline_helper(scope: Scope, node: ast.Call, function: Callable[..., Any]) -> ir.Expression:
    """The value of a helper: its locals, then its one `return`."""
    inner, slots, body = _enter(scope, node, function)
    if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
        definition = _definition(scope, function)
        scope.refuse(
            node, "no-value", f"{definition.name} returns no value on its last line",
            "a helper is names for expressions and one `return`",
            "end it with `return ...`, or call it as a statement if it writes to `new`",
        )  # fmt: skip
    for statement in body[:-1]:
        bound = _local(inner, statement)
        if bound is None:
            _refuse_statement(inner, statement)
        slots.append(bound)
    value = lower_expression(inner, body[-1].value)
    for slot, bound_value in reversed(slots):
        value = ir.Let(value.place, value.domain, slot, bound_value, value)
    return value


@dataclass
class _Body:
    """What a function's statements became."""

    statements: list[ir.Statement]
    claim: ir.Expression | None = None


def _action(model: Model, action: Action) -> ir.ActionCode:
    scope, parameters = _top(
        model, action.function, action.parameters, (StateName(False), NewName())
    )
    body = _Body([])
    _statements(scope, _body(_definition(scope, action.function)), body, notation.require)
    return ir.ActionCode(action.name, parameters, tuple(body.statements), scope.slots.used)


def _property(model: Model, prop: Property) -> ir.PropertyCode:
    states: tuple[Binding, ...] = (StateName(False),)
    if prop.kind is Kind.STEP_INVARIANT:
        states = (StateName(False), StateName(True))
    scope, parameters = _top(model, prop.function, prop.parameters, states)
    definition = _definition(scope, prop.function)
    lines = _body(definition)
    if not lines or not isinstance(lines[-1], ast.Return) or lines[-1].value is None:
        scope.refuse(
            definition, "no-claim", f"{prop.name} claims nothing", "an invariant returns its claim",
            "end it with `return ...`",
        )  # fmt: skip
    body = _Body([])
    _statements(scope, lines[:-1], body, notation.when)
    claim = condition(scope, lines[-1].value)
    return ir.PropertyCode(
        prop.name, prop.kind, parameters, tuple(body.statements), claim, scope.slots.used
    )


def _top(
    model: Model,
    function: Callable[..., Any],
    parameters: tuple[Parameter, ...],
    states: tuple[Binding, ...],
) -> tuple[Scope, tuple[ir.ParameterCode, ...]]:
    found = model.universe.definition(function)
    assert found is not None, f"{function.__name__} has no text"
    definition, file = found
    slots = Slots()
    scope = Scope(
        model.universe, model.variables, slots, file, function.__globals__, calls=(function,)
    )
    arguments = definition.args.args
    for argument, state in zip(arguments, states, strict=False):
        scope.names[argument.arg] = state
    codes = []
    for argument, parameter in zip(arguments[len(states) :], parameters, strict=True):
        slot = slots.fresh()
        codes.append(ir.ParameterCode(parameter.name, slot, parameter.domain))
        scope.names[argument.arg] = ir.Local(scope.place(argument), parameter.domain, slot)
    return scope, tuple(codes)


def _enter(
    scope: Scope, node: ast.Call, function: Callable[..., Any]
) -> tuple[Scope, list[tuple[int, ir.Expression]], list[ast.stmt]]:
    definition = _definition(scope, function)
    names, slots = bind_arguments(scope, node, function, definition)
    found = scope.universe.definition(function)
    assert found is not None
    inner = Scope(
        scope.universe, scope.variables, scope.slots, found[1], function.__globals__,
        names, (*scope.calls, function),
    )  # fmt: skip
    return inner, slots, _body(definition)


def _definition(scope: Scope, function: Callable[..., Any]) -> ast.FunctionDef:
    found = scope.universe.definition(function)
    assert found is not None
    return found[0]


def _body(definition: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    body = definition.body
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[1:] if isinstance(first.value.value, str) else body
    return body


def _statements(
    scope: Scope, lines: list[ast.stmt], body: _Body, guard: Callable[[bool], None]
) -> None:
    for line in lines:
        bound = _local(scope, line)
        if bound is not None:
            body.statements.append(ir.Bind(scope.place(line), *bound))
        elif isinstance(line, ast.Assign):
            body.statements.append(_write(scope, line))
        elif isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
            _call(scope, line.value, body, guard)
        elif not isinstance(line, ast.Pass):
            _refuse_statement(scope, line)


def _local(scope: Scope, line: ast.stmt) -> tuple[int, ir.Expression] | None:
    """Lower `name = value`; None for any other statement."""
    if not (isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)):
        return None
    name = line.targets[0].id
    if len(line.targets) > 1 or isinstance(scope.names.get(name), StateName | NewName):
        _refuse_statement(scope, line)
    value = lower_expression(scope, line.value)
    slot = scope.slots.fresh()
    scope.names[name] = ir.Local(scope.place(line), value.domain, slot)
    return slot, value


def _call(scope: Scope, node: ast.Call, body: _Body, guard: Callable[[bool], None]) -> None:
    called = callee(scope, node)
    if called in (notation.require, notation.when):
        if called is not guard or len(node.args) != 1 or node.keywords:
            scope.refuse(
                node, "guard", f"{guard.__name__}(...) with one condition belongs here",
                "`require` guards an action, `when` is the premise of an invariant",
                f"write {guard.__name__}(condition)",
            )  # fmt: skip
        test = condition(scope, node.args[0])
        body.statements.append(ir.Guard(scope.place(node), test))
        scope.slots.unreachable = scope.slots.unreachable or is_always_false(test)
        return
    if not callable(called) or scope.universe.definition(called) is None:
        scope.refuse(
            node, "unknown-call", f"{ast.unparse(node.func)} cannot be called in a model",
            "its meaning is not known to every engine", "call a procedure of your own",
        )  # fmt: skip
    inner, slots, lines = _enter(scope, node, called)
    body.statements.extend(ir.Bind(scope.place(node), slot, value) for slot, value in slots)
    _statements(inner, lines, body, guard)


def _write(scope: Scope, line: ast.Assign) -> ir.Write:
    if len(line.targets) > 1:
        _refuse_statement(scope, line)
    steps: list[ast.Attribute | ast.Subscript] = []
    node: ast.expr = line.targets[0]
    while isinstance(node, ast.Attribute | ast.Subscript):
        steps.append(node)
        node = node.value
    root = scope.names.get(node.id) if isinstance(node, ast.Name) else None
    if not isinstance(root, NewName) or not isinstance(steps[-1], ast.Attribute):
        scope.refuse(
            line, "write", f"{ast.unparse(line.targets[0])} cannot be assigned to",
            "only `new` and its parts change, and locals are plain names",
            "write `new.variable = ...` or `name = ...`",
        )  # fmt: skip
    variable = steps[-1].attr
    if variable not in scope.variables:
        scope.refuse(
            line, "unknown-variable", f"there is no variable {variable}",
            f"the variables are {', '.join(scope.variables)}",
            nearest(variable, list(scope.variables), "declare it in the state class"),
        )  # fmt: skip
    domain = scope.variables[variable]
    path: list[ir.FieldStep | ir.KeyStep] = []
    for step in reversed(steps[:-1]):
        if isinstance(domain, OptionDomain):
            domain = domain.some
        step_code, domain = _path_step(scope, step, domain)
        path.append(step_code)
    place = ast.unparse(line.targets[0]).removeprefix("new.")
    value = checked(scope, line.value, domain, place)
    return ir.Write(scope.place(line), variable, tuple(path), value, domain)


def _path_step(
    scope: Scope, step: ast.Attribute | ast.Subscript, domain: Domain
) -> tuple[ir.FieldStep | ir.KeyStep, Domain]:
    if isinstance(step, ast.Subscript) and isinstance(domain, MapDomain):
        return ir.KeyStep(map_key(scope, step.slice, domain)), domain.value
    if isinstance(step, ast.Attribute) and isinstance(domain, RecordDomain):
        fields = domain.record.fields
        if step.attr not in fields:
            scope.refuse(
                step, "unknown-field", f"{domain} has no field {step.attr}",
                f"its fields are {', '.join(fields)}",
                nearest(step.attr, list(fields), "add the field to the record"),
            )  # fmt: skip
        return ir.FieldStep(step.attr, list(fields).index(step.attr)), fields[step.attr]
    scope.refuse(
        step, "write", f"{domain} is not written in part", "only maps and records have parts",
        "write the whole value",
    )  # fmt: skip


def _refuse_statement(scope: Scope, line: ast.stmt) -> NoReturn:
    what, cure = _INSTEAD.get(
        type(line), (f"`{ast.unparse(line).splitlines()[0]}`", "use the notation")
    )
    scope.refuse(
        line, "unsupported-statement", f"{what} is not part of the notation",
        "an action is a conjunction: guards, names for expressions, and writes", cure,
    )  # fmt: skip


__all__ = ["inline_helper", "is_disjoint", "join", "lower"]
