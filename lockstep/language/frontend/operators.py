"""Lower operators: arithmetic with its intervals, sets, sequences, and comparisons in chains."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from lockstep.language import ir
from lockstep.language.domains import (
    BoolDomain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.frontend.cures import ARITHMETIC, OF_SETS, as_member
from lockstep.language.frontend.expected import BOOL, both_as_names, condition, integer, unwrapped
from lockstep.language.frontend.facts import as_declared, combined
from lockstep.language.frontend.names import (
    is_declared_optional,
    literal,
    refuse_unknown_name,
)
from lockstep.language.frontend.scope import Scope, in_call_order, operands_first
from lockstep.language.types import described, item_of, join, some_of

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
        case RangeDomain() as one, RangeDomain() as other if kind in ARITHMETIC:
            operator = ARITHMETIC[kind]
            interval = _interval(scope, node, operator, one, other)
            _refuse_vast(scope, node, interval)
            return ir.Arithmetic(place, interval, operator, left, right)
        case SetDomain() as one_set, SetDomain() as other_set if kind in OF_SETS:
            union = join(one_set, other_set)
            if union is not None:
                domain = one_set if kind in (ast.Sub, ast.BitAnd) else union
                return ir.SetOperation(place, domain, OF_SETS[kind], left, right)
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


_ORDER: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


@dataclass(frozen=True)
class _Pair:
    """One comparison of a chain: the text of the whole chain, an operator and its two sides."""

    node: ast.Compare
    operator: ast.cmpop
    left: ir.Expression
    right: ir.Expression


def lower_comparison(scope: Scope, node: ast.Compare) -> ir.Expression:
    """`a < b`, or a chain `a < b <= c`, which compares up to the first false."""
    return _chain(scope, node, scope.lower(node.left), 0)


def _chain(scope: Scope, node: ast.Compare, left: ir.Expression, index: int) -> ir.Expression:
    """The comparisons of a chain from the given one on; `left` is what stands before it."""
    right = scope.lower(node.comparators[index])
    if index + 1 == len(node.ops):
        return _compare(scope, _Pair(node, node.ops[index], left, right))
    return in_call_order(scope, (left, right), lambda sides: _links(scope, node, sides, index))


def _links(
    scope: Scope, node: ast.Compare, sides: list[ir.Expression], index: int
) -> ir.Expression:
    # The middle of a chain is compared twice and evaluated once, after what stands before it.
    left, right = sides
    value, slot = right, scope.unit.fresh()
    right = ir.Local(value.place, value.domain, slot)
    both = ir.And(
        scope.place(node),
        BOOL,
        (
            _compare(scope, _Pair(node, node.ops[index], left, right)),
            _chain(scope, node, right, index + 1),
        ),
    )
    return ir.Let(both.place, BOOL, slot, value, both)


def _compare(scope: Scope, pair: _Pair) -> ir.Expression:
    place = scope.place(pair.node)
    match pair.operator:
        case ast.Is() | ast.IsNot():
            is_none = _is_none(scope, pair)
            return ir.Not(place, BOOL, is_none) if isinstance(pair.operator, ast.IsNot) else is_none
        case ast.In() | ast.NotIn():
            is_in = _contains(scope, pair)
            return ir.Not(place, BOOL, is_in) if isinstance(pair.operator, ast.NotIn) else is_in
        case ast.Eq() | ast.NotEq():
            return _equal(scope, pair)
    return _ordered(scope, pair)


def _equal(scope: Scope, pair: _Pair) -> ir.Expression:
    left, right = both_as_names(pair.left, pair.right)
    if any(isinstance(side, ir.Literal) and side.value is None for side in (left, right)):
        scope.refuse(
            pair.node,
            "compared-with-none",
            "None is compared with == or !=",
            "being None is a question of its own, and reads as one",
            "write `is None` or `is not None`",
        )
    if join(left.domain, right.domain) is None:
        scope.refuse(
            pair.node,
            "never-equal",
            f"{described(left.domain)} is never equal to {described(right.domain)}",
            "they are of different kinds",
            _instead_of_kinds(left, right),
        )
    refuse_unknown_name(scope, pair.node, left, right)
    refuse_unknown_name(scope, pair.node, right, left)
    operator = "==" if isinstance(pair.operator, ast.Eq) else "!="
    return ir.Compare(scope.place(pair.node), BOOL, operator, left, right)


def _instead_of_kinds(left: ir.Expression, right: ir.Expression) -> str:
    for one, other in ((left, right), (right, left)):
        member = as_member(other.domain, one.value) if isinstance(one, ir.Literal) else None
        if member is not None:
            return f"write `{member}`"
    return "compare values of one kind"


def _ordered(scope: Scope, pair: _Pair) -> ir.Expression:
    def make(sides: list[ir.Expression]) -> ir.Expression:
        return _in_order(scope, pair, sides)

    # A set is compared with a smaller one by asking that of the smaller one.
    swapped = isinstance(pair.operator, ast.Gt | ast.GtE) and isinstance(
        some_of(pair.left.domain), SetDomain
    )
    arrange = in_call_order if swapped else operands_first
    return arrange(scope, (pair.left, pair.right), make)


def _in_order(scope: Scope, pair: _Pair, sides: list[ir.Expression]) -> ir.Expression:
    left, right = both_as_names(*(unwrapped(scope, pair.node, side) for side in sides))
    place, operator = scope.place(pair.node), pair.operator
    match left.domain, right.domain:
        case RangeDomain(), RangeDomain():
            return ir.Compare(place, BOOL, _ORDER[type(operator)], left, right)
        case SetDomain() as one, SetDomain() as other if join(one, other) is not None:
            if isinstance(operator, ast.Gt | ast.GtE):
                left, right = right, left
            return ir.Subset(place, BOOL, isinstance(operator, ast.Lt | ast.Gt), left, right)
    scope.refuse(
        pair.node,
        "not-ordered",
        f"{described(left.domain)} and {described(right.domain)} have no order",
        "only integers are ordered, and sets of one kind by inclusion",
        "compare with == or !=",
    )


def _is_none(scope: Scope, pair: _Pair) -> ir.Expression:
    if not (isinstance(pair.right, ir.Literal) and pair.right.value is None):
        scope.refuse(
            pair.node,
            "identity",
            "`is` compares identities",
            "values have no identity: two that are equal are the same",
            "write == or !=; `is` stands before None only",
        )
    option = as_declared(pair.left)
    if not isinstance(option.domain, OptionDomain):
        if is_declared_optional(scope, pair.node.left):
            return literal(scope, pair.node, False)
        scope.refuse(
            pair.node,
            "never-none",
            f"this is {described(option.domain)}, which is never None",
            "only what is declared with `| None` can be None",
            "remove the test, or declare the domain with `| None`",
        )
    return ir.IsNone(scope.place(pair.node), BOOL, option)


def _contains(scope: Scope, pair: _Pair) -> ir.Expression:
    left, right = both_as_names(pair.left, pair.right)
    collection = unwrapped(scope, pair.node, right)
    item = item_of(collection.domain)
    if item is None or isinstance(collection.domain, MapDomain):
        scope.refuse(
            pair.node,
            "no-members",
            f"this is {described(collection.domain)}, which has no members to look for",
            "`in` asks a set or a sequence; a map has every key, and a domain no choice",
            "compare with == or with bounds, or look at the map's value with [...]",
        )
    if join(left.domain, item) is None:
        scope.refuse(
            pair.node,
            "never-in",
            f"{described(left.domain)} is never in {described(collection.domain)}",
            "the items are of another kind",
            f"look for {described(item)}",
        )
    refuse_unknown_name(scope, pair.node, left, collection)
    return ir.Contains(scope.place(pair.node), BOOL, left, collection)
