"""Expressions of the IR as terms.

Where Python would find no value, the condition under which that happens is noted as a `Failure`;
what the term says there means nothing. `And`, `Or`, `Conditional` and comprehensions stop early as
Python does: what they do not evaluate does not fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    RangeDomain,
)
from lockstep.language.source import Place
from lockstep.language.totality import may_fail
from lockstep.language.types import is_within
from lockstep.prove.collected import at, include, joined, nothing, picked
from lockstep.prove.comprehensions import comprehension
from lockstep.prove.terms import (
    Number,
    Truth,
    all_of,
    any_of,
    arithmetic,
    compare,
    either,
    equals,
    implies,
    negated,
)
from lockstep.prove.values import (
    Items,
    Members,
    Option,
    Table,
    Value,
    choose,
    constant,
    fitted,
    listed,
    same,
    within,
)


@dataclass(frozen=True)
class Failure:
    """When the text has no value at a place, and why."""

    when: Truth
    place: Place
    reason: str


class Evaluation:
    """The expressions of one function on one state, or on the two of a step.

    `failures` grows with what is evaluated.
    """

    def __init__(
        self, before: Mapping[str, Value], after: Mapping[str, Value] | None = None
    ) -> None:
        self._before = before
        self._after = before if after is None else after
        self.slots: dict[int, Value] = {}
        self.failures: list[Failure] = []
        self._path: list[Truth] = []

    def value(self, node: ir.Expression) -> Value:
        """The value of an expression."""
        match node:
            case ir.Literal():
                return constant(node.value)
            case ir.Read():
                return (self._after if node.after else self._before)[node.variable]
            case ir.Local():
                return self.slots[node.slot]
            case ir.Let():
                self.slots[node.slot] = self.value(node.value)
                return self.value(node.body)
            case ir.Field():
                return self._parts(node.record)[node.position]
            case ir.Lookup():
                return self._lookup(node)
            case ir.Item():
                return self._item(node)
            case ir.Slice():
                return self._slice(node)
            case ir.Unwrap():
                return self._unwrap(node)
            case ir.IsNone():
                option = self.value(node.option)
                return negated(option.present) if isinstance(option, Option) else False
            case ir.Arithmetic():
                return self._arithmetic(node)
            case ir.Negate():
                return arithmetic("-", 0, self.number(node.operand))
            case ir.Extremum():
                return self._extremum(node)
            case ir.Compare():
                return self._compare(node)
            case ir.Contains():
                return self._contains(node)
            case ir.Subset():
                return self._subset(node)
            case ir.Not():
                return negated(self.truth(node.operand))
            case ir.And():
                return self.until(node.items, stop=False)
            case ir.Or():
                return self.until(node.items, stop=True)
            case ir.Conditional():
                return self._conditional(node)
            case ir.SetOperation():
                return self._set_operation(node)
            case ir.Concatenate():
                return joined(self._items(node.left), self._items(node.right))
            case ir.MakeRecord():
                return self._make_record(node)
            case ir.MakeSet():
                return self._make_set(node)
            case ir.MakeSequence():
                return Items(len(node.items), tuple(self.value(item) for item in node.items))
            case ir.MakeMap():
                return self._make_map(node)
            case ir.Size():
                return self._size(node)
            case ir.Comprehension():
                return comprehension(self, node)
        raise TypeError(f"{type(node).__name__} is no expression of the IR")

    def truth(self, node: ir.Expression) -> Truth:
        """The value of an expression that is true or false."""
        return self.value(node)

    def number(self, node: ir.Expression) -> Number:
        """The value of an expression that is an integer."""
        return self.value(node)

    @contextmanager
    def under(self, condition: Truth) -> Iterator[None]:
        """What is evaluated within is evaluated only if the condition holds."""
        self._path.append(condition)
        try:
            yield
        finally:
            self._path.pop()

    def fails(self, when: Truth, place: Place, reason: str) -> None:
        """Note that what is evaluated here has no value under a condition."""
        found = all_of((*self._path, when))
        if found is not False:
            self.failures.append(Failure(found, place, reason))

    def stored(
        self, value: Value, domain: Domain, target: Domain, place: Place, what: str
    ) -> Value:
        """A value of a domain as one of another, which it has to lie in."""
        if not is_within(domain, target):
            self.fails(negated(within(value, target)), place, f"{what} is not in {target}")
        return fitted(value, target)

    def _parts(self, node: ir.Expression) -> tuple[Value, ...]:
        found: tuple[Value, ...] = self.value(node)
        return found

    def _items(self, node: ir.Expression) -> Items:
        found: Items = self.value(node)
        return found

    def _members(self, node: ir.Expression) -> Members:
        found: Members = self.value(node)
        return found

    def _lookup(self, node: ir.Lookup) -> Value:
        mapping, key = self.value(node.mapping), self.value(node.key)
        domain = node.mapping.domain
        assert isinstance(mapping, Table)
        assert isinstance(domain, MapDomain)
        if not is_within(node.key.domain, domain.key):
            self.fails(negated(within(key, domain.key)), node.place, "no key of this map")
        return picked(
            [(same(key, constant(each)), found) for each, found in mapping.values.items()]
        )

    def _item(self, node: ir.Item) -> Value:
        sequence, index = self._items(node.sequence), self.number(node.index)
        negative = isinstance(index, int) and index < 0
        place = sequence.length + index if negative else index
        inside = all_of((compare(">=", place, 0), compare("<", place, sequence.length)))
        self.fails(negated(inside), node.place, "there is no such item in the sequence")
        if not sequence.items:
            return nothing(node.domain)
        return at(sequence.items, place)

    def _slice(self, node: ir.Slice) -> Value:
        sequence = self._items(node.sequence)

        def end(limit: ir.Expression | None, default: Number) -> Number:
            if limit is None:
                return default
            found = self.number(limit)
            if isinstance(found, int) and found < 0:
                found = sequence.length + found
            capped = either(compare("<", found, sequence.length), found, sequence.length)
            return either(compare("<", found, 0), 0, capped)

        start, stop = end(node.start, 0), end(node.stop, sequence.length)
        length = either(compare("<", start, stop), arithmetic("-", stop, start), 0)
        shifted = tuple(
            at(sequence.items, arithmetic("+", start, place))
            for place in range(len(sequence.items))
        )
        return Items(length, shifted)

    def _unwrap(self, node: ir.Unwrap) -> Value:
        option = self.value(node.option)
        if not isinstance(option, Option):
            return option
        if not node.certain:
            self.fails(negated(option.present), node.place, "this is None here")
        return nothing(node.domain) if option.value is None else option.value

    def _arithmetic(self, node: ir.Arithmetic) -> Value:
        left, right = self.number(node.left), self.number(node.right)
        if node.operator in ("//", "%"):
            divisor = node.right.domain
            if not isinstance(divisor, RangeDomain) or divisor.low <= 0 <= divisor.high:
                self.fails(equals(right, 0), node.place, "division by zero")
            if isinstance(right, int) and right == 0:
                return 0
        return arithmetic(node.operator, left, right)

    def _extremum(self, node: ir.Extremum) -> Value:
        found, *rest = [self.number(item) for item in node.items]
        for other in rest:
            better = compare(">" if node.largest else "<", other, found)
            found = either(better, other, found)
        return found

    def _compare(self, node: ir.Compare) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        match node.operator:
            case "==":
                return same(left, right)
            case "!=":
                return negated(same(left, right))
        return compare(node.operator, left, right)

    def _contains(self, node: ir.Contains) -> Value:
        item, collection = self.value(node.item), self.value(node.collection)
        match collection:
            case Members(items):
                return any_of(
                    all_of((held, same(item, constant(each)))) for each, held in items.items()
                )
            case Items(length, parts):
                return any_of(
                    all_of((compare("<", place, length), same(item, part)))
                    for place, part in enumerate(parts)
                )
        raise TypeError(f"{collection!r} is no collection")

    def _subset(self, node: ir.Subset) -> Value:
        left, right = self._members(node.left).items, self._members(node.right).items
        inside = all_of(implies(held, right.get(each, False)) for each, held in left.items())
        if not node.strict:
            return inside
        more = any_of(
            all_of((held, negated(left.get(each, False)))) for each, held in right.items()
        )
        return all_of((inside, more))

    def until(self, items: tuple[ir.Expression, ...], *, stop: bool) -> Truth:
        """Conjunction (`stop` is False) or disjunction, up to the first item that is `stop`."""
        found: list[Truth] = []
        for item in items:
            reached = all_of(negated(each) if stop else each for each in found)
            if reached is False:
                break
            with self.under(reached if may_fail(item) else True):
                found.append(self.truth(item))
        return any_of(found) if stop else all_of(found)

    def _conditional(self, node: ir.Conditional) -> Value:
        test = self.truth(node.test)
        if isinstance(test, bool):
            return self.value(node.then if test else node.otherwise)
        with self.under(test):
            then = self.value(node.then)
        with self.under(negated(test)):
            otherwise = self.value(node.otherwise)
        return choose(test, then, otherwise)

    def _set_operation(self, node: ir.SetOperation) -> Value:
        left, right = self._members(node.left).items, self._members(node.right).items
        found: dict[Any, Truth] = {}
        for each in {**left, **right}:
            one, other = left.get(each, False), right.get(each, False)
            match node.operator:
                case "|":
                    found[each] = any_of((one, other))
                case "&":
                    found[each] = all_of((one, other))
                case "-":
                    found[each] = all_of((one, negated(other)))
                case _:
                    found[each] = negated(equals(one, other))
        return Members(found)

    def _make_record(self, node: ir.MakeRecord) -> Value:
        values = [self.value(part) for part in node.values]
        fields = node.record.fields.items()
        return tuple(
            self.stored(value, part.domain, domain, node.place, f"{node.record.__name__}.{name}")
            for value, part, (name, domain) in zip(values, node.values, fields, strict=True)
        )

    def _make_set(self, node: ir.MakeSet) -> Value:
        found: dict[Any, Truth] = {}
        for item in node.items:
            include(found, True, self.value(item), item.domain, str(node.place))
        return Members(found)

    def _make_map(self, node: ir.MakeMap) -> Value:
        found: dict[Any, Value] = {}
        for key in listed(node.key, str(node.place)):
            self.slots[node.slot] = constant(key)
            found[key] = self.value(node.body)
        return Table(found)

    def _size(self, node: ir.Size) -> Value:
        collection = self.value(node.collection)
        match collection:
            case Members(items):
                count: Number = 0
                for held in items.values():
                    count = arithmetic("+", count, either(held, 1, 0))
                return count
            case Items(length, _):
                return length
            case Table(values):
                return len(values)
        raise TypeError(f"{collection!r} has no size")
