"""Expressions of the IR as terms.

Where Python would find no value, the condition under which that happens is noted as a `Failure`;
what the term says there means nothing. `And`, `Or`, `Conditional` and comprehensions stop early as
Python does: what they do not evaluate does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import (
    BagDomain,
    Domain,
    MapDomain,
    RangeDomain,
    SequenceDomain,
)
from lockstep.language.source import Place
from lockstep.language.totality import may_fail
from lockstep.language.types import is_within, some_of
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
    MOST_LISTED,
    Counts,
    Items,
    Members,
    NotProvable,
    Option,
    Table,
    Value,
    as_python,
    choose,
    constant,
    fitted,
    listed,
    same,
    total,
    within,
)


def _always() -> Truth:
    return True


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
                return self._until(node.items, stop=False)
            case ir.Or():
                return self._until(node.items, stop=True)
            case ir.Conditional():
                return self._conditional(node)
            case ir.SetOperation():
                return self._set_operation(node)
            case ir.Concatenate():
                return _joined(self._items(node.left), self._items(node.right))
            case ir.MakeRecord():
                return self._make_record(node)
            case ir.MakeSet():
                return self._make_set(node)
            case ir.MakeSequence():
                return Items(len(node.items), tuple(self.value(item) for item in node.items))
            case ir.MakeBag():
                return self._make_bag(node)
            case ir.MakeMap():
                return self._make_map(node)
            case ir.Size():
                return self._size(node)
            case ir.BagCount():
                return self._bag_count(self._counts(node.bag), self.value(node.item), node.item)
            case ir.BagAdd():
                bag, item = self._counts(node.bag), self.value(node.item)
                return self._bag_with(bag, item, node.item, node.domain, 1)
            case ir.BagRemove():
                return self._bag_remove(node)
            case ir.Comprehension():
                return self._comprehension(node)
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

    def _counts(self, node: ir.Expression) -> Counts:
        found: Counts = self.value(node)
        return found

    def _lookup(self, node: ir.Lookup) -> Value:
        mapping, key = self.value(node.mapping), self.value(node.key)
        domain = node.mapping.domain
        assert isinstance(mapping, Table)
        assert isinstance(domain, MapDomain)
        if not is_within(node.key.domain, domain.key):
            self.fails(negated(within(key, domain.key)), node.place, "no key of this map")
        return _picked(
            [(same(key, constant(each)), found) for each, found in mapping.values.items()]
        )

    def _item(self, node: ir.Item) -> Value:
        sequence, index = self._items(node.sequence), self.number(node.index)
        negative = isinstance(index, int) and index < 0
        place = sequence.length + index if negative else index
        inside = all_of((compare(">=", place, 0), compare("<", place, sequence.length)))
        self.fails(negated(inside), node.place, "there is no such item in the sequence")
        if not sequence.items:
            return _nothing(node.domain)
        return _at(sequence.items, place)

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
            _at(sequence.items, arithmetic("+", start, place))
            for place in range(len(sequence.items))
        )
        return Items(length, shifted)

    def _unwrap(self, node: ir.Unwrap) -> Value:
        option = self.value(node.option)
        if not isinstance(option, Option):
            return option
        if not node.certain:
            self.fails(negated(option.present), node.place, "this is None here")
        return _nothing(node.domain) if option.value is None else option.value

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
            case Counts(items):
                return any_of(
                    all_of((compare(">", count, 0), same(item, constant(each))))
                    for each, count in items.items()
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

    def _until(self, items: tuple[ir.Expression, ...], *, stop: bool) -> Truth:
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
            _include(found, True, self.value(item), item.domain, str(node.place))
        return Members(found)

    def _make_bag(self, node: ir.MakeBag) -> Value:
        bag = Counts({})
        for item in node.items:
            bag = self._bag_with(bag, self.value(item), item, node.domain, 1)
        return bag

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
            case Counts(items):
                return total(items)
            case Table(values):
                return len(values)
        raise TypeError(f"{collection!r} has no size")

    def _bag_count(self, bag: Counts, item: Value, node: ir.Expression) -> Number:
        found: Number = 0
        for each, count in bag.items.items():
            found = either(same(item, constant(each)), count, found)
        return found

    def _bag_with(
        self, bag: Counts, item: Value, node: ir.Expression, domain: Domain, more: int
    ) -> Counts:
        assert isinstance(domain, BagDomain)
        items = dict(bag.items)
        for each in _possible(item, some_of(node.domain), str(node.place)):
            is_it = same(item, constant(each))
            count = items.get(each, 0)
            changed = either(is_it, arithmetic("+", count, more), count)
            items[each] = changed
        return Counts(items)

    def _bag_remove(self, node: ir.BagRemove) -> Value:
        bag, item = self._counts(node.bag), self.value(node.item)
        count = self._bag_count(bag, item, node.item)
        self.fails(compare("<=", count, 0), node.place, "it is not in the bag")
        return self._bag_with(bag, item, node.item, node.domain, -1)

    def _comprehension(self, node: ir.Comprehension) -> Value:
        match node.gather:
            case ir.Gather.ALL | ir.Gather.ANY:
                return self._quantified(node)
            case ir.Gather.SUM:
                found: Number = 0
                for condition, value in self._values(node):
                    found = arithmetic("+", found, either(condition, value, 0))
                return found
            case ir.Gather.MIN | ir.Gather.MAX:
                return self._extreme(node)
            case ir.Gather.SET:
                items: dict[Any, Truth] = {}
                for condition, value in self._values(node):
                    _include(items, condition, value, node.body.domain, str(node.place))
                return Members(items)
        assert isinstance(node.domain, SequenceDomain)
        sequence = Items(0, ())
        for condition, value in self._values(node):
            sequence = _appended(sequence, condition, value)
        return sequence

    def _values(self, node: ir.Comprehension) -> Iterator[tuple[Truth, Value]]:
        """Each value of the body, and the condition under which it is one."""
        for condition in self._rounds(node.generators):
            yield condition, self.value(node.body)

    def _quantified(self, node: ir.Comprehension) -> Truth:
        is_all = node.gather is ir.Gather.ALL
        found: list[Truth] = []

        def going_on() -> Truth:
            return all_of(each if is_all else negated(each) for each in found)

        for condition in self._rounds(node.generators, going_on if may_fail(node) else _always):
            body = self.truth(node.body)
            found.append(implies(condition, body) if is_all else all_of((condition, body)))
        return all_of(found) if is_all else any_of(found)

    def _extreme(self, node: ir.Comprehension) -> Value:
        largest = node.gather is ir.Gather.MAX
        found: Number = 0
        some: Truth = False
        for condition, value in self._values(node):
            better = compare(">" if largest else "<", value, found)
            taken = all_of((condition, any_of((negated(some), better))))
            found = either(taken, value, found)
            some = any_of((some, condition))
        if node.default is None:
            self.fails(negated(some), node.place, "the least or greatest of nothing")
            return found
        return either(some, found, self.number(node.default))

    def _rounds(
        self, generators: tuple[ir.Generator, ...], going_on: Callable[[], Truth] = _always
    ) -> Iterator[Truth]:
        """Bind the iteration variables in turn; each time, the condition that they are bound so.

        What is evaluated between two rounds is evaluated under that condition, and only if the
        iteration is then `going_on`.
        """
        if not generators:
            yield True
            return
        first, rest = generators[0], generators[1:]
        for among, item in self._source(first.source):
            if among is False:
                continue
            self.slots[first.slot] = item
            with self.under(among), self.under(going_on()):
                meets = self._until(first.conditions, stop=False)
                if meets is False:
                    continue
                with self.under(meets):
                    for inner in self._rounds(rest, going_on):
                        yield all_of((among, meets, inner))

    def _source(self, source: ir.Source) -> Iterator[tuple[Truth, Value]]:
        match source:
            case ir.OverDomain(domain):
                for each in listed(domain, "a comprehension"):
                    yield True, constant(each)
            case ir.OverRange(start, stop):
                yield from self._range(start, stop)
            case ir.OverCollection(collection):
                found = self.value(collection)
                match found:
                    case Members(items):
                        for each, held in items.items():
                            yield held, constant(each)
                    case Items(length, parts):
                        for place, part in enumerate(parts):
                            yield compare("<", place, length), part
                    case Counts(items):
                        for each, count in items.items():
                            yield compare(">", count, 0), constant(each)
                    case Table(values):
                        for each in values:
                            yield True, constant(each)

    def _range(self, start: ir.Expression, stop: ir.Expression) -> Iterator[tuple[Truth, Value]]:
        low, high = self.number(start), self.number(stop)
        first = low if isinstance(low, int) else _bounds(start).low
        last = high if isinstance(high, int) else _bounds(stop).high
        if last - first > MOST_LISTED:
            raise NotProvable(
                f"{start.place}: range({first}, {last}) would have to be listed, and has more than "
                f"{MOST_LISTED:,} numbers",
                cure="prove it in a scope where it is short",
            )
        for each in range(first, last):
            yield all_of((compare("<=", low, each), compare("<", each, high))), each


def _bounds(node: ir.Expression) -> RangeDomain:
    assert isinstance(node.domain, RangeDomain)
    return node.domain


def _nothing(domain: Domain) -> Value:
    """Some value, where there is none: what it is does not matter."""
    return constant(next(iter(domain), None))


def _picked(cases: list[tuple[Truth, Value]]) -> Value:
    """The value of the case that holds; of the last if none does."""
    found = cases[-1][1]
    for test, value in reversed(cases[:-1]):
        found = choose(test, value, found)
    return found


def _at(items: tuple[Value, ...], place: Number) -> Value:
    if isinstance(place, int):
        return items[max(0, min(place, len(items) - 1))]
    return _picked([(equals(place, each), item) for each, item in enumerate(items)])


def _joined(left: Items, right: Items) -> Items:
    """One sequence after another."""
    length = arithmetic("+", left.length, right.length)
    found: list[Value] = []
    for place in range(len(left.items) + len(right.items)):
        after = arithmetic("-", place, left.length)
        second = _at(right.items, after) if right.items else None
        if place >= len(left.items):
            assert second is not None
            found.append(second)
        elif second is None:
            found.append(left.items[place])
        else:
            found.append(choose(compare("<", place, left.length), left.items[place], second))
    return Items(length, tuple(found))


def _appended(sequence: Items, condition: Truth, value: Value) -> Items:
    """A sequence with one more item if a condition holds."""
    if condition is False:
        return sequence
    more = either(condition, arithmetic("+", sequence.length, 1), sequence.length)
    items = [
        choose(all_of((condition, equals(sequence.length, place))), value, item)
        for place, item in enumerate(sequence.items)
    ]
    return Items(more, (*items, value))


def _possible(item: Value, domain: Domain, what: str) -> list[Any]:
    """What an item can be: itself if it is known, else all that its domain has."""
    try:
        return [as_python(item, domain)]
    except LookupError:
        return list(listed(domain, what))


def _include(
    items: dict[Any, Truth], condition: Truth, item: Value, domain: Domain, what: str
) -> None:
    """Put an item into a set if a condition holds."""
    for each in _possible(item, domain, what):
        held = all_of((condition, same(item, constant(each))))
        items[each] = any_of((items.get(each, False), held))
