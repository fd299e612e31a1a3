"""Lower the statements of actions, procedures and invariants: guards, locals, writes and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NoReturn

import lockstep.language.notation as notation
from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.frontend.calls import callee, only_argument
from lockstep.language.frontend.cures import instead_of_change
from lockstep.language.frontend.expected import BOOL, condition, stored
from lockstep.language.frontend.expressions import map_key
from lockstep.language.frontend.facts import is_always_false
from lockstep.language.frontend.helpers import enter, lower_local, refuse_statement
from lockstep.language.frontend.names import field, is_declared_optional, variable
from lockstep.language.frontend.scope import Broken, NewName, Noted, Refused, Scope, StateName
from lockstep.language.types import described

Guard = Callable[[bool], None]
"""`require` in actions and their procedures, `when` in invariants; a `leads_to` has neither."""


def lower_statements(
    scope: Scope, lines: list[ast.stmt], guard: Guard | None
) -> list[ir.Statement]:
    """The IR of some statements. A problem in one is noted, and the others are still read."""
    statements: list[ir.Statement] = []
    noted = Noted(scope.unit.problems)
    for line in lines:
        with noted.noting():
            statements.extend(_statement(scope, line, guard))
    return statements


def _statement(scope: Scope, line: ast.stmt, guard: Guard | None) -> list[ir.Statement]:
    match line:
        case ast.Assign([ast.Name(name), *_], ast.Call() as call) if _is_present(scope, call):
            return _present(scope, line, (name, call), guard)
    bound = lower_local(scope, line)
    if bound is not None:
        return [ir.Bind(scope.place(line), *bound)]
    if isinstance(line, ast.Assign):
        return [_write(scope, line)]
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        return _call(scope, line.value, guard)
    if isinstance(line, ast.Pass):
        return []
    refuse_statement(scope, line)


def _call(scope: Scope, node: ast.Call, guard: Guard | None) -> list[ir.Statement]:
    called = callee(scope, node)
    if called in (notation.require, notation.when):
        return [_guard(scope, node, called is guard, guard)]
    if called is notation.present:
        scope.lower(node)  # which refuses it
    if not callable(called) or scope.unit.universe.definition(called) is None:
        scope.refuse(
            node,
            "unknown-procedure",
            f"{ast.unparse(node.func)} cannot be called as a statement",
            "only your own procedures have an effect that every engine knows",
            _instead_of_call(scope, node),
        )
    inner, slots, lines = enter(scope, node, called)
    binds = [ir.Bind(scope.place(node), slot, value) for slot, value in slots]
    return [*binds, *lower_statements(inner, lines, guard)]


def _is_present(scope: Scope, node: ast.Call) -> bool:
    """Whether `present` is called; False where the name that is called means nothing."""
    try:
        return callee(scope, node) is notation.present
    except Refused:
        return False


def _present(
    scope: Scope, line: ast.Assign, named: tuple[str, ast.Call], guard: Guard | None
) -> list[ir.Statement]:
    """`x = present(value)`: a name for the value, and the guard that it is not None."""
    name, node = named
    try:
        argument = only_argument(scope, node)
    except Refused:
        scope.bind(name, Broken())
        raise
    bound = lower_local(scope, ast.copy_location(ast.Assign(line.targets, argument), line))
    assert bound is not None
    slot, option = bound
    if guard is None:
        _refuse_guard(scope, node)
    if not isinstance(option.domain, OptionDomain):
        if is_declared_optional(scope, argument):
            return [ir.Bind(scope.place(line), *bound)]
        scope.refuse(
            argument,
            "never-none",
            f"this is {described(option.domain)}, which is never None",
            "only what is declared with `| None` can be None",
            f"leave `present` out: `{name} = {ast.unparse(argument)}`",
        )
    place = scope.place(node)
    for read in (option, ir.Local(place, option.domain, slot)):
        test = ir.Not(place, BOOL, ir.IsNone(place, BOOL, read))
        scope.facts.learn(test)
    return [ir.Bind(scope.place(line), *bound), ir.Guard(place, test)]


def _refuse_guard(scope: Scope, node: ast.Call) -> NoReturn:
    """Refuse a guard where there is none."""
    scope.refuse(
        node,
        "leads-to",
        f"{ast.unparse(node.func)}(...) does not belong here",
        "both the premise and the goal must have a value in every state",
        "make it a part of the premise, and end with `return premise, goal`",
    )


def _instead_of_call(scope: Scope, node: ast.Call) -> str:
    if ast.unparse(node.func) == "print":
        return "remove it: `lockstep replay` shows every state on the way"
    usual = "call a procedure of your own, or write a guard, a local or a write"
    return instead_of_change(scope, node) or usual


def _guard(scope: Scope, node: ast.Call, fits: bool, guard: Guard | None) -> ir.Guard:
    if guard is None:
        _refuse_guard(scope, node)
    if not fits or len(node.args) != 1 or node.keywords:
        scope.refuse(
            node,
            "guard",
            f"only {guard.__name__}(...) with one condition belongs here",
            "`require` guards an action, `when` is the premise of an invariant",
            f"write {guard.__name__}(condition)",
        )
    test = condition(scope, node.args[0])
    scope.facts.learn(test)
    scope.unit.unreachable = scope.unit.unreachable or is_always_false(test)
    return ir.Guard(scope.place(node), test)


def _write(scope: Scope, line: ast.Assign) -> ir.Write:
    target = line.targets[0]
    if len(line.targets) > 1:
        refuse_statement(scope, line)
    steps: list[ast.Attribute | ast.Subscript] = []
    node: ast.expr = target
    while isinstance(node, ast.Attribute | ast.Subscript):
        steps.insert(0, node)
        node = node.value
    root = scope.names.get(node.id) if isinstance(node, ast.Name) else None
    if not isinstance(root, NewName) or not steps or not isinstance(steps[0], ast.Attribute):
        scope.refuse(
            target,
            "not-writable",
            f"{ast.unparse(target)} cannot be assigned to",
            "only `new` and its parts change, and locals are plain names",
            _instead_of_target(target, root),
        )
    domain = variable(scope, steps[0])
    path: list[ir.FieldStep | ir.KeyStep] = []
    for step in steps[1:]:
        part, domain = _part(scope, step, domain)
        path.append(part)
    place = ast.unparse(target).removeprefix("new.")
    value = stored(scope, line.value, domain, place)
    return ir.Write(scope.place(target), steps[0].attr, tuple(path), value, domain)


def _instead_of_target(target: ast.expr, root: object) -> str:
    if isinstance(target, ast.Tuple | ast.List):
        lines = (f"`{ast.unparse(part)} = ...`" for part in target.elts)
        return f"write one assignment for each: {', '.join(lines)}"
    if isinstance(root, StateName):
        return f"write `new.{ast.unparse(target).partition('.')[2]} = ...`: `s` is the state before"
    return "write `new.variable = ...` or `name = ...`"


def _part(
    scope: Scope, step: ast.Attribute | ast.Subscript, whole: Domain
) -> tuple[ir.FieldStep | ir.KeyStep, Domain]:
    """One step towards the part that is written, and the domain of what it leads to."""
    if isinstance(whole, OptionDomain):
        whole = whole.some
    if isinstance(step, ast.Subscript) and isinstance(whole, MapDomain):
        return ir.KeyStep(map_key(scope, step, step.slice, whole)), whole.value
    if isinstance(step, ast.Attribute) and isinstance(whole, RecordDomain):
        domain, position = field(scope, step, whole, step.attr)
        return ir.FieldStep(step.attr, position), domain
    scope.refuse(
        step,
        "no-such-part",
        f"this is {described(whole)}, which is not written in part in this way",
        "a map is written at a key, a record at a field, anything else as a whole",
        "write the whole value",
    )
