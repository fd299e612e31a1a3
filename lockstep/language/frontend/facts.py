"""What guards and conditions make known: what is not None, and between which bounds integers lie.

`require(s.leader[p] is not None)` makes `s.leader[p]` a value, and `require(s.next > 0)` makes
`s.log[s.next - 1]` an item that is counted from the front. Only what is read without computing can
be known: variables, locals, and their fields, values, items and lengths. The state before is
immutable, so such a thing stays what it was for the whole step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from lockstep.language import ir
from lockstep.language.domains import OptionDomain, RangeDomain

Path: TypeAlias = tuple[object, ...]
"""How an expression reads its value; equal for two that must have the same value."""

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
SWAPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""What a comparison is with its sides exchanged."""


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
        case ir.Size():
            return _longer(expression.collection, len)
    return None


def _longer(whole: ir.Expression, step: object | None) -> Path | None:
    path = path_of(whole)
    return None if path is None or step is None else (*path, step)


@dataclass
class Facts:
    """What is known where an expression stands.

    `present` are the paths of what is not None. `bounds` has the least and the greatest value that
    an integer can have, for paths of which more is known than their type says. `excluded` are
    values that an integer does not have: one at a bound moves the bound. Where the facts exclude
    each other, `are_impossible`: nothing is evaluated there.
    """

    present: set[Path] = field(default_factory=set)
    bounds: dict[Path, tuple[int, int]] = field(default_factory=dict)
    excluded: set[tuple[Path, int]] = field(default_factory=set)
    are_impossible: bool = False

    def copy(self) -> Facts:
        """The same, for a part in which more may become known."""
        return Facts(set(self.present), dict(self.bounds), set(self.excluded), self.are_impossible)

    def where(self, test: ir.Expression, truth: bool) -> Facts:
        """What is known besides wherever a condition has the given truth value."""
        facts = self.copy()
        facts.learn(test, truth)
        return facts

    def learn(self, test: ir.Expression, truth: bool = True) -> None:
        """Take up all that follows from the truth value of a condition."""
        match test:
            case ir.Not():
                self.learn(test.operand, not truth)
            case ir.And() if truth:
                for item in test.items:
                    self.learn(item, True)
            case ir.Or() if not truth:
                for item in test.items:
                    self.learn(item, False)
            case ir.Let():
                self.name(test.slot, test.value)
                self.learn(test.body, truth)
                self._unname(test.slot, test.value)
            case ir.IsNone() if not truth:
                self._add(test.option)
            case ir.Contains() if truth:
                self._add(test.item)  # None is in no collection
            case ir.Compare():
                operator = test.operator if truth else _OPPOSITE[test.operator]
                sides = (test.left, test.right)
                if operator == "==" and not all(
                    isinstance(side.domain, OptionDomain) for side in sides
                ):
                    for side in sides:
                        self._add(side)  # None equals nothing but None
                self._bound(test.left, operator, test.right)
                self._bound(test.right, SWAPPED[operator], test.left)

    def name(self, slot: int, value: ir.Expression) -> None:
        """A slot has a value from here on: what is known of the one is known of the other."""
        path, local = path_of(value), ("slot", slot)
        self.excluded |= {(local, number) for one, number in self.excluded if one == path}
        if path is not None and path in self.present:
            self.present.add(local)
        if isinstance(value.domain, RangeDomain) and value.domain != (
            known := self.interval(value)
        ):
            self.bounds[local] = (known.low, known.high)

    def _unname(self, slot: int, value: ir.Expression) -> None:
        """What became known of a slot is known of what its value reads."""
        path, bounds = path_of(value), self.bounds.get(("slot", slot))
        if path is None:
            if bounds is not None:  # of `s.at - 1`: it bounds `s.at`
                for operator, end in zip((">=", "<="), bounds, strict=True):
                    number = ir.Literal(value.place, RangeDomain(end, end), end)
                    self._bound(value, operator, number)
            return
        self.present |= {_with(one, slot, path) for one in self.present}
        self.excluded |= {(_with(one, slot, path), number) for one, number in self.excluded}
        for one, (low, high) in list(self.bounds.items()):
            self._limit(_with(one, slot, path), low, high)

    def _add(self, expression: ir.Expression) -> None:
        path = path_of(expression)
        if path is not None:
            self.present.add(path)

    def _bound(self, side: ir.Expression, operator: str, other: ir.Expression) -> None:
        """What a comparison says of one side, or of what a number is added to on that side."""
        if not all(isinstance(one.domain, RangeDomain) for one in (side, other)):
            return
        term, offset = _term(side)
        path = path_of(term)
        if path is None or isinstance(term, ir.Literal):
            return
        now, limit = self.interval(term), self.interval(other)
        low, high = limit.low - offset, limit.high - offset
        match operator:
            case "<" | "<=":
                self._limit(path, now.low, min(now.high, high - (operator == "<")))
            case ">" | ">=":
                self._limit(path, max(now.low, low + (operator == ">")), now.high)
            case "==":
                self._limit(path, max(now.low, low), min(now.high, high))
            case _ if low == high:
                self.excluded.add((path, low))
                self._limit(path, now.low, now.high)

    def _limit(self, path: Path, low: int, high: int) -> None:
        """An integer lies within bounds, and within those that were known before."""
        before = self.bounds.get(path, (low, high))
        low, high = max(low, before[0]), min(high, before[1])
        while low <= high and (path, low) in self.excluded:
            low += 1
        while low <= high and (path, high) in self.excluded:
            high -= 1
        if low <= high:
            self.bounds[path] = (low, high)
        else:
            self.are_impossible = True

    def interval(self, expression: ir.Expression) -> RangeDomain:
        """Between which bounds an integer lies here."""
        domain = expression.domain
        assert isinstance(domain, RangeDomain)
        match expression:
            case ir.Arithmetic(operator="+" | "-" | "*"):
                parts = (self.interval(expression.left), self.interval(expression.right))
                known = combined(expression.operator, *parts)
            case ir.Negate():
                inside = self.interval(expression.operand)
                known = RangeDomain(-inside.high, -inside.low)
            case ir.Extremum():
                parts_of = [self.interval(item) for item in expression.items]
                pick = max if expression.largest else min
                known = RangeDomain(
                    pick(part.low for part in parts_of), pick(part.high for part in parts_of)
                )
            case _:
                path = path_of(expression)
                if path not in self.bounds:
                    return domain
                known = RangeDomain(*self.bounds[path])
        low, high = max(domain.low, known.low), min(domain.high, known.high)
        return RangeDomain(low, high) if low <= high else known

    def has_item(self, sequence: ir.Expression, index: ir.Expression) -> bool:
        """Whether a sequence is long enough to have an item at an index."""
        path = path_of(sequence)
        shortest, _ = self.bounds.get((*path, len), (0, 0)) if path is not None else (0, 0)
        if isinstance(index, ir.Literal) and index.value < 0:
            return bool(-index.value <= shortest)
        return self.interval(index).high < shortest


def combined(operator: str, left: RangeDomain, right: RangeDomain) -> RangeDomain:
    """Where the results of `+`, `-` or `*` lie: each is monotone between the corners."""
    match operator:
        case "+":
            return RangeDomain(left.low + right.low, left.high + right.high)
        case "-":
            return RangeDomain(left.low - right.high, left.high - right.low)
    corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return RangeDomain(min(corners), max(corners))


def _term(side: ir.Expression) -> tuple[ir.Expression, int]:
    """A side of a comparison as what is read, and the number that is added to it."""
    match side:
        case ir.Arithmetic(operator="+", right=ir.Literal(value=number)):
            return side.left, number
        case ir.Arithmetic(operator="+", left=ir.Literal(value=number)):
            return side.right, number
        case ir.Arithmetic(operator="-", right=ir.Literal(value=number)):
            return side.left, -number
    return side, 0


def _with(path: Path, slot: int, value: Path) -> Path:
    """A path in which the value of a slot is read where it comes from."""
    parts: Iterator[object] = (
        _with(part, slot, value) if isinstance(part, tuple) else part for part in path
    )
    if path[:2] == ("slot", slot):
        return (*value, *list(parts)[2:])
    return tuple(parts)


def narrowed(expression: ir.Expression, facts: Facts) -> ir.Expression:
    """The value inside the option, where it is known to be present; else the expression itself."""
    domain = expression.domain
    path = path_of(expression)
    if isinstance(domain, OptionDomain) and path is not None and path in facts.present:
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
