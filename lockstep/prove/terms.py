"""Scalars: Python's own integers and booleans where they are known, Z3's terms where not.

Operations on known values are done at once, so that what reaches the solver is only what depends
on something unknown. Integers are Z3's mathematical ones: like Python's, they never overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import z3
from z3.z3core import Z3_mk_and, Z3_mk_or
from z3.z3types import Ast

Truth: TypeAlias = "bool | z3.BoolRef"
Number: TypeAlias = "int | z3.ArithRef"
Scalar: TypeAlias = "Truth | Number"


def all_of(parts: Iterable[Truth]) -> Truth:
    """Whether all are true."""
    unknown: list[z3.BoolRef] = []
    for part in parts:
        if part is False:
            return False
        if part is not True:
            unknown.append(part)
    if not unknown:
        return True
    return unknown[0] if len(unknown) == 1 else _joined(Z3_mk_and, unknown)


def any_of(parts: Iterable[Truth]) -> Truth:
    """Whether some is true."""
    unknown: list[z3.BoolRef] = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            unknown.append(part)
    if not unknown:
        return False
    return unknown[0] if len(unknown) == 1 else _joined(Z3_mk_or, unknown)


def _joined(make: Callable[..., Any], parts: list[z3.BoolRef]) -> z3.BoolRef:
    """What `z3.And` and `z3.Or` give, which look at the sort of each part again."""
    context = parts[0].ctx
    terms = (Ast * len(parts))(*(part.as_ast() for part in parts))
    return z3.BoolRef(make(context.ref(), len(parts), terms), context)


def negated(part: Truth) -> Truth:
    """Whether it is false."""
    if isinstance(part, bool):
        return not part
    return part.arg(0) if z3.is_not(part) else z3.Not(part)


def implies(premise: Truth, claim: Truth) -> Truth:
    """Whether the claim holds if the premise does."""
    return any_of((negated(premise), claim))


def either(test: Truth, then: Scalar, otherwise: Scalar) -> Scalar:
    """One of two scalars of a kind."""
    if isinstance(test, bool):
        return then if test else otherwise
    if then is otherwise or (is_known(then) and is_known(otherwise) and then == otherwise):
        return then
    if isinstance(then, bool | z3.BoolRef):
        if isinstance(then, bool) or isinstance(otherwise, bool):
            return any_of((all_of((test, then)), all_of((negated(test), otherwise))))
        return z3.If(test, then, otherwise)
    return z3.If(test, _number(then), _number(otherwise))


def equals(left: Scalar, right: Scalar) -> Truth:
    """Whether two scalars of a kind are equal."""
    if left is right:
        return True
    if is_known(left) and is_known(right):
        return bool(left == right)
    if isinstance(left, bool):
        return right if left else negated(right)
    if isinstance(right, bool):
        return left if right else negated(left)
    return left == right


def compare(operator: str, left: Number, right: Number) -> Truth:
    """`< <= > >=` on integers."""
    match operator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
    return left >= right


def arithmetic(operator: str, left: Number, right: Number) -> Number:
    """`+ - * // %`, the last two rounding down; the divisor is not 0."""
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    if isinstance(left, int) and isinstance(right, int):
        return left // right if operator == "//" else left % right
    # SMT-LIB's remainder is never negative; Python's has the sign of the divisor.
    left, right = _number(left), _number(right)
    remainder = left % right
    rest = either(
        all_of((compare("<", right, 0), negated(equals(remainder, 0)))),
        remainder + right,
        remainder,
    )
    return rest if operator == "%" else (left - rest) / right


def is_known(value: object) -> bool:
    """Whether a scalar is Python's own."""
    return isinstance(value, bool | int)


def term(value: Truth) -> z3.BoolRef:
    """A truth as Z3's term."""
    return z3.BoolVal(value) if isinstance(value, bool) else value


def _number(value: Scalar) -> z3.ArithRef:
    return z3.IntVal(value) if isinstance(value, int) else value
