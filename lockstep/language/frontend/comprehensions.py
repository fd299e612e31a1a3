"""Lower comprehensions and what gathers them: `all any sum min max set tuple`, maps and sets."""

from __future__ import annotations

import ast

from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.frontend.cures import instead_of_unpacking
from lockstep.language.frontend.expected import BOOL, condition, integer, item, unwrapped
from lockstep.language.frontend.names import domain_in, literal
from lockstep.language.frontend.scope import Scope
from lockstep.language.totality import may_fail
from lockstep.language.types import NOTHING, capacity_of, described, item_of


def lower_generator(scope: Scope, node: ast.GeneratorExp) -> ir.Expression:
    """Refuse a generator that nothing gathers into a value."""
    scope.refuse(
        node,
        "bare-generator",
        "this is not gathered into a value",
        "a comprehension in parentheses has no value of its own",
        "wrap it: all(...), any(...), sum(...), min(...), max(...), set(...) or tuple(...)",
    )


def gather(
    scope: Scope,
    node: ast.expr,
    kind: ir.Gather,
    values: ast.GeneratorExp | ast.SetComp,
    default: ast.expr | None = None,
) -> ir.Expression:
    """Gather the values of a comprehension in the way of `kind`; `node` is what gathers them."""
    rounds, element = _Rounds(scope, values.generators), values.elt
    inner, place = rounds.scope, scope.place(node)
    if rounds.are_none:
        if kind not in (ir.Gather.MIN, ir.Gather.MAX) or default is not None:
            return _of_nothing(scope, node, kind, default)
        element = ast.copy_location(ast.Constant(0), element)  # it has no value, whatever it is of
    fallback: ir.Expression | None = None
    domain: Domain = BOOL
    match kind:
        case ir.Gather.ALL | ir.Gather.ANY:
            body = condition(inner, element)
            _require_order_free(scope, rounds, body)
        case ir.Gather.SUM:
            body, interval = integer(inner, element)
            domain = RangeDomain(
                min(0, interval.low * rounds.most), max(0, interval.high * rounds.most)
            )
        case ir.Gather.MIN | ir.Gather.MAX:
            body, interval = integer(inner, element)
            domain = interval
            if default is not None:
                fallback, other = integer(scope, default)
                domain = RangeDomain(min(interval.low, other.low), max(interval.high, other.high))
        case ir.Gather.SET:
            body = item(inner, element, inner.lower(element))
            domain = SetDomain(body.domain)
        case ir.Gather.SEQUENCE:
            body = item(inner, element, inner.lower(element))
            domain = SequenceDomain(body.domain, rounds.most)
            if rounds.unordered is not None:
                scope.refuse(
                    rounds.unordered,
                    "unordered-sequence",
                    "a sequence is made from something without order",
                    "the items of a set come in no particular order",
                    "iterate over a domain, a sequence or range(...)",
                )
    return ir.Comprehension(place, domain, kind, tuple(rounds.lowered), body, fallback)


def _of_nothing(
    scope: Scope, node: ast.expr, kind: ir.Gather, default: ast.expr | None
) -> ir.Expression:
    """What is gathered where there is nothing to gather."""
    if default is not None:
        return integer(scope, default)[0]
    match kind:
        case ir.Gather.SET:
            return ir.MakeSet(scope.place(node), SetDomain(NOTHING), ())
        case ir.Gather.SEQUENCE:
            return ir.MakeSequence(scope.place(node), SequenceDomain(NOTHING, 0), ())
    return literal(scope, node, 0 if kind is ir.Gather.SUM else kind is ir.Gather.ALL)


def total_map(scope: Scope, node: ast.DictComp) -> ir.Expression:
    """A map with a value for each key: `{k: value for k in Keys}`."""
    part = node.generators[0]
    keys = domain_in(scope, part.iter)
    if (
        keys is None
        or not keys.is_scalar
        or len(node.generators) > 1
        or part.ifs
        or not isinstance(part.target, ast.Name)
        or not isinstance(node.key, ast.Name)
        or node.key.id != part.target.id
    ):
        scope.refuse(
            node,
            "partial-map",
            "this is not a map over one whole domain",
            "maps are total: every key has a value",
            "write `{k: value for k in Keys}`; for no value, `... if ... else None`",
        )
    slot = scope.unit.fresh()
    inner = scope.inner((part.target.id,))
    inner.bind(part.target.id, ir.Local(scope.place(part.target), keys, slot))
    body = inner.lower(node.value)
    return ir.MakeMap(scope.place(node), MapDomain(keys, body.domain), slot, keys, body)


class _Rounds:
    """The `for ... in ... if ...` parts of a comprehension.

    `scope` is what its element is lowered in, `most` how many rounds there are at the most, and
    `unordered` the source whose items come in no particular order, if one is such. With `are_none`
    a source is empty by its type, as a constant of a scope may be: what follows is never evaluated
    and was not looked at, since nothing has a kind there. One that is written so is a mistake.
    """

    def __init__(self, scope: Scope, generators: list[ast.comprehension]) -> None:
        self.lowered: list[ir.Generator] = []
        self.most = 1
        self.unordered: ast.expr | None = None
        self.are_none = False
        # Python evaluates the first source outside of the comprehension, the others inside.
        self.scope = scope.inner(_targets(scope, generators))
        outside = scope
        for part in generators:
            assert isinstance(part.target, ast.Name)
            source, items = self._source(outside, part.iter)
            slot = scope.unit.fresh()
            is_written = isinstance(part.iter, ast.Tuple | ast.List)
            if not (self.most or is_written or any(map(may_fail, (source, *self.lowered)))):
                self.lowered.append(ir.Generator(slot, source, ()))
                self.are_none = True
                return
            self.scope.bind(part.target.id, ir.Local(scope.place(part.target), items, slot))
            conditions = []
            for test in part.ifs:
                conditions.append(condition(self.scope, test))
                self.scope.facts.learn(conditions[-1])
            self.lowered.append(ir.Generator(slot, source, tuple(conditions)))
            outside = self.scope

    def _source(self, scope: Scope, node: ast.expr) -> tuple[ir.Source, Domain]:
        """What is iterated over, and the type of its items."""
        domain = domain_in(scope, node)
        if domain is not None:
            self.most *= domain.size()
            return ir.OverDomain(domain), domain
        if isinstance(node, ast.Call) and _means(scope, node.func, range):
            return self._range(scope, node)
        if _means(scope, node, bool):
            scope.refuse(
                node,
                "iterated-type",
                "bool cannot be iterated over",
                "it is a type of Python, not a domain of the notation",
                "write `Bool`",
            )
        collection = unwrapped(scope, node, scope.lower(node))
        items = item_of(collection.domain)
        if items is None or isinstance(collection.domain, MapDomain):
            scope.refuse(
                node,
                "not-iterable",
                f"this is {described(collection.domain)}, which has no items to go through",
                "one iterates over a domain, a collection or range(...)",
                "iterate over the domain of the keys" if items else "iterate over one of these",
            )
        if not isinstance(collection.domain, SequenceDomain):
            self.unordered = self.unordered or node
        self.most *= capacity_of(collection.domain)
        return ir.OverCollection(collection), items

    def _range(self, scope: Scope, node: ast.Call) -> tuple[ir.Source, Domain]:
        if node.keywords or not 1 <= len(node.args) <= 2:
            scope.refuse(
                node,
                "range-step",
                "range takes a stop, or a start and a stop",
                "steps other than one are not in the notation",
                "write range(start, stop)",
            )
        ends = [integer(scope, end, node) for end in node.args]
        if len(ends) == 1:
            ends.insert(0, (ir.Literal(scope.place(node), RangeDomain(0, 0), 0), RangeDomain(0, 0)))
        (start, low), (stop, high) = ends
        self.most *= max(0, high.high - low.low)
        return ir.OverRange(start, stop), RangeDomain(low.low, max(low.low, high.high - 1))


def _targets(scope: Scope, generators: list[ast.comprehension]) -> list[str]:
    names = []
    for part in generators:
        if not isinstance(part.target, ast.Name):
            scope.refuse(
                part.target,
                "unpacking",
                "more than one name stands after `for`",
                "items are atoms or records: they are taken whole",
                instead_of_unpacking(scope, part),
            )
        names.append(part.target.id)
    return names


def _means(scope: Scope, node: ast.expr, value: object) -> bool:
    """Whether a name, which is no local one, stands for a value."""
    return (
        isinstance(node, ast.Name)
        and not scope.is_local(node.id)
        and scope.global_value(node) is value
    )


def _require_order_free(scope: Scope, rounds: _Rounds, body: ir.Expression) -> None:
    """Refuse what may either stop early or fail, as the items of a set happen to come."""
    if rounds.unordered is None:
        return
    tests = [test for part in rounds.lowered for test in part.conditions]
    nested = [
        part.source.collection
        for part in rounds.lowered[1:]
        if isinstance(part.source, ir.OverCollection)
    ]
    if any(may_fail(part) for part in (body, *tests, *nested)):
        scope.refuse(
            rounds.unordered,
            "order-dependent",
            "this goes through items in no particular order, and may fail on one of them",
            "it stops at the first item that decides, so the order would decide whether it fails",
            "exclude the failure first, or iterate over a domain: `for x in Domain if x in ...`",
        )
