"""Lower any expression: which syntax goes where, the kinds that are simple, and `x[...]`."""

from __future__ import annotations

import ast

from lockstep.errors import nearest
from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, NameDomain, SequenceDomain, SetDomain
from lockstep.language.frontend.calls import lower_call
from lockstep.language.frontend.comprehensions import gather, lower_generator, total_map
from lockstep.language.frontend.cures import as_member
from lockstep.language.frontend.expected import (
    BOOL,
    common,
    condition,
    either,
    integer,
    item,
    unwrapped,
)
from lockstep.language.frontend.facts import narrowed
from lockstep.language.frontend.names import literal, lower_attribute, lower_name
from lockstep.language.frontend.operators import lower_binary, lower_comparison, lower_unary
from lockstep.language.frontend.scope import Scope, operands_first
from lockstep.language.types import described, is_disjoint, join

_INSTEAD: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "define a helper function at module level"),
    ast.NamedExpr: ("`:=`", "bind the name in a statement of its own"),
    ast.JoinedStr: ("an f-string", "use an enum or a name from OneOf(...)"),
    ast.List: ("a list", "write a tuple: `(a, b)`"),
    ast.ListComp: ("a list comprehension", "write `tuple(... for ... in ...)`"),
    ast.Dict: ("a dict display", "write a map for all keys: `{k: value for k in Keys}`"),
    ast.Await: ("`await`", "a step is atomic: remove it"),
    ast.Yield: ("`yield`", "use a parameter for each choice"),
    ast.YieldFrom: ("`yield from`", "use a parameter for each choice"),
    ast.Starred: ("`*`", "write the items out, or use `+`"),
}


def lower_expression(scope: Scope, node: ast.expr) -> ir.Expression:
    """The IR of an expression; `Refused` when it is outside the notation or ill typed."""
    match node:
        case ast.Name():
            return narrowed(lower_name(scope, node), scope.facts)
        case ast.Attribute():
            return narrowed(lower_attribute(scope, node), scope.facts)
        case ast.Subscript():
            return narrowed(lower_subscript(scope, node), scope.facts)
        case ast.Constant():
            return literal(scope, node, node.value)
        case ast.BinOp():
            return lower_binary(scope, node)
        case ast.UnaryOp():
            return lower_unary(scope, node)
        case ast.BoolOp():
            return _connected(scope, node)
        case ast.Compare():
            return lower_comparison(scope, node)
        case ast.IfExp():
            return _conditional(scope, node)
        case ast.Set():
            items = tuple(item(scope, part, scope.lower(part)) for part in node.elts)
            return ir.MakeSet(scope.place(node), SetDomain(common(scope, node, items)), items)
        case ast.Tuple():
            items = tuple(item(scope, part, scope.lower(part)) for part in node.elts)
            domain = SequenceDomain(common(scope, node, items), len(items))
            return ir.MakeSequence(scope.place(node), domain, items)
        case ast.Call():
            return lower_call(scope, node)
        case ast.DictComp():
            return total_map(scope, node)
        case ast.SetComp():
            return gather(scope, node, ir.Gather.SET, node)
        case ast.GeneratorExp():
            return lower_generator(scope, node)
    what, cure = _INSTEAD.get(type(node), (f"`{ast.unparse(node)}`", "use the notation"))
    if isinstance(node, ast.Dict):
        cure = _instead_of_dict(node)
    if isinstance(node, ast.List):
        cure = f"write a tuple: `{ast.unparse(ast.Tuple(node.elts, ast.Load()))}`"
    scope.refuse(
        node,
        "unsupported-expression",
        f"{what} is not part of the notation",
        "every engine must give each expression the same meaning as Python",
        cure,
    )


def _instead_of_dict(node: ast.Dict) -> str:
    if not node.keys:
        return "write `set()` for the empty set; a map has a value for each key"
    if None in node.keys:
        pairs = zip(node.keys, node.values, strict=True)
        parts = (f"`new.m[{ast.unparse(k)}] = {ast.unparse(v)}`" for k, v in pairs if k is not None)
        return f"write the parts that change: {', '.join(parts) or '`new.m[k] = value`'}"
    return "write a map for all keys: `{k: value for k in Keys}`"


def _connected(scope: Scope, node: ast.BoolOp) -> ir.Expression:
    """`and` or `or`: each condition may rely on what the ones before it exclude."""
    both = isinstance(node.op, ast.And)
    inner = scope.inner()
    items = []
    with scope.unit.collecting() as refused:
        for part in node.values:
            with refused.noting():
                items.append(condition(inner, part))
                inner.facts.learn(items[-1], both)
    make = ir.And if both else ir.Or
    return make(scope.place(node), BOOL, tuple(items))


def _conditional(scope: Scope, node: ast.IfExp) -> ir.Expression:
    test = condition(scope, node.test)
    then = scope.inner(facts=scope.facts.where(test, True)).lower(node.body)
    otherwise = scope.inner(facts=scope.facts.where(test, False)).lower(node.orelse)
    return either(scope, node, test, (then, otherwise))


def lower_subscript(scope: Scope, node: ast.Subscript) -> ir.Expression:
    """A map's value for a key, an item of a sequence, or a stretch of one."""
    option = scope.lower(node.value)
    whole = unwrapped(scope, node, option)
    place = scope.place(node)
    match whole.domain:
        case SequenceDomain() if isinstance(node.slice, ast.Slice):
            return _slice(scope, node, whole, node.slice)
        case SequenceDomain(item):
            index = _position(scope, node.slice, user=node)
            return operands_first(
                scope,
                (option, index),
                lambda parts: _item(scope, node, item, parts),
            )
        case MapDomain(_, value) if not isinstance(node.slice, ast.Slice):
            key = map_key(scope, node, node.slice, whole.domain)
            return operands_first(
                scope,
                (option, key),
                lambda parts: ir.Lookup(place, value, unwrapped(scope, node, parts[0]), parts[1]),
            )
    match whole.domain:
        case MapDomain():
            cure = "name one key: `m[key]`"
        case SetDomain():
            cure = "ask whether it has an item with `in`"
        case _:
            cure = "use the value as it is"
    scope.refuse(
        node,
        "not-indexable",
        f"this is {described(whole.domain)}, which has nothing at [...]",
        "maps have values at their keys, sequences have items and stretches",
        cure,
    )


def _item(scope: Scope, node: ast.Subscript, domain: Domain, parts: list[ir.Expression]) -> ir.Item:
    sequence, index = unwrapped(scope, node, parts[0]), parts[1]
    certain = scope.facts.has_item(sequence, index)
    return ir.Item(scope.place(node), domain, sequence, index, certain)


def map_key(scope: Scope, user: ast.AST, node: ast.expr, domain: MapDomain) -> ir.Expression:
    """An expression that is used as a key of a map; `user` is the operation that does so."""
    key = unwrapped(scope, user, scope.lower(node))
    if join(key.domain, domain.key) is None or is_disjoint(key.domain, domain.key):
        scope.refuse(
            node,
            "wrong-key",
            f"{described(key.domain)} is no key of {described(domain)}",
            "a map has values at its keys only",
            _instead_of_key(key, domain.key),
        )
    return key


def _instead_of_key(key: ir.Expression, keys: Domain) -> str:
    value = getattr(key, "value", None)
    if isinstance(keys, NameDomain) and isinstance(value, str):
        return nearest(value, map(str, keys.names), f"use {described(keys)}")
    return as_member(keys, value) or f"use {described(keys)}"


def _slice(
    scope: Scope, node: ast.Subscript, whole: ir.Expression, ends: ast.Slice
) -> ir.Expression:
    if ends.step is not None:
        scope.refuse(
            node,
            "slice-step",
            "a stretch of a sequence has no step",
            "only whole stretches mean the same to every engine",
            "write `q[start:stop]`",
        )
    start, stop = (
        None if end is None else _position(scope, end, user=None)
        for end in (ends.lower, ends.upper)
    )
    return ir.Slice(scope.place(node), whole.domain, whole, start, stop)


def _position(scope: Scope, node: ast.expr, user: ast.AST | None) -> ir.Expression:
    index, _ = integer(scope, node, user)
    interval = scope.facts.interval(index)
    is_safe = interval.low >= 0 or scope.facts.are_impossible
    if not is_safe and not isinstance(index, ir.Literal):
        scope.refuse(
            node,
            "negative-index",
            f"this index may be negative: it is {described(interval)}",
            "Python would silently count from the end",
            f"guard it: `{ast.unparse(node)} >= 0`; only a literal such as -1 counts from the end",
        )
    return index
