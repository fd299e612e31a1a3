"""Lower operators: integer arithmetic with its intervals, set operations, joined sequences."""

from __future__ import annotations

import ast

from lockstep.language import ir
from lockstep.language.domains import BoolDomain, RangeDomain, SequenceDomain, SetDomain
from lockstep.language.frontend.expected import BOOL, both_as_names, condition, integer, unwrapped
from lockstep.language.frontend.facts import combined
from lockstep.language.frontend.names import literal
from lockstep.language.frontend.order import operands_first
from lockstep.language.frontend.scope import Scope
from lockstep.language.types import described, item_of, join

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_SETS: dict[type[ast.operator], str] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.Sub: "-",
    ast.BitXor: "^",
}

_CONNECTIVES: dict[type[ast.operator], str] = {
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "!=",
}

_MOST_BITS = 1_024


def lower_binary(scope: Scope, node: ast.BinOp) -> ir.Expression:
    """An operator between two values."""
    operands = (scope.lower(node.left), scope.lower(node.right))
    return operands_first(scope, operands, lambda parts: _binary(scope, node, parts))


def _binary(scope: Scope, node: ast.BinOp, operands: list[ir.Expression]) -> ir.Expression:
    left, right = both_as_names(*(unwrapped(scope, node, operand) for operand in operands))
    place, kind = scope.place(node), type(node.op)
    match left.domain, right.domain:
        case RangeDomain() as one, RangeDomain() as other if kind in _ARITHMETIC:
            operator = _ARITHMETIC[kind]
            interval = _interval(scope, node, operator, one, other)
            _refuse_vast(scope, node, interval)
            return ir.Arithmetic(place, interval, operator, left, right)
        case SetDomain() as one_set, SetDomain() as other_set if kind in _SETS:
            union = join(one_set, other_set)
            if union is not None:
                domain = one_set if kind in (ast.Sub, ast.BitAnd) else union
                return ir.SetOperation(place, domain, _SETS[kind], left, right)
        case SequenceDomain(item, length), SequenceDomain(other_item, more) if kind is ast.Add:
            both = join(item, other_item)
            if both is not None:
                domain = SequenceDomain(both, length + more)
                return ir.Concatenate(place, domain, left, right)
    scope.refuse(
        node,
        "operator",
        f"this operator is not defined on {described(left.domain)} and {described(right.domain)}",
        "integers have + - * // %, sets of one kind have | & - ^, sequences of one kind have +",
        _instead(node, left, right),
    )


def _instead(node: ast.BinOp, left: ir.Expression, right: ir.Expression) -> str:
    """The cure for an operator that is not defined on its two sides."""
    first, second = ast.unparse(node.left), ast.unparse(node.right)
    match left.domain, node.op, right.domain:
        case BoolDomain(), ast.BitAnd() | ast.BitOr() | ast.BitXor(), BoolDomain():
            return f"write `{first} {_CONNECTIVES[type(node.op)]} {second}`"
        case SetDomain(), ast.Add(), SetDomain():
            return f"write `{first} | {second}`"
        case SetDomain(), ast.Add() | ast.BitOr(), item if item_of(item) is None:
            return f"write `{first} | {{{second}}}`"
        case SetDomain(), ast.Sub(), item if item_of(item) is None:
            return f"write `{first} - {{{second}}}`"
        case SequenceDomain(), ast.Add(), item if item_of(item) is None:
            return f"write `{first} + ({second},)`"
        case RangeDomain(), ast.Div(), RangeDomain():
            return f"write `{first} // {second}`, which rounds down"
        case RangeDomain(), ast.Pow(), RangeDomain():
            return f"write it out: `{first} * {first}`"
        case RangeDomain(), ast.BitAnd() | ast.BitOr(), RangeDomain():
            return f"between conditions write `{_CONNECTIVES[type(node.op)]}`"
    return "bring both sides to one of these"


def lower_unary(scope: Scope, node: ast.UnaryOp) -> ir.Expression:
    """`not` before a condition, `-` before an integer."""
    if isinstance(node.op, ast.Not):
        return ir.Not(scope.place(node), BOOL, condition(scope, node.operand))
    if isinstance(node.op, ast.USub):
        operand, interval = integer(scope, node.operand, node)
        if isinstance(operand, ir.Literal):
            return literal(scope, node, -operand.value)
        return ir.Negate(scope.place(node), RangeDomain(-interval.high, -interval.low), operand)
    scope.refuse(
        node,
        "unary-operator",
        f"`{'~' if isinstance(node.op, ast.Invert) else '+'}` is not part of the notation",
        "integers have no bits here, and a plus sign changes nothing",
        "for a condition write `not`; else use arithmetic or sets"
        if isinstance(node.op, ast.Invert)
        else "leave it out",
    )


def _interval(
    scope: Scope, node: ast.BinOp, operator: str, left: RangeDomain, right: RangeDomain
) -> RangeDomain:
    """Where the results lie."""
    if operator in ("+", "-", "*"):
        return combined(operator, left, right)
    divisors = [d for d in {right.low, right.high, -1, 1} if d and right.low <= d <= right.high]
    if not divisors:
        scope.refuse(
            node,
            "division-by-zero",
            "this always divides by zero",
            "a division by zero has no value",
            "divide by something else",
        )
    if operator == "//":
        quotients = [n // d for n in (left.low, left.high) for d in divisors]
        return RangeDomain(min(quotients), max(quotients))
    # A remainder has the sign of the divisor, and is nearer to zero than it.
    return RangeDomain(min(0, right.low + 1), max(0, right.high - 1))


def _refuse_vast(scope: Scope, node: ast.BinOp, interval: RangeDomain) -> None:
    if max(interval.low.bit_length(), interval.high.bit_length()) > _MOST_BITS:
        scope.refuse(
            node,
            "vast-number",
            f"this may be a number of more than {_MOST_BITS:,} bits",
            "numbers that grow with each operation take all memory sooner or later",
            "keep it small: `min(..., limit)`, or `... % limit`",
        )
