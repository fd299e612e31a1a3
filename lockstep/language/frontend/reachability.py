"""Which guards can never be true in a scope: what comes after them is never executed."""

from __future__ import annotations

from lockstep.language import ir
from lockstep.language.domains import RangeDomain


def is_always_false(test: ir.Expression) -> bool:
    """Whether the types alone show that a condition is never true; False when in doubt.

    A scope may switch an action off by a bound of zero: `require(s.failures < MAX_FAILURES)`.
    """
    match test:
        case ir.Literal():
            return test.value is False
        case ir.And():
            return any(is_always_false(item) for item in test.items)
        case ir.Or():
            return all(is_always_false(item) for item in test.items)
        case ir.Compare():
            return _never(test.operator, test.left.domain, test.right.domain)
        case _:
            return False


def _never(operator: str, left: object, right: object) -> bool:
    if not isinstance(left, RangeDomain) or not isinstance(right, RangeDomain):
        return False
    return {
        "==": left.high < right.low or left.low > right.high,
        "!=": left.low == left.high == right.low == right.high,
        "<": left.low >= right.high,
        "<=": left.low > right.high,
        ">": left.high <= right.low,
        ">=": left.high < right.low,
    }[operator]
