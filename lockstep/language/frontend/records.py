"""Lower the making of records, from their fields or from another record."""

from __future__ import annotations

import ast

from lockstep.language import ir
from lockstep.language.domains import OptionDomain, RecordDomain
from lockstep.language.frontend.expected import stored, unwrapped
from lockstep.language.frontend.names import field
from lockstep.language.frontend.order import in_call_order, operands_first
from lockstep.language.frontend.scope import Scope
from lockstep.language.records import Record
from lockstep.language.types import described
from lockstep.words import plural


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
            else f"is given {len(node.args)} values for {plural(len(names), 'field')}"
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
