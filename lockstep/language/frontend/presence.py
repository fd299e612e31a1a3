"""What is known not to be None: `require(s.leader[p] is not None)` makes `s.leader[p]` a value.

Only what is read without computing can be known: variables, locals, and their fields, values and
items. The state before is immutable, so such a thing stays what it was for the whole step.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TypeAlias

from lockstep.language import ir
from lockstep.language.domains import OptionDomain

Path: TypeAlias = tuple[object, ...]
"""How an expression reads its value; equal for two that must have the same value."""


def path_of(expression: ir.Expression) -> Path | None:
    """The path of an expression that reads a value, None for one that computes."""
    match expression:
        case ir.Read():
            return ("variable", expression.variable, expression.after)
        case ir.Local():
            return ("slot", expression.slot)
        case ir.Literal():
            return ("literal", expression.value)
        case ir.Unwrap():
            return path_of(expression.option)
        case ir.Field():
            return _longer(expression.record, expression.name)
        case ir.Lookup():
            return _longer(expression.mapping, path_of(expression.key))
        case ir.Item():
            return _longer(expression.sequence, path_of(expression.index))
    return None


def _longer(whole: ir.Expression, step: object | None) -> Path | None:
    path = path_of(whole)
    return None if path is None or step is None else (*path, step)


def present_where(test: ir.Expression, truth: bool) -> set[Path]:
    """What is certainly not None wherever a condition has the given truth value."""
    match test:
        case ir.Not():
            return present_where(test.operand, not truth)
        case ir.And() if truth:
            return _all(present_where(item, True) for item in test.items)
        case ir.Or() if not truth:
            return _all(present_where(item, False) for item in test.items)
        case ir.Let():
            paths, value = present_where(test.body, truth), path_of(test.value)
            if value is not None:
                paths |= {
                    (*value, *inner[2:]) for inner in paths if inner[:2] == ("slot", test.slot)
                }
            return paths
        case ir.IsNone() if not truth:
            return _of(test.option)
        case ir.Compare() if test.operator == ("==" if truth else "!="):
            sides = (test.left, test.right)
            if not all(isinstance(side.domain, OptionDomain) for side in sides):
                return _all(map(_of, sides))  # None equals nothing but None
        case ir.Contains() if truth:
            return _of(test.item)  # None is in no collection
    return set()


def _of(expression: ir.Expression) -> set[Path]:
    path = path_of(expression)
    return set() if path is None else {path}


def _all(paths: Iterable[set[Path]]) -> set[Path]:
    return set().union(*paths)


def narrowed(expression: ir.Expression, present: Set[Path]) -> ir.Expression:
    """The value inside the option, where it is known to be present; else the expression itself."""
    domain = expression.domain
    path = path_of(expression)
    if isinstance(domain, OptionDomain) and path is not None and path in present:
        return ir.Unwrap(expression.place, domain.some, expression, certain=True)
    return expression


def as_declared(expression: ir.Expression) -> ir.Expression:
    """The option itself, where only its context says that it is not None.

    What a name stands for has the type that its text gives it, not that of one of its uses: a
    helper may test its parameter for None even where a caller knows better.
    """
    if isinstance(expression, ir.Unwrap) and expression.certain:
        return expression.option
    return expression
