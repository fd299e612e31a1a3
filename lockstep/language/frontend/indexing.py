"""Lower `x[...]`: values of maps, items and stretches of sequences."""

from __future__ import annotations

import ast

from lockstep.errors import nearest
from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.frontend.cures import as_member
from lockstep.language.frontend.expected import integer, unwrapped
from lockstep.language.frontend.order import operands_first
from lockstep.language.frontend.scope import Scope
from lockstep.language.types import described, is_disjoint, join


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
