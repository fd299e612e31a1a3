"""Small changes of one syntax node, kind by kind.

A kind names what was done. Which changes a node has depends on its IR where the syntax alone does
not say it: `-` is another operation on numbers than on sets.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from enum import Enum
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import RangeDomain


@dataclass(frozen=True)
class Edit:
    """A node with what takes its place: another expression, or nothing where it is a statement.

    `shown` is the node that a reader is shown, before and after; it is `old` or stands around it.
    """

    kind: str
    old: ast.expr | ast.stmt
    new: ast.expr | None
    shown: ast.expr | ast.stmt


NodeCode = Callable[[ast.AST], tuple[ir.Expression, ...]]
"""The IR of a node: more than one expression where a helper is used more than once."""

NodeValue = Callable[[ast.expr], Any]
"""The value that a name or attribute has when the model is loaded; None where it has none."""

_SHIFTED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE,),
    ast.GtE: (ast.Gt,),
    ast.Eq: (ast.LtE, ast.GtE),
}
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ON_SETS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.BitOr: (ast.BitAnd, ast.Sub),
    ast.BitAnd: (ast.BitOr, ast.Sub),
    ast.Sub: (ast.BitOr, ast.BitAnd),
    ast.BitXor: (ast.BitOr, ast.BitAnd),
}
_ON_NUMBERS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
}
_OTHER_CALL = {"all": "any", "any": "all", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Editor:
    """Lists the small changes of the nodes of one file."""

    code: NodeCode
    value: NodeValue

    def edits(self, function: ast.FunctionDef) -> Iterator[Edit]:
        """The changes of a function's body, from its first line to its last."""
        for statement in function.body:
            yield from self._of_statement(statement)

    def _of_statement(self, statement: ast.stmt) -> Iterator[Edit]:
        match statement:
            case ast.Expr(ast.Call(ast.Name("require"), [condition])):
                yield from _of_guard(statement, condition)
            case ast.Expr(ast.Call()):
                yield Edit("call dropped", statement, None, statement)
            case ast.Expr():
                return  # a docstring
            case ast.Assign([ast.Attribute() | ast.Subscript()]):
                yield Edit("assignment dropped", statement, None, statement)
            case ast.If(test):
                yield _edit("branches swapped", test, _negated(test))
        compared = {
            part
            for node in ast.walk(statement)
            if isinstance(node, ast.Compare)
            for part in (node.left, *node.comparators)
        }
        for node in ast.walk(statement):
            if isinstance(node, ast.expr):
                yield from self._of_expression(node)
                # In a comparison the other way is what shifting the comparison comes to.
                yield from self._of_constant(node, (1,) if node in compared else (1, -1))
            elif isinstance(node, ast.comprehension):
                for condition in node.ifs:
                    yield _edit("condition dropped", condition, ast.Constant(True))

    def _of_expression(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.Compare():
                yield from self._of_comparison(node)
            case ast.BoolOp(operator, operands):
                other = ast.Or() if isinstance(operator, ast.And) else ast.And()
                yield _edit("connective changed", node, ast.BoolOp(other, operands))
                for left_out in operands:
                    yield _edit("operand dropped", node, _without(node, left_out))
            case ast.UnaryOp(ast.Not(), operand):
                yield _edit("negation dropped", node, operand)
            case ast.IfExp(test, then, otherwise):
                yield _edit("branches swapped", node, ast.IfExp(test, otherwise, then))
            case ast.Call(ast.Name(name) as called) if name in _OTHER_CALL and self.code(node):
                kind = "quantifier changed" if name in ("all", "any") else "extremum changed"
                yield Edit(kind, called, ast.Name(_OTHER_CALL[name]), node)
            case ast.BinOp():
                yield from self._of_operation(node)
            case ast.Attribute():
                yield from self._of_member(node)

    def _of_comparison(self, node: ast.Compare) -> Iterator[Edit]:
        """Each comparison of a chain, shifted by one and negated."""
        for position, operator in enumerate(node.ops):
            kind = type(operator)
            for other in _SHIFTED.get(kind, ()):
                if kind is not ast.Eq or self._compares_numbers(node):
                    yield _edit("comparison shifted", node, _compared(node, position, other))
            yield _edit("comparison negated", node, _compared(node, position, _NEGATED[kind]))

    def _compares_numbers(self, node: ast.Compare) -> bool:
        return any(
            isinstance(part, ir.Compare)
            and isinstance(part.left.domain, RangeDomain)
            and isinstance(part.right.domain, RangeDomain)
            for part in self.code(node)
        )

    def _of_operation(self, node: ast.BinOp) -> Iterator[Edit]:
        parts = self.code(node)
        if any(isinstance(part, ir.SetOperation) for part in parts):
            for other in _ON_SETS[type(node.op)]:
                yield _edit("set operation changed", node, _with_operator(node, other))
        elif any(isinstance(part, ir.Concatenate) for part in parts):
            yield _edit("operand dropped", node, node.left)
            yield _edit("operand dropped", node, node.right)
        elif parts and type(node.op) in _ON_NUMBERS:
            changed = _with_operator(node, _ON_NUMBERS[type(node.op)])
            yield _edit("operator changed", node, changed)

    def _of_member(self, node: ast.Attribute) -> Iterator[Edit]:
        """Another member of an enum."""
        value = self.value(node)
        if isinstance(value, Enum):
            members = list(type(value))
            other = members[(members.index(value) + 1) % len(members)]
            if other is not value:
                yield _edit("member changed", node, ast.Attribute(node.value, other.name))

    def _of_constant(self, node: ast.expr, shifts: tuple[int, ...]) -> Iterator[Edit]:
        """A number, or a name for one, shifted; a truth value negated."""
        match node:
            case ast.Constant(bool(truth)):
                yield _edit("truth changed", node, ast.Constant(not truth))
            case ast.Constant(int(number)):
                for shift in shifts:
                    yield _edit("constant shifted", node, ast.Constant(number + shift))
            case ast.Name() if type(self.value(node)) is bool:
                yield _edit("truth changed", node, ast.UnaryOp(ast.Not(), node))
            case ast.Name() if type(self.value(node)) is int:
                for shift in shifts:
                    operator = ast.Add() if shift > 0 else ast.Sub()
                    changed = ast.BinOp(node, operator, ast.Constant(1))
                    yield _edit("constant shifted", node, changed)


def _of_guard(statement: ast.Expr, condition: ast.expr) -> Iterator[Edit]:
    """Each conjunct of a `require`, left out and negated."""
    if not isinstance(condition, ast.BoolOp) or isinstance(condition.op, ast.Or):
        yield Edit("guard dropped", statement, None, statement)
        yield Edit("guard negated", condition, _negated(condition), statement)
        return
    for conjunct in condition.values:
        changed = _without(condition, conjunct)
        yield Edit("guard dropped", condition, changed, statement)
        yield Edit("guard negated", conjunct, _negated(conjunct), statement)


def _edit(kind: str, old: ast.expr, new: ast.expr) -> Edit:
    return Edit(kind, old, new, old)


def _negated(node: ast.expr) -> ast.expr:
    match node:
        case ast.UnaryOp(ast.Not(), operand):
            return operand
        case ast.Compare(ops=[operator]):
            return _compared(node, 0, _NEGATED[type(operator)])
    return ast.UnaryOp(ast.Not(), node)


def _without(node: ast.BoolOp, operand: ast.expr) -> ast.expr:
    others = [value for value in node.values if value is not operand]
    return others[0] if len(others) == 1 else ast.BoolOp(node.op, others)


def _compared(node: ast.Compare, position: int, operator: type[ast.cmpop]) -> ast.Compare:
    operators = [operator() if n == position else op for n, op in enumerate(node.ops)]
    return ast.Compare(node.left, operators, node.comparators)


def _with_operator(node: ast.BinOp, operator: type[ast.operator]) -> ast.BinOp:
    changed = copy(node)
    changed.op = operator()
    return changed
