"""Evaluation in Python's order, where it matters: when more than one part of an operation fails.

Python evaluates all operands first and only then finds that one is None; the fields of a record
are evaluated as they stand in the call. Operands are bound to slots beforehand only where the
order can be seen, that is, where another one may fail as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lockstep.language import ir
from lockstep.language.domains import OptionDomain
from lockstep.language.frontend.scope import Scope
from lockstep.language.totality import may_fail

Make = Callable[[list[ir.Expression]], ir.Expression]


def operands_first(scope: Scope, operands: Sequence[ir.Expression], make: Make) -> ir.Expression:
    """The operation that `make` makes of its operands, options among them not yet unwrapped."""
    last = max((index for index, operand in enumerate(operands) if may_fail(operand)), default=0)
    unsure = any(isinstance(operand.domain, OptionDomain) for operand in operands[:last])
    return bound_first(scope, operands, range(last + 1) if unsure else (), make)


def in_call_order(scope: Scope, values: Sequence[ir.Expression], make: Make) -> ir.Expression:
    """What `make` makes of values that it uses in another order than they are evaluated in."""
    failing = [index for index, value in enumerate(values) if may_fail(value)]
    return bound_first(scope, values, failing if len(failing) > 1 else [], make)


def bound_first(
    scope: Scope, values: Sequence[ir.Expression], which: Sequence[int], make: Make
) -> ir.Expression:
    """What `make` makes of the values, some of which are evaluated before everything else."""
    parts, held = list(values), []
    for index in which:
        value = parts[index]
        if not isinstance(value, ir.Literal | ir.Local):
            slot = scope.unit.fresh()
            parts[index] = ir.Local(value.place, value.domain, slot)
            held.append((slot, value))
    whole = make(parts)
    for slot, value in reversed(held):
        whole = ir.Let(whole.place, whole.domain, slot, value, whole)
    return whole
