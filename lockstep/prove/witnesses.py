"""How many of some names matter at once: why a proof for a few is one for any number.

Take a step, however many names there are, that breaks a property which held before. Something shows
that: the names that the step is about, those that the property is broken for, and one for each
`any` that is true and each `all` that is false on the way. Forget all other names. What is left is
a state of the model with fewer names, and the same step breaks the same property there, if what was
assumed speaks of *all* names: then it also holds of those that are left. (Formulas of this kind are
called effectively propositional; Ramsey, "On a Problem of Formal Logic", 1930. Ivy proves protocols
with them: Padon and others, "Ivy: Safety Verification by Interactive Generalization", 2016.)

So a property that is kept in models of as many names as that is kept in all larger ones. Here those
names are counted from the IR. Where there is no such number, the reason is reported: something is
counted or added up over the names, goes through them in order, or is there for each of them
(`all(any(...))`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from math import prod
from typing import TypeAlias

from lockstep.language import ir
from lockstep.language.domains import BoolDomain, Domain, RangeDomain
from lockstep.language.frontend.facts import SWAPPED
from lockstep.language.totality import may_fail, parts_of, statement_may_fail, walk
from lockstep.language.types import NOTHING, capacity_of, item_of
from lockstep.prove.names import Names, Unlimited

_MOST = 64
"""More names than this are as good as no limit."""


class _Keep(Enum):
    """Which outcome of an expression has to be the same when names are forgotten."""

    TRUE = auto()
    FALSE = auto()
    ANY = auto()

    @property
    def opposite(self) -> _Keep:
        return {_Keep.TRUE: _Keep.FALSE, _Keep.FALSE: _Keep.TRUE}.get(self, self)


@dataclass(frozen=True)
class _ForEach:
    """Something goes through all values of a slot: as many as `size`, or all of the names."""

    slot: int
    size: int | None


_Slots: TypeAlias = Mapping[int, frozenset[_ForEach]]
"""For each slot, what it depends on of all that is enumerated."""


@dataclass(frozen=True)
class Counting:
    """Counts the names of one domain that have to be kept, and forgets the others."""

    names: Names

    def for_action(self, action: ir.ActionCode) -> int:
        """The names to keep for a step, so that the same action takes it."""
        return self._given(action.parameters) + self._statements(action.statements, {}, _Keep.TRUE)

    def for_premise(self, prop: ir.PropertyCode) -> int:
        """The names to keep for what is assumed of a state, so that it can still be."""
        slots: dict[int, frozenset[_ForEach]] = {}
        for parameter in prop.parameters:
            self._go_through(parameter.slot, parameter.domain, frozenset(), slots)
        return self._property(prop, slots, _Keep.FALSE, _Keep.TRUE)

    def for_goal(self, prop: ir.PropertyCode) -> int:
        """The names to keep for a property that is broken, so that it still is."""
        return self._given(prop.parameters) + self._property(prop, {}, _Keep.TRUE, _Keep.FALSE)

    def for_meaning(self, code: ir.ActionCode | ir.PropertyCode) -> int:
        """The names to keep where something has no meaning, so that it still has none."""
        reached, most = self._given(code.parameters), 0
        slots: dict[int, frozenset[_ForEach]] = {}
        for statement in code.statements:
            if statement_may_fail(statement):
                alone = self._statements((statement,), dict(slots), _Keep.ANY)
                most = max(most, reached + alone + self._places(statement))
            reached += self._statements((statement,), slots, _Keep.TRUE)
        if isinstance(code, ir.PropertyCode) and may_fail(code.claim):
            alone = self._expression(code.claim, _Keep.ANY, slots) + self._places(code.claim)
            most = max(most, reached + alone)
        return most

    def _given(self, parameters: Iterable[ir.ParameterCode]) -> int:
        return sum(self.names.held_in(parameter.domain) for parameter in parameters)

    def _places(self, code: object) -> int:
        """How many names may say where something is amiss: in what is enumerated, in a value."""
        count = 0
        for node in walk(code):
            match node:
                case ir.Comprehension():
                    count += self._in_a_round(node)
                case ir.MakeMap():
                    count += self.names.held_in(node.key)
                case ir.Write():
                    count += self.names.keys_of(node.target)
                case ir.MakeRecord():
                    count += self.names.keys_of(node.domain)
        return count

    def _property(self, prop: ir.PropertyCode, slots: _Slots, guards: _Keep, claim: _Keep) -> int:
        inner = dict(slots)
        count = self._statements(prop.statements, inner, guards)
        return count + self._expression(prop.claim, claim, inner)

    def _statements(
        self,
        statements: Iterable[ir.Statement],
        slots: dict[int, frozenset[_ForEach]],
        guards: _Keep,
    ) -> int:
        count = 0
        for statement in statements:
            match statement:
                case ir.Bind():
                    count += self._expression(statement.value, _Keep.ANY, slots)
                    slots[statement.slot] = _dependences(statement.value, slots)
                case ir.Guard():
                    count += self._expression(statement.test, guards, slots)
                case ir.Write():
                    keys = [step.key for step in statement.path if isinstance(step, ir.KeyStep)]
                    count += self._all((*keys, statement.value), _Keep.ANY, slots)
        return count

    def _all(self, expressions: Iterable[ir.Expression], keep: _Keep, slots: _Slots) -> int:
        return sum(self._expression(part, keep, slots) for part in expressions)

    def _expression(self, node: ir.Expression, keep: _Keep, slots: _Slots) -> int:
        """The names to keep so that the outcome is the same, as far as it has to be."""
        match node:
            case ir.Read() | ir.Local() | ir.Literal():
                return 0
            case ir.Not():
                return self._expression(node.operand, keep.opposite, slots)
            case ir.And() | ir.Or():
                one_is_enough = _Keep.TRUE if isinstance(node, ir.Or) else _Keep.FALSE
                needed = [self._expression(part, keep, slots) for part in node.items]
                return max(needed) if keep is one_is_enough else sum(needed)
            case ir.Conditional() if isinstance(node.test, ir.Literal):
                taken = node.then if node.test.value else node.otherwise
                return self._expression(taken, keep, slots)
            case ir.Conditional():
                branches = keep if isinstance(node.domain, BoolDomain) else _Keep.ANY
                return self._expression(node.test, _Keep.ANY, slots) + self._all(
                    (node.then, node.otherwise), branches, slots
                )
            case ir.Let():
                inner = {**slots, node.slot: _dependences(node.value, slots)}
                return self._expression(node.value, _Keep.ANY, slots) + self._expression(
                    node.body, keep, inner
                )
            case ir.Compare() | ir.Subset():
                return self._comparison(node, keep, slots)
            case ir.Size() if self.names.keys_of(node.collection.domain):
                raise Unlimited("names are counted", node.place)
            case ir.MakeMap():
                inner = dict(slots)
                self._go_through(node.slot, node.key, _dependences(node, slots), inner)
                return self._expression(node.body, _Keep.ANY, inner)
            case ir.Comprehension():
                return self._comprehension(node, keep, slots)
        inside = [part for part in parts_of(node) if isinstance(part, ir.Expression)]
        return self._all(inside, _Keep.ANY, slots)

    def _comparison(self, node: ir.Compare | ir.Subset, keep: _Keep, slots: _Slots) -> int:
        if (
            isinstance(node, ir.Compare)
            and (counted := self._counted(node, keep, slots)) is not None
        ):
            return counted
        count = self._all((node.left, node.right), _Keep.ANY, slots)
        depth = max(self.names.keys_of(side.domain) for side in (node.left, node.right))
        if not depth:
            return count
        if isinstance(node, ir.Subset):
            shown_by_all = keep is _Keep.TRUE and not node.strict
        else:
            shown_by_all = keep is (_Keep.TRUE if node.operator == "==" else _Keep.FALSE)
        # Two maps are the same for all names; one name is enough to show that they differ.
        return count if shown_by_all else count + depth * self._witnesses(node, slots)

    def _counted(self, node: ir.Compare, keep: _Keep, slots: _Slots) -> int | None:
        """The names to keep where it is asked whether so many are in a set, or fulfil something."""
        size, number, operator = node.left, node.right, node.operator
        if isinstance(size, ir.Literal):
            size, number, operator = number, size, SWAPPED[operator]
        if not isinstance(number, ir.Literal):
            return None
        match size:
            case ir.Size() if self.names.keys_of(size.collection.domain):
                count, names = self._expression(size.collection, _Keep.ANY, slots), 1
            case ir.Comprehension(gather=ir.Gather.SUM, body=ir.Literal(value=1)):
                count, names = (
                    self._through_all(size, _Keep.ANY, _Keep.ANY, slots),
                    self._in_a_round(size),
                )
            case _:
                return None
        # To have so many is shown by as many; to have fewer is to have fewer of what is left.
        if operator in ("<", "<="):
            keep = keep.opposite
        if operator not in ("==", "!=") and keep is _Keep.FALSE:
            return count
        shown = int(number.value) + (operator not in (">=", "<"))
        return count + max(0, shown) * names * self._witnesses(node, slots)

    def _in_a_round(self, node: ir.Comprehension) -> int:
        """How many names there are in one round of a comprehension."""
        return sum(self.names.held_in(_gone_through(part.source)) for part in node.generators)

    def _comprehension(self, node: ir.Comprehension, keep: _Keep, slots: _Slots) -> int:
        names = self._in_a_round(node)
        gather = node.gather
        if gather in (ir.Gather.ALL, ir.Gather.ANY):
            for_all = _Keep.TRUE if gather is ir.Gather.ALL else _Keep.FALSE
            count = 0
            if keep in (for_all, _Keep.ANY):
                count += self._through_all(node, _Keep.FALSE, for_all, slots)
            if keep in (for_all.opposite, _Keep.ANY):
                count += self._at_one(node, for_all.opposite, names, slots)
            return count
        if names:
            if gather is ir.Gather.SUM:
                raise Unlimited("something is added up over all names", node.place)
            if gather is ir.Gather.SEQUENCE:
                raise Unlimited("the names are iterated in order", node.place)
            if gather is ir.Gather.SET and not self._chooses_names(node):
                raise Unlimited("a set is made of something of each name", node.place)
        count = self._through_all(node, _Keep.ANY, _Keep.ANY, slots)
        if gather in (ir.Gather.MIN, ir.Gather.MAX) and names:
            count += self._at_one(node, _Keep.ANY, names, slots)
        if node.default is not None:
            count += self._expression(node.default, _Keep.ANY, slots)
        return count

    def _chooses_names(self, node: ir.Comprehension) -> bool:
        """Whether it is `{p for p in ... if ...}`."""
        slots = {part.slot for part in node.generators}
        return len(slots) == 1 and isinstance(node.body, ir.Local) and node.body.slot in slots

    def _through_all(
        self, node: ir.Comprehension, conditions: _Keep, body: _Keep, slots: _Slots
    ) -> int:
        inner, count = dict(slots), 0
        for part in node.generators:
            count += self._source(part.source, inner)
            before = _dependences(part.source, inner)
            self._go_through(part.slot, _gone_through(part.source), before, inner, part.source)
            count += self._all(part.conditions, conditions, inner)
        return count + self._expression(node.body, body, inner)

    def _at_one(self, node: ir.Comprehension, body: _Keep, names: int, slots: _Slots) -> int:
        """One value of each slot shows it: as many names as slots, each time that it has to be."""
        depends = _dependences(node, slots)
        count = names * self._witnesses(node, slots) if names else 0
        inner = {**slots, **dict.fromkeys((part.slot for part in node.generators), depends)}
        for part in node.generators:
            count += self._source(part.source, inner)
            count += self._all(part.conditions, _Keep.TRUE, inner)
        return count + self._expression(node.body, body, inner)

    def _source(self, source: ir.Source, slots: _Slots) -> int:
        inside = [part for part in parts_of(source) if isinstance(part, ir.Expression)]
        return self._all(inside, _Keep.ANY, slots)

    def _witnesses(self, node: ir.Expression, slots: _Slots) -> int:
        """How often something has to be shown: once for all that it depends on."""
        sizes = [loop.size for loop in _dependences(node, slots)]
        if None in sizes:
            raise Unlimited("each of the names may need another one", node.place)
        times = prod(size for size in sizes if size is not None)
        if times > _MOST:
            raise Unlimited(f"one name may be needed for each of {times:,} cases", node.place)
        return times

    def _go_through(
        self,
        slot: int,
        domain: Domain,
        depends: frozenset[_ForEach],
        slots: dict[int, frozenset[_ForEach]],
        source: ir.Source | None = None,
    ) -> None:
        by_name = self.names.held_in(domain) or self.names.keys_of(domain)
        size = None if by_name else _length(source, domain)
        slots[slot] = depends | {_ForEach(slot, size)}


def _dependences(node: object, slots: _Slots) -> frozenset[_ForEach]:
    """On what of all that is enumerated an expression may depend."""
    read = [slots.get(part.slot) for part in walk(node) if isinstance(part, ir.Local)]
    return frozenset().union(*(loops for loops in read if loops is not None))


def _gone_through(source: ir.Source) -> Domain:
    """The domain of the values that a generator goes through."""
    match source:
        case ir.OverDomain():
            return source.domain
        case ir.OverCollection():
            return item_of(source.collection.domain) or NOTHING
    return NOTHING


def _length(source: ir.Source | None, domain: Domain) -> int:
    """The most values that are enumerated."""
    match source:
        case ir.OverCollection():
            return capacity_of(source.collection.domain)
        case ir.OverRange():
            start, stop = source.start.domain, source.stop.domain
            assert isinstance(start, RangeDomain)
            assert isinstance(stop, RangeDomain)
            return max(0, stop.high - start.low)
    return domain.size()
