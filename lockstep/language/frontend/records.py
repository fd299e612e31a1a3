"""Lower the making of records and bags, and the methods of bags."""

from __future__ import annotations

import ast

from lockstep.language import ir
from lockstep.language.domains import (
    BagDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
)
from lockstep.language.frontend.cures import instead_of_method
from lockstep.language.frontend.expected import item, stored, unwrapped
from lockstep.language.frontend.names import field
from lockstep.language.frontend.order import in_call_order, operands_first
from lockstep.language.frontend.scope import Scope
from lockstep.language.types import NOTHING, counted, described, join
from lockstep.language.values import Record


def only_argument(scope: Scope, node: ast.Call) -> ast.expr:
    """The argument of a call that takes exactly one."""
    if len(node.args) != 1 or node.keywords:
        scope.refuse(
            node,
            "one-argument",
            f"{ast.unparse(node.func)} takes one argument here",
            "its other forms have no counterpart in every engine",
            "pass one value",
        )
    return node.args[0]


def make_record(scope: Scope, node: ast.Call, record: type[Record]) -> ir.Expression:
    """`Request(session=..., epoch=...)`."""
    names = list(record.fields)
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        _, position = field(scope, keyword.value, RecordDomain(record), keyword.arg or "**")
        if names[position] in given:
            scope.refuse(
                keyword.value,
                "field-twice",
                f"{keyword.arg} is given twice",
                "a field has one value",
                "remove one of them",
            )
        given[names[position]] = keyword.value
    missing = [name for name in names if name not in given]
    if missing or len(node.args) > len(names):
        wrong = (
            f"lacks {', '.join(missing)}"
            if missing
            else f"is given {len(node.args)} values for {counted(len(names), 'field')}"
        )
        scope.refuse(
            node,
            "record-fields",
            f"{record.__name__} {wrong}",
            "a record has one value for every field",
            f"give {', '.join(names)}",
        )
    parts = {
        name: stored(scope, value, record.fields[name], f"{record.__name__}.{name}")
        for name, value in given.items()
    }

    def make(values: list[ir.Expression]) -> ir.Expression:
        held = dict(zip(parts, values, strict=True))
        ordered = tuple(held[name] for name in names)
        return ir.MakeRecord(scope.place(node), RecordDomain(record), record, ordered)

    values = list(parts.values())
    return make(values) if list(parts) == names else in_call_order(scope, values, make)


def replace_fields(scope: Scope, node: ast.Call) -> ir.Expression:
    """`replace(record, field=value)`: the record with some fields changed."""
    if len(node.args) != 1:
        scope.refuse(
            node,
            "replace-arguments",
            f"replace takes one record, not {len(node.args)}",
            "what changes is named",
            "write replace(record, field=value)",
        )
    option = scope.lower(node.args[0])
    old = unwrapped(scope, node, option)
    if not isinstance(old.domain, RecordDomain):
        scope.refuse(
            node,
            "replace-non-record",
            f"this is {described(old.domain)}, which has no fields to replace",
            "only records have fields",
            "for a map write `{k: ... for k in Keys}`",
        )
    record = old.domain.record
    domain = old.domain
    changed: dict[str, ir.Expression] = {}
    for keyword in node.keywords:
        name = keyword.arg or "**"
        kind, _ = field(scope, keyword.value, domain, name)
        changed[name] = stored(scope, keyword.value, kind, f"{record.__name__}.{name}")

    def make(values: list[ir.Expression]) -> ir.Expression:
        slot, place = scope.unit.fresh(), scope.place(node)
        kept, held = ir.Local(old.place, domain, slot), dict(zip(changed, values[1:], strict=True))
        parts = tuple(
            held[name] if name in held else ir.Field(old.place, kind, kept, name, position)
            for position, (name, kind) in enumerate(record.fields.items())
        )
        whole = ir.MakeRecord(place, domain, record, parts)
        return ir.Let(place, domain, slot, unwrapped(scope, node, values[0]), whole)

    values = [option, *changed.values()]
    arrange = operands_first if isinstance(option.domain, OptionDomain) else in_call_order
    return arrange(scope, values, make)


def make_bag(scope: Scope, node: ast.Call) -> ir.Expression:
    """`Bag()`, or `Bag((x, y))` with its items written out."""
    if not node.args and not node.keywords:
        return ir.MakeBag(scope.place(node), BagDomain(NOTHING, 0), ())
    written = only_argument(scope, node)
    if not isinstance(written, ast.Tuple):
        scope.refuse(
            node,
            "bag-items",
            "the items of this bag are not written out",
            "an engine must know how many there can be",
            "write Bag((x, y)), or add to a bag with .add(x)",
        )
    items = scope.lower(written)
    assert isinstance(items, ir.MakeSequence)
    assert isinstance(items.domain, SequenceDomain)
    domain = BagDomain(items.domain.item, len(items.items))
    return ir.MakeBag(scope.place(node), domain, items.items)


def bag_method(scope: Scope, node: ast.Call, called: ast.Attribute) -> ir.Expression:
    """`bag.add(x)`, `bag.remove(x)` or `bag.count(x)`."""
    bag = unwrapped(scope, node, scope.lower(called.value))
    if not isinstance(bag.domain, BagDomain) or called.attr not in ("add", "remove", "count"):
        scope.refuse(
            node,
            "unknown-method",
            f"{described(bag.domain)} has no method {called.attr}",
            "bags have add, remove and count; other values have operators",
            instead_of_method(scope, node, bag.domain),
        )
    value = scope.lower(only_argument(scope, node))
    both = join(bag.domain.item, value.domain)
    if both is None:
        scope.refuse(
            node.args[0],
            "never-in",
            f"{described(value.domain)} is never in {described(bag.domain)}",
            "the items are of another kind",
            f"use {described(bag.domain.item)}",
        )
    place = scope.place(node)
    match called.attr:
        case "count":
            return ir.BagCount(place, RangeDomain(0, bag.domain.capacity), bag, value)
        case "remove":
            return ir.BagRemove(place, bag.domain, bag, unwrapped(scope, node, value))
        case _:
            item(scope, node.args[0], value)
            return ir.BagAdd(place, BagDomain(both, bag.domain.capacity + 1), bag, value)
