"""Local names, and calls of helpers and procedures: a call becomes the body, arguments in slots."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from lockstep.language import ir
from lockstep.language.domains import OptionDomain
from lockstep.language.frontend.cures import instead_of_augmented
from lockstep.language.frontend.expected import as_names, condition, either
from lockstep.language.frontend.facts import as_declared
from lockstep.language.frontend.names import declared_domain
from lockstep.language.frontend.scope import Broken, NewName, Refused, Scope, StateName
from lockstep.language.notation import MARK, Kind, Mark
from lockstep.language.types import described, join
from lockstep.words import plural

_INSTEAD: dict[type[ast.stmt], tuple[str, str]] = {
    ast.If: (
        "an `if` statement",
        "write `a if test else b`, or one action per outcome, each with its `require`",
    ),
    ast.For: ("a `for` statement", "write a whole map: `new.x = {k: ... for k in Keys}`"),
    ast.While: ("a `while` statement", "make each round a step of its own"),
    ast.AugAssign: ("an augmented assignment", "write the new value out"),
    ast.Assign: ("more than one `=`", "write one assignment for each"),
    ast.Expr: ("a value by itself", "remove it, or write `require(...)`"),
    ast.AnnAssign: ("an annotated local", "write `name = value`"),
    ast.Assert: ("`assert`", "write `require(...)` in an action, or state an invariant"),
    ast.Raise: ("`raise`", "write `require(...)`"),
    ast.Try: ("`try`", "an error in a model is a mistake in it: guard with `require(...)`"),
    ast.Return: ("`return` here", "an action writes to `new`; it returns nothing"),
    ast.Match: ("`match`", "write one action per case, each with its `require`"),
    ast.With: ("`with`", "a step is atomic: remove it"),
    ast.FunctionDef: ("a nested function", "define it at module level"),
    ast.ClassDef: ("a nested class", "define it at module level"),
    ast.Delete: ("`del`", "write the value without the part"),
    ast.Global: ("`global`", "only the state changes: make it a variable"),
    ast.Nonlocal: ("`nonlocal`", "only the state changes: make it a variable"),
    ast.Import: ("an import here", "import at the top of the file"),
    ast.ImportFrom: ("an import here", "import at the top of the file"),
}


def assigned_names(lines: list[ast.stmt]) -> set[str]:
    """The names that a function's statements assign: its locals, from its first line on."""
    return {
        target.id
        for line in lines
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }


def lower_local(scope: Scope, line: ast.stmt) -> tuple[int, ir.Expression] | None:
    """Lower `name = value` to a slot and its value; None for any other statement."""
    if not (isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)):
        return None
    name = line.targets[0].id
    if len(line.targets) > 1:
        refuse_statement(scope, line)
    if isinstance(scope.names.get(name), StateName | NewName):
        scope.refuse(
            line,
            "state-reassigned",
            f"{name} is given another meaning",
            "it is the state, from the first line to the last",
            "choose another name, or write a variable: `new.variable = ...`",
        )
    try:
        lowered = scope.lower(line.value)
    except Refused:
        scope.bind(name, Broken())
        raise
    value, slot = as_declared(lowered), scope.unit.fresh()
    scope.bind(name, ir.Local(scope.place(line), value.domain, slot))
    scope.facts.name(slot, value)
    return slot, value


def refuse_statement(scope: Scope, line: ast.stmt) -> NoReturn:
    """Refuse a statement that is not part of the notation, with what to write instead."""
    text = f"`{ast.unparse(line).splitlines()[0]}`"
    what, cure = _INSTEAD.get(type(line), (text, "write guards, locals, writes and calls only"))
    if isinstance(line, ast.AugAssign):
        cure = instead_of_augmented(scope, line)
    if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
        scope.bind(line.target.id, Broken())
        cure = f"write `{line.target.id} = ...`"
    if isinstance(line, ast.Return) and line.value is None:
        cure = "remove it: an action ends with its last line"
    if isinstance(line, ast.If):
        cure = _instead_of_if(line, is_claim=_is_claim(scope)) or cure
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        what = f"{text} in a function with a value"
        cure = "move it to the action, or make a procedure of the function, without `return`"
    scope.refuse(
        line,
        "unsupported-statement",
        f"{what} is not part of the notation",
        "a step is a conjunction: guards, names for expressions, and writes",
        cure,
    )


def _is_claim(scope: Scope) -> bool:
    """Whether this is the text of an invariant, which has a premise."""
    mark = getattr(scope.calls[0], MARK, None)
    return len(scope.calls) == 1 and isinstance(mark, Mark) and mark.kind is not Kind.ACTION


def _instead_of_if(line: ast.If, *, is_claim: bool) -> str | None:
    """The cure for an `if` that returns; None for any other."""
    last, test = line.body[-1], ast.unparse(line.test)
    if not isinstance(last, ast.Return):
        return None
    if last.value is None:
        return f"write `require(not ({test}))` in its place"
    value = ast.unparse(last.value)
    if is_claim and value == "True":
        return f"write `when({ast.unparse(negated(line.test))})` in its place"
    if is_claim:
        return f"write `when({test})` and `return {value}`; the rest is an invariant of its own"
    return f"end with one `return {value} if {test} else ...`"


def negated(test: ast.expr) -> ast.expr:
    """The opposite of a condition, without a second `not`."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return operand
    return ast.UnaryOp(ast.Not(), test)


Bound = tuple[int, ir.Expression]
"""A slot, and the value to bind it to."""


@dataclass(frozen=True)
class _Answer:
    """A guard line of a helper: the value of the helper where the test is true."""

    line: ast.Return
    test: ir.Expression
    value: ir.Expression


def inline_helper(scope: Scope, node: ast.Call, function: Callable[..., Any]) -> ir.Expression:
    """The value of a helper: its arguments, its locals and guard lines, then its last `return`."""
    inner, slots, lines = enter(scope, node, function)
    # What a guard line excludes is known to the rest of the helper, not to its caller.
    inner.facts = inner.facts.copy()
    steps: list[Bound | _Answer] = [*slots]
    if lines and isinstance(lines[-1], ast.If):
        _guard_line(inner, lines[-1])
    if not lines or not isinstance(lines[-1], ast.Return) or lines[-1].value is None:
        scope.refuse(
            node,
            "no-value",
            f"{function.__name__} returns no value on its last line",
            "a helper ends with the value that it has; a procedure has none",
            "end it with `return ...`, or call it as a statement if it writes to `new`",
        )
    with scope.unit.collecting() as refused:
        for line in lines[:-1]:
            with refused.noting():
                steps.append(_step(inner, line))
        with refused.noting():
            value = inner.lower(lines[-1].value)
    for step in reversed(steps):
        if isinstance(step, _Answer):
            value = either(inner, step.line, step.test, (step.value, value))
        else:
            value = ir.Let(value.place, value.domain, *step, value)
    return value


def _step(inner: Scope, line: ast.stmt) -> Bound | _Answer:
    """A line of a helper before its last one: a local name, or `if TEST: return VALUE`."""
    if isinstance(line, ast.If):
        answer = _guard_line(inner, line)
        test = condition(inner, line.test)
        where_true = inner.inner(facts=inner.facts.where(test, True))
        inner.facts.learn(test, False)
        assert answer.value is not None
        return _Answer(answer, test, where_true.lower(answer.value))
    bound = lower_local(inner, line)
    if bound is None:
        refuse_statement(inner, line)
    return bound


def _guard_line(inner: Scope, line: ast.If) -> ast.Return:
    """The `return` of `if TEST: return VALUE`; any other `if` is refused."""
    (first, *others), test = line.body, ast.unparse(line.test)
    if isinstance(first, ast.Return) and first.value is not None and not (others or line.orelse):
        return first
    if line.orelse:
        what = "an `if` with an `else`"
        cure = "write each test as `if ...: return ...`, and end the helper with `return ...`"
    else:
        what = "an `if` that does more than return a value"
        cure = f"write `if {test}: return ...`, or a name for both: `x = ... if {test} else ...`"
    inner.refuse(
        line,
        "guard-line",
        f"{what} is not part of the notation",
        "a helper is read from its first line to its last, and each `if` gives its value",
        cure,
    )


def enter(
    scope: Scope, node: ast.Call, function: Callable[..., Any]
) -> tuple[Scope, list[Bound], list[ast.stmt]]:
    """The scope inside a function that is called, the slots to bind first, and its statements."""
    text = scope.unit.universe.definition(function)
    assert text is not None
    definition, file = text
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
        facts=scope.facts,
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
            f"{definition.name} takes {plural(len(parameters), 'argument')}, not "
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
    lowered, declared = scope.lower(node), declared_domain(function, parameter)
    if declared is not None:
        lowered = as_names(lowered, declared)
        if join(declared, lowered.domain) is None:
            scope.refuse(
                node,
                "argument-type",
                f"this is {described(lowered.domain)}, but {parameter} is {described(declared)}",
                f"{function.__name__} says so in its signature",
                f"pass {described(declared)}",
            )
    option = as_declared(lowered)
    is_none = isinstance(option, ir.Literal) and option.value is None
    if is_none and isinstance(declared, OptionDomain):
        # None alone says nothing of what the helper reads where there is a value.
        option = replace(option, domain=declared)
    elif isinstance(option, ir.Literal | ir.Local):
        inner.bind(parameter, option)
        return None
    slot = scope.unit.fresh()
    local = ir.Local(option.place, option.domain, slot)
    inner.bind(parameter, local)
    inner.facts.name(slot, option)
    return slot, option
