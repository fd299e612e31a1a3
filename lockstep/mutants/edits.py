"""Small changes of one syntax node, kind by kind.

A kind names what was done. Which changes a node has depends on its IR where the syntax alone does
not say it: `-` is another operation on numbers than on sets.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum
from typing import Any

from lockstep.language import ir
from lockstep.language.domain import BoolDomain, Domain
from lockstep.language.domains import RangeDomain
from lockstep.language.records import RecordDomain
from lockstep.mutants.writes import Write, names_in, written_place


@dataclass(frozen=True)
class Edit:
    """A node with what takes its place: another expression, or nothing where it is a statement.

    `shown` is the node that a reader is shown, before and after; it is `old` or stands around it.
    `run` is what runs where the change makes a difference, and nowhere else.
    """

    kind: str
    old: ast.expr | ast.stmt
    new: ast.expr | None
    shown: ast.expr | ast.stmt
    run: ast.expr | ast.stmt


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
_SUBCASE = (ast.LtE, ast.GtE)
"""Comparisons of which equality is one case; the other is that of the shifted comparison."""
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
    variables: Mapping[str, Domain]
    writes: Mapping[str, Sequence[Write]]
    """All writes of a file to the same place, by that place."""

    def edits(self, function: ast.FunctionDef) -> Iterator[Edit]:
        """The changes of a function's body, from its first line to its last."""
        names = names_in(function)
        for statement in function.body:
            yield from self._of_statement(statement, names)

    def _of_statement(self, statement: ast.stmt, names: frozenset[str]) -> Iterator[Edit]:
        match statement:
            case ast.Expr(ast.Call(ast.Name("require"), [condition])):
                yield from _of_guard(statement, condition)
            case ast.Expr(ast.Call()):
                yield Edit("call dropped", statement, None, statement, statement)
            case ast.Expr():
                return  # a docstring
            case ast.Assign([ast.Attribute() | ast.Subscript() as target], value):
                yield Edit("assignment dropped", statement, None, statement, value)
                yield from self._of_target(statement, target, value)
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
                # In a comparison the other way is the same as shifting the comparison.
                yield from self._of_constant(node, (1,) if node in compared else (1, -1))
            elif isinstance(node, ast.comprehension):
                for condition in node.ifs:
                    yield _edit("condition dropped", condition, ast.Constant(True))
        for part in ast.walk(statement):
            if isinstance(part, ast.Return) and part.value is not None:
                yield from self._of_answer(part.value)
        if isinstance(statement, ast.Assign | ast.Expr):
            yield from self._of_write(statement, names)

    def _of_expression(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.Compare():
                yield from self._of_comparison(node)
            case ast.BoolOp(operator, operands):
                other = ast.Or() if isinstance(operator, ast.And) else ast.And()
                yield _edit("connective changed", node, ast.BoolOp(other, operands))
                for left_out in operands:
                    without = _without(node, left_out)
                    yield Edit("operand dropped", node, without, node, left_out)
            case ast.UnaryOp(ast.Not(), operand):
                yield _edit("negation dropped", node, operand)
            case ast.IfExp(test, then, otherwise):
                yield _edit("branches swapped", node, ast.IfExp(test, otherwise, then))
            case ast.Call(ast.Name(name) as called) if name in _OTHER_CALL and self.code(node):
                kind = "quantifier changed" if name in ("all", "any") else "extremum changed"
                yield Edit(kind, called, ast.Name(_OTHER_CALL[name]), node, node)
            case ast.Call(ast.Name("replace"), [old], keywords) if self.code(node):
                for field in keywords:
                    kept = [one for one in keywords if one is not field]
                    less = ast.Call(node.func, [old], kept) if kept else old
                    yield Edit("assignment dropped", node, less, node, field.value)
            case ast.BinOp():
                yield from self._of_operation(node)
            case ast.Attribute():
                yield from self._of_member(node)
                yield from self._of_field(node)

    def _of_answer(self, node: ast.expr) -> Iterator[Edit]:
        """A helper that always says the same."""
        if any(isinstance(part.domain, BoolDomain) for part in self.code(node)):
            for truth in (True, False):
                yield _edit("helper made constant", node, ast.Constant(truth))

    def _of_write(self, statement: ast.Assign | ast.Expr, names: frozenset[str]) -> Iterator[Edit]:
        """What the next function of the file writes to the same place, or calls with."""
        place = written_place(statement)
        writes = self.writes.get(place, ())
        own = next((n for n, one in enumerate(writes) if one.statement is statement), len(writes))
        text = ast.unparse(statement.value)
        for write in (*writes[own + 1 :], *writes[:own]):
            other = write.statement.value
            if write.names <= names and ast.unparse(other) != text:
                yield Edit("write of another action", statement.value, other, statement, statement)
                return

    def _of_target(self, statement: ast.Assign, target: ast.expr, run: ast.expr) -> Iterator[Edit]:
        """A write to another variable of the same type."""
        node = target
        while isinstance(node, ast.Subscript) or isinstance(
            getattr(node, "value", None), ast.Attribute | ast.Subscript
        ):
            node = node.value  # type: ignore[attr-defined]
        match node:
            case ast.Attribute(owner, name) if other := _next_like(self.variables, name):
                changed = ast.Attribute(owner, other)
                yield Edit("field changed", node, changed, statement, run)

    def _of_field(self, node: ast.Attribute) -> Iterator[Edit]:
        """A read of another variable, or of another field of a record, of the same type."""
        for part in self.code(node):
            match part:
                case ir.Read():
                    fields = self.variables
                case ir.Field(record=ir.Expression(domain=RecordDomain(record))):
                    fields = record.fields
                case _:
                    continue
            if other := _next_like(fields, node.attr):
                yield _edit("field changed", node, ast.Attribute(node.value, other))
                return

    def _of_comparison(self, node: ast.Compare) -> Iterator[Edit]:
        """Each comparison of a chain, shifted by one, negated and with one case left out."""
        for position, operator in enumerate(node.ops):
            kind = type(operator)
            for other in _SHIFTED.get(kind, ()):
                if kind is not ast.Eq or self._compares_numbers(node):
                    yield _edit("comparison shifted", node, _compared(node, position, other))
            if kind in _SUBCASE and self._compares_numbers(node):
                yield _edit("subcase", node, _compared(node, position, ast.Eq))
            match operator, node.comparators[position]:
                case ast.In(), (ast.Tuple(cases) | ast.Set(cases)) as listed if len(cases) > 1:
                    for left_out in cases:
                        yield _edit("subcase", listed, _fewer(listed, left_out))
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
        yield Edit("guard dropped", statement, None, statement, condition)
        yield Edit("guard negated", condition, _negated(condition), statement, condition)
        return
    for conjunct in condition.values:
        changed = _without(condition, conjunct)
        yield Edit("guard dropped", condition, changed, statement, conjunct)
        yield Edit("guard negated", conjunct, _negated(conjunct), statement, conjunct)


def _edit(kind: str, old: ast.expr, new: ast.expr) -> Edit:
    return Edit(kind, old, new, old, old)


def _next_like(fields: Mapping[str, Domain], name: str) -> str | None:
    """The next field of the same type, in a circle; None where there is no other."""
    like = [other for other in fields if name in fields and fields[other] == fields[name]]
    return like[(like.index(name) + 1) % len(like)] if len(like) > 1 else None


def _fewer(listed: ast.Tuple | ast.Set, left_out: ast.expr) -> ast.expr:
    cases = [case for case in listed.elts if case is not left_out]
    return ast.Set(cases) if isinstance(listed, ast.Set) else ast.Tuple(cases)


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
