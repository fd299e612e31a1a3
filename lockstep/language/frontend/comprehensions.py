"""Lower comprehensions and what gathers them: `all any sum min max set tuple`, maps and sets."""

from __future__ import annotations

import ast

from lockstep.language import ir
from lockstep.language.domains import (
    BoolDomain,
    Domain,
    MapDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.frontend.expressions import (
    bounded_sum,
    condition,
    domain_in,
    integer,
    lower_expression,
    unwrapped,
)
from lockstep.language.frontend.scope import Scope
from lockstep.language.types import NOTHING, capacity_of, item_of, join

_BOOL = BoolDomain()


def lower_comprehension(
    scope: Scope, node: ast.SetComp | ast.DictComp | ast.GeneratorExp
) -> ir.Expression:
    """A set or map comprehension; a generator stands only inside what gathers it."""
    if isinstance(node, ast.DictComp):
        return _total_map(scope, node)
    if isinstance(node, ast.SetComp):
        return gather(scope, node, ir.Gather.SET, node.generators, node.elt)
    scope.refuse(
        node, "bare-generator", "a generator has no value of its own",
        "it must be gathered into one", "wrap it: all(...), any(...), sum(...), tuple(...)",
    )  # fmt: skip


def gather(
    scope: Scope,
    node: ast.expr,
    kind: ir.Gather,
    generators: list[ast.comprehension],
    element: ast.expr,
    default: ast.expr | None = None,
) -> ir.Expression:
    """Gather the values of a comprehension in the way of `kind`."""
    inner, lowered, times, ordered = _generators(scope, generators)
    place = scope.place(node)
    fallback: ir.Expression | None = None
    if kind in (ir.Gather.ALL, ir.Gather.ANY):
        body = condition(inner, element)
        domain: Domain = _BOOL
    elif kind in (ir.Gather.SUM, ir.Gather.MIN, ir.Gather.MAX):
        body, interval = integer(inner, element)
        domain = bounded_sum(interval, times) if kind is ir.Gather.SUM else interval
        if default is not None:
            fallback, other = integer(scope, default)
            domain = RangeDomain(min(interval.low, other.low), max(interval.high, other.high))
    else:
        body = lower_expression(inner, element)
        if not (body.domain.is_scalar or isinstance(body.domain, RecordDomain)):
            scope.refuse(
                element, "nested-collection", f"items of {body.domain} stand in a collection",
                "items are atoms or records", "wrap the inner value in a record",
            )  # fmt: skip
        if kind is ir.Gather.SEQUENCE:
            if not ordered:
                scope.refuse(
                    node, "order", "a sequence is made from something without order",
                    "the items of a set come in no particular order",
                    "iterate over a domain, a sequence or range(...)",
                )  # fmt: skip
            domain = SequenceDomain(body.domain, times)
        else:
            domain = SetDomain(body.domain)
    return ir.Comprehension(place, domain, kind, lowered, body, fallback)


def _generators(
    scope: Scope, generators: list[ast.comprehension]
) -> tuple[Scope, tuple[ir.Generator, ...], int, bool]:
    """Lower the `for ... in ... if ...` parts.

    Returns the inner scope, the parts, how many rounds there are at most, and whether the order
    of the rounds is defined.
    """
    lowered = []
    times, ordered = 1, True
    for part in generators:
        if not isinstance(part.target, ast.Name) or part.is_async:
            scope.refuse(
                part.target, "unpacking", "one name stands after `for`",
                "items are taken whole", "name the item and read its fields",
            )  # fmt: skip
        source, item, most, in_order = _source(scope, part.iter)
        slot = scope.slots.fresh()
        scope = scope.inner({part.target.id: ir.Local(scope.place(part.target), item, slot)})
        conditions = tuple(condition(scope, test) for test in part.ifs)
        lowered.append(ir.Generator(slot, source, conditions))
        times, ordered = times * most, ordered and in_order
    return scope, tuple(lowered), times, ordered


def _source(scope: Scope, node: ast.expr) -> tuple[ir.Source, Domain, int, bool]:
    domain = domain_in(scope, node)
    if domain is not None:
        return ir.OverDomain(domain), domain, domain.size(), True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        if node.keywords or not 1 <= len(node.args) <= 2:
            scope.refuse(
                node, "range", "range takes a stop, or a start and a stop",
                "steps other than one are not in the notation", "write range(start, stop)",
            )  # fmt: skip
        ends = [integer(scope, end) for end in node.args]
        if len(ends) == 1:
            ends.insert(0, (ir.Literal(scope.place(node), RangeDomain(0, 0), 0), RangeDomain(0, 0)))
        (start, low), (stop, high) = ends
        item = RangeDomain(low.low, max(low.low, high.high - 1))
        return ir.OverRange(start, stop), item, max(0, high.high - low.low), True
    collection = unwrapped(scope, node, lower_expression(scope, node))
    found = item_of(collection.domain)
    if found is None or isinstance(collection.domain, MapDomain):
        scope.refuse(
            node, "not-iterable", f"{collection.domain} has no items to go through",
            "one iterates over a domain, a collection or range(...)",
            "iterate over the map's key domain" if found else "iterate over a collection",
        )  # fmt: skip
    in_order = isinstance(collection.domain, SequenceDomain)
    return ir.OverCollection(collection), found, capacity_of(collection.domain), in_order


def _total_map(scope: Scope, node: ast.DictComp) -> ir.Expression:
    part = node.generators[0]
    keys = domain_in(scope, part.iter)
    simple = (
        len(node.generators) == 1
        and not part.ifs
        and isinstance(part.target, ast.Name)
        and isinstance(node.key, ast.Name)
        and node.key.id == part.target.id
    )
    if keys is None or not keys.is_scalar or not simple:
        scope.refuse(
            node, "partial-map", "this is not a map over one whole domain",
            "maps are total: every key has a value", "write `{k: value for k in Keys}`",
        )  # fmt: skip
    assert isinstance(part.target, ast.Name)
    slot = scope.slots.fresh()
    inner = scope.inner({part.target.id: ir.Local(scope.place(part.target), keys, slot)})
    body = lower_expression(inner, node.value)
    return ir.MakeMap(scope.place(node), MapDomain(keys, body.domain), slot, keys, body)


__all__ = ["NOTHING", "gather", "join", "lower_comprehension"]
