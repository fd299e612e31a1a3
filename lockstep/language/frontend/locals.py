"""Local names, and the statements that are not part of the notation."""

from __future__ import annotations

import ast
from typing import NoReturn

from lockstep.language import ir
from lockstep.language.frontend.cures import instead_of_augmented
from lockstep.language.frontend.facts import as_declared
from lockstep.language.frontend.scope import Broken, NewName, Refused, Scope, StateName
from lockstep.language.notation import MARK, Kind, Mark

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
