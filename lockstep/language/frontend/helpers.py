"""Inline helpers and procedures: a call becomes the body, its arguments bound to slots."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import domain_of
from lockstep.language.frontend.locals import assigned_names, lower_local, refuse_statement
from lockstep.language.frontend.presence import forgotten
from lockstep.language.frontend.scope import NewName, Scope, StateName
from lockstep.language.types import counted, described, join

Bound = tuple[int, ir.Expression]
"""A slot, and the value to bind it to."""


def inline_helper(scope: Scope, node: ast.Call, function: Callable[..., Any]) -> ir.Expression:
    """The value of a helper: its arguments and locals, then its one `return`."""
    inner, slots, lines = enter(scope, node, function)
    if not lines or not isinstance(lines[-1], ast.Return) or lines[-1].value is None:
        scope.refuse(
            node,
            "no-value",
            f"{function.__name__} returns no value on its last line",
            "a helper is names for expressions and one `return`; a procedure has no value",
            "end it with `return ...`, or call it as a statement if it writes to `new`",
        )
    with scope.unit.collecting() as refused:
        for line in lines[:-1]:
            with refused.noting():
                bound = lower_local(inner, line)
                if bound is None:
                    refuse_statement(inner, line)
                slots.append(bound)
        with refused.noting():
            value = inner.lower(lines[-1].value)
    for slot, bound_value in reversed(slots):
        value = ir.Let(value.place, value.domain, slot, bound_value, value)
    return value


def enter(
    scope: Scope, node: ast.Call, function: Callable[..., Any]
) -> tuple[Scope, list[Bound], list[ast.stmt]]:
    """The scope inside a function that is called, the slots to bind first, and its statements."""
    found = scope.unit.universe.definition(function)
    assert found is not None
    definition, file = found
    if function in scope.calls:
        scope.refuse(
            node,
            "recursion",
            f"{definition.name} calls itself",
            "calls are inlined, so that every engine sees one expression",
            "iterate over a domain or a collection instead",
        )
    if len(scope.calls) == 1:
        scope.unit.call = scope.place(node)
    lines = body_of(definition)
    inner = Scope(
        scope.unit,
        file,
        function.__globals__,
        (*scope.calls, function),
        unbound=assigned_names(lines),
        present=scope.present,
    )
    slots = []
    for parameter, argument in _arguments(scope, node, definition).items():
        slot = _bind(scope, inner, parameter, argument, function)
        if slot is not None:
            slots.append(slot)
    return inner, slots, lines


def body_of(definition: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    first = definition.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return definition.body[1:]
    return definition.body


def _arguments(scope: Scope, node: ast.Call, definition: ast.FunctionDef) -> dict[str, ast.expr]:
    """The argument of each parameter, in the order of the call."""
    parameters = [parameter.arg for parameter in definition.args.args]
    arguments = dict(zip(parameters, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in parameters or keyword.arg in arguments:
            name = keyword.arg or "**"
            twice = f"{definition.name} is given {name} twice"
            scope.refuse(
                keyword.value,
                "arguments",
                twice if name in arguments else f"{definition.name} has no parameter {name}",
                f"its parameters are {', '.join(parameters) or 'none'}",
                "give each parameter one value",
            )
        arguments[keyword.arg] = keyword.value
    if len(node.args) > len(parameters) or set(arguments) != set(parameters):
        scope.refuse(
            node,
            "arguments",
            f"{definition.name} takes {counted(len(parameters), 'argument')}, not "
            f"{len(node.args) + len(node.keywords)}",
            f"its parameters are {', '.join(parameters) or 'none'}",
            "give one value for each",
        )
    return arguments


def _bind(
    scope: Scope, inner: Scope, parameter: str, node: ast.expr, function: Callable[..., Any]
) -> Bound | None:
    """Bind a parameter inside.

    Returns the slot to bind first, where the argument computes something: it is evaluated once,
    before the body, as Python does.
    """
    passed = scope.names.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(passed, StateName | NewName):
        inner.bind(parameter, passed)
        return None
    lowered = scope.lower(node)
    _check_annotation(scope, node, lowered, function, parameter)
    option = forgotten(lowered)
    if isinstance(option, ir.Literal | ir.Local):
        inner.bind(parameter, option)
        return None
    slot = scope.unit.fresh()
    local = ir.Local(option.place, option.domain, slot)
    inner.bind(parameter, local)
    if option is not lowered:
        inner.present.add(("slot", slot))
    return slot, option


def _check_annotation(
    scope: Scope,
    node: ast.expr,
    lowered: ir.Expression,
    function: Callable[..., Any],
    parameter: str,
) -> None:
    try:
        declared = domain_of(function.__annotations__.get(parameter), parameter)
    except TypeError:
        return  # not annotated, or for a reader
    if join(declared, lowered.domain) is None:
        scope.refuse(
            node,
            "argument-type",
            f"this is {described(lowered.domain)}, but {parameter} is {described(declared)}",
            f"{function.__name__} says so in its signature",
            f"pass {described(declared)}",
        )
