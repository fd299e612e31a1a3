"""Lower calls that have a value: built-in functions, records and helpers."""

from __future__ import annotations

import ast
from typing import NoReturn

import lockstep.language.notation as notation
import lockstep.language.records as records
from lockstep.language import ir
from lockstep.language.domains import (
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.frontend.comprehensions import gather
from lockstep.language.frontend.cures import instead_of_method
from lockstep.language.frontend.expected import as_integer, stored, unwrapped
from lockstep.language.frontend.helpers import inline_helper
from lockstep.language.frontend.names import field, is_namespace, literal
from lockstep.language.frontend.scope import Scope, in_call_order, operands_first
from lockstep.language.records import Record
from lockstep.language.totality import may_fail
from lockstep.language.types import NOTHING, capacity_of, described, item_of, some_of
from lockstep.words import plural

_GATHERS: dict[object, ir.Gather] = {
    all: ir.Gather.ALL,
    any: ir.Gather.ANY,
    sum: ir.Gather.SUM,
    min: ir.Gather.MIN,
    max: ir.Gather.MAX,
    set: ir.Gather.SET,
    frozenset: ir.Gather.SET,
    tuple: ir.Gather.SEQUENCE,
}


def lower_call(scope: Scope, node: ast.Call) -> ir.Expression:
    """A call that has a value."""
    if isinstance(node.func, ast.Attribute) and not _is_member(scope, node.func):
        value = scope.lower(node.func.value)
        scope.refuse(
            node,
            "unknown-method",
            f"{described(some_of(value.domain))} has no method {node.func.attr}",
            "values have operators, and no methods",
            instead_of_method(scope, node, value.domain),
        )
    called = callee(scope, node)
    if called is notation.present:
        scope.refuse(
            node,
            "present",
            "present(...) is a guard, and this is no place for one",
            "actions, procedures and invariants have guards; helpers and expressions have none",
            "write `x = present(...)` on a line of its own there, and use `x`",
        )
    if called is len:
        return _size(scope, node)
    if called is records.replace:
        return replace_fields(scope, node)
    if isinstance(called, type) and issubclass(called, records.Record):
        return make_record(scope, node, called)
    if called in (min, max) and len(node.args) > 1:
        return _extremum(scope, node, largest=called is max)
    if called in _GATHERS:
        return _gathered(scope, node, _GATHERS[called])
    if callable(called) and scope.unit.universe.definition(called) is not None:
        return inline_helper(scope, node, called)
    scope.refuse(
        node,
        "unknown-function",
        f"{ast.unparse(node.func)} cannot be called in a model",
        "its meaning is not known to every engine",
        _instead(node),
    )


def _instead(node: ast.Call) -> str:
    """The cure for a function that is not part of the notation."""
    given = ast.unparse(node.args[0]) if node.args else "x"
    match ast.unparse(node.func):
        case "list" | "dict":
            return f"leave it out: `{given}` never changes, so no copy is needed"
        case "abs":
            return f"write `max({given}, -({given}))`"
        case "int":
            return f"write `1 if {given} else 0`"
        case "bool":
            return f"write a condition: `{given} != 0`, or `... is not None`"
        case "sorted" | "reversed":
            return "keep the sequence in that order where it is written"
        case "range" | "enumerate" | "zip":
            return "iterate over it in a comprehension: `... for i in range(...)`"
        case "next":
            return "take the choice as a parameter of the action, and `require` what it must be"
        case "isinstance" | "type":
            return "leave it out: each variable is of one kind"
    return "use len, min, max, sum, all, any, set, tuple, a record, or a helper of your own"


def callee(scope: Scope, node: ast.Call) -> object:
    """What is being called: a module-level or built-in value; None for anything else."""
    if isinstance(node.func, ast.Name) and not scope.is_local(node.func.id):
        return scope.global_value(node.func)
    if isinstance(node.func, ast.Attribute) and _is_member(scope, node.func):
        assert isinstance(node.func.value, ast.Name)
        return getattr(scope.global_value(node.func.value), node.func.attr, None)
    return None


def _is_member(scope: Scope, node: ast.Attribute) -> bool:
    return (
        isinstance(node.value, ast.Name)
        and not scope.is_local(node.value.id)
        and is_namespace(scope.global_value(node.value))
    )


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


def _size(scope: Scope, node: ast.Call) -> ir.Expression:
    collection = unwrapped(scope, node, scope.lower(only_argument(scope, node)))
    place = scope.place(node)
    if item_of(collection.domain) is None:
        scope.refuse(
            node,
            "no-length",
            f"{described(collection.domain)} has no length",
            "sets, sequences and maps have one",
            "count with `sum(1 for ... if ...)`",
        )
    if isinstance(collection, ir.Literal):
        return literal(scope, node, len(collection.value))  # which mentions no name
    if not isinstance(collection.domain, MapDomain):
        return ir.Size(place, RangeDomain(0, capacity_of(collection.domain)), collection)
    keys = collection.domain.key.size()
    length = ir.Literal(place, RangeDomain(keys, keys), keys)
    if not may_fail(collection):
        return length
    return ir.Let(place, length.domain, scope.unit.fresh(), collection, length)


def _extremum(scope: Scope, node: ast.Call, *, largest: bool) -> ir.Expression:
    if node.keywords:
        _refuse_form(scope, node)
    operands = [scope.lower(argument) for argument in node.args]
    return operands_first(scope, operands, lambda parts: _largest(scope, node, parts, largest))


def _largest(
    scope: Scope, node: ast.Call, operands: list[ir.Expression], largest: bool
) -> ir.Expression:
    parts = [
        as_integer(scope, argument, unwrapped(scope, node, operand))
        for argument, operand in zip(node.args, operands, strict=True)
    ]
    pick = max if largest else min
    interval = RangeDomain(
        pick(part.low for _, part in parts), pick(part.high for _, part in parts)
    )
    return ir.Extremum(scope.place(node), interval, largest, tuple(value for value, _ in parts))


def _gathered(scope: Scope, node: ast.Call, kind: ir.Gather) -> ir.Expression:
    place = scope.place(node)
    if not node.args and not node.keywords and kind is ir.Gather.SET:
        return ir.MakeSet(place, SetDomain(NOTHING), ())
    if not node.args and not node.keywords and kind is ir.Gather.SEQUENCE:
        return ir.MakeSequence(place, SequenceDomain(NOTHING, 0), ())
    words = {word.arg: word.value for word in node.keywords}
    default = words.pop("default", None) if kind in (ir.Gather.MIN, ir.Gather.MAX) else None
    if len(node.args) != 1 or words:
        _refuse_form(scope, node)
    argument = node.args[0]
    if isinstance(argument, ast.GeneratorExp):
        return gather(scope, node, kind, argument, default)
    # `sum(xs)` is `sum(x for x in xs)`; the name stands in a scope of its own.
    element = ast.copy_location(ast.Name("item", ast.Load()), argument)
    target = ast.copy_location(ast.Name("item", ast.Store()), argument)
    rounds = ast.comprehension(target=target, iter=argument, ifs=[], is_async=0)
    return gather(scope, node, kind, ast.GeneratorExp(element, [rounds]), default)


def _refuse_form(scope: Scope, node: ast.Call) -> NoReturn:
    cure = "write `sum(x for ...)`, `min((x for ...), default=0)` or `max(a, b)`"
    words = {word.arg: word.value for word in node.keywords}
    if isinstance(key := words.get("key"), ast.Lambda) and node.args:
        cure = _instead_of_key(node, key)
    scope.refuse(
        node,
        "gather-arguments",
        f"{ast.unparse(node.func)} gathers the values of one collection or comprehension",
        "its other forms have no counterpart in every engine",
        cure,
    )


def _instead_of_key(node: ast.Call, key: ast.Lambda) -> str:
    """The cure for the choice of what has the least or greatest of something."""
    name, value = key.args.args[0].arg, ast.unparse(key.body)
    best = f"{ast.unparse(node.func)}({value} for {name} in {ast.unparse(node.args[0])})"
    return f"take the choice as a parameter `{name}` and write `require({value} == {best})`"


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
