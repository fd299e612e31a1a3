"""Lower calls: built-in functions, records, methods of bags, and helpers, which are inlined."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import lockstep.language.notation as notation
import lockstep.language.values as values
from lockstep.language import ir
from lockstep.language.domains import (
    BagDomain,
    Domain,
    MapDomain,
    RangeDomain,
    Record,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    domain_of,
)
from lockstep.language.frontend.comprehensions import gather
from lockstep.language.frontend.expressions import integer, lower_expression, unwrapped
from lockstep.language.frontend.scope import Binding, NewName, Scope, StateName, nearest
from lockstep.language.types import NOTHING, capacity_of, is_disjoint, item_of, join

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
    if isinstance(node.func, ast.Attribute):
        method = _bag_method(scope, node, node.func)
        if method is not None:
            return method
    called = callee(scope, node)
    if called is len:
        return _size(scope, node)
    if called is abs:
        operand, interval = integer(scope, _only_argument(scope, node))
        largest = max(abs(interval.low), abs(interval.high))
        negative = ir.Negate(operand.place, RangeDomain(-interval.high, -interval.low), operand)
        return ir.Extremum(scope.place(node), RangeDomain(0, largest), True, (operand, negative))
    if called is values.Bag:
        return _bag(scope, node)
    if called is values.replace:
        return _replace(scope, node)
    if isinstance(called, type) and issubclass(called, Record):
        return _record(scope, node, called)
    if called in _GATHERS:
        return _gathered(scope, node, _GATHERS[called])
    if callable(called) and scope.universe.definition(called) is not None:
        from lockstep.language.frontend.functions import inline_helper

        return inline_helper(scope, node, called)
    scope.refuse(
        node, "unknown-call", f"{ast.unparse(node.func)} cannot be called in a model",
        "its meaning is not known to every engine",
        "use len, abs, min, max, sum, all, any, set, tuple, a record, or a helper of your own",
    )  # fmt: skip


def callee(scope: Scope, node: ast.Call) -> Any:
    """What is being called: a module-level or built-in value."""
    if isinstance(node.func, ast.Name) and node.func.id not in scope.names:
        return scope.global_value(node.func)
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        owner = (
            scope.global_value(node.func.value) if node.func.value.id not in scope.names else None
        )
        return getattr(owner, node.func.attr, None)
    return None


def bind_arguments(
    scope: Scope, node: ast.Call, function: Callable[..., Any], definition: ast.FunctionDef
) -> tuple[dict[str, Binding], list[tuple[int, ir.Expression]]]:
    """Bind a call's arguments to a function's parameters.

    Returns what each parameter name means inside, and the slots to bind first: an argument is
    evaluated once, before the body, as Python does.
    """
    if function in scope.calls:
        scope.refuse(
            node, "recursion", f"{definition.name} calls itself", "calls are inlined",
            "iterate over a domain or a collection instead",
        )  # fmt: skip
    parameters = [parameter.arg for parameter in definition.args.args]
    arguments = dict(zip(parameters, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in parameters or keyword.arg in arguments:
            scope.refuse(
                node, "arguments", f"{definition.name} cannot take this argument",
                f"its parameters are {', '.join(parameters)}", "name each parameter once",
            )  # fmt: skip
        arguments[keyword.arg] = keyword.value
    if len(node.args) > len(parameters) or set(arguments) != set(parameters):
        scope.refuse(
            node, "arguments", f"{definition.name} takes {len(parameters)} arguments",
            f"its parameters are {', '.join(parameters)}", "give a value for each",
        )  # fmt: skip
    names: dict[str, Binding] = {}
    slots = []
    for parameter, annotation in zip(parameters, definition.args.args, strict=True):
        argument = arguments[parameter]
        passed = scope.names.get(argument.id) if isinstance(argument, ast.Name) else None
        if isinstance(passed, StateName | NewName):
            names[parameter] = passed
            continue
        lowered = lower_expression(scope, argument)
        _check_annotation(scope, argument, lowered, function, annotation)
        if isinstance(lowered, ir.Literal | ir.Local):
            names[parameter] = lowered
            continue
        slot = scope.slots.fresh()
        names[parameter] = ir.Local(lowered.place, lowered.domain, slot)
        slots.append((slot, lowered))
    return names, slots


def _check_annotation(
    scope: Scope,
    node: ast.expr,
    lowered: ir.Expression,
    function: Callable[..., Any],
    parameter: ast.arg,
) -> None:
    hint = function.__annotations__.get(parameter.arg)
    if hint is None:
        return
    try:
        declared = domain_of(hint, parameter.arg)
    except TypeError:
        return
    if join(declared, lowered.domain) is None:
        scope.refuse(
            node, "argument-type", f"this is {lowered.domain}, but {parameter.arg} is {declared}",
            f"{function.__name__} says so in its signature", f"pass a value of {declared}",
        )  # fmt: skip


def _only_argument(scope: Scope, node: ast.Call) -> ast.expr:
    if len(node.args) != 1 or node.keywords:
        scope.refuse(
            node, "arguments", f"{ast.unparse(node.func)} takes one argument here",
            "that is all it means in a model", "pass one value",
        )  # fmt: skip
    return node.args[0]


def _size(scope: Scope, node: ast.Call) -> ir.Expression:
    argument = _only_argument(scope, node)
    collection = unwrapped(scope, argument, lower_expression(scope, argument))
    if item_of(collection.domain) is None:
        scope.refuse(
            node, "not-a-collection", f"{collection.domain} has no length",
            "only sets, sequences, bags and maps have one", "count something else",
        )  # fmt: skip
    if isinstance(collection.domain, MapDomain):
        size = collection.domain.key.size()
        return ir.Literal(scope.place(node), RangeDomain(size, size), size)
    return ir.Size(scope.place(node), RangeDomain(0, capacity_of(collection.domain)), collection)


def _gathered(scope: Scope, node: ast.Call, kind: ir.Gather) -> ir.Expression:
    place = scope.place(node)
    default = next((word.value for word in node.keywords if word.arg == "default"), None)
    if len(node.keywords) > (default is not None):
        _only_argument(scope, node)
    if kind in (ir.Gather.MIN, ir.Gather.MAX) and len(node.args) > 1 and default is None:
        parts = [integer(scope, argument) for argument in node.args]
        largest = kind is ir.Gather.MAX
        pick = max if largest else min
        interval = RangeDomain(
            pick(part.low for _, part in parts), pick(part.high for _, part in parts)
        )
        return ir.Extremum(place, interval, largest, tuple(item for item, _ in parts))
    if not node.args and kind is ir.Gather.SET:
        return ir.MakeSet(place, SetDomain(NOTHING), ())
    if not node.args and kind is ir.Gather.SEQUENCE:
        return ir.MakeSequence(place, SequenceDomain(NOTHING, 0), ())
    if len(node.args) != 1:
        _only_argument(scope, node)
    argument = node.args[0]
    if isinstance(argument, ast.GeneratorExp):
        return gather(scope, node, kind, argument.generators, argument.elt, default)
    item = ast.copy_location(ast.Name("item", ast.Load()), argument)
    target = ast.copy_location(ast.Name("item", ast.Store()), argument)
    each = ast.comprehension(target=target, iter=argument, ifs=[], is_async=0)
    return gather(scope, node, kind, [each], item, default)


def _record(scope: Scope, node: ast.Call, record: type[Record]) -> ir.Expression:
    names = list(record.fields)
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in names or keyword.arg in given:
            scope.refuse(
                keyword.value, "unknown-field", f"{record.__name__} has no field {keyword.arg}",
                f"its fields are {', '.join(names)}",
                nearest(str(keyword.arg), names, "add the field to the record"),
            )  # fmt: skip
        given[keyword.arg] = keyword.value
    missing = [name for name in names if name not in given]
    if missing or len(node.args) > len(names):
        scope.refuse(
            node, "record", f"{record.__name__} lacks {', '.join(missing) or 'room'}",
            "a record has a value for every field", f"give {', '.join(names)}",
        )  # fmt: skip
    parts = {name: checked(scope, given[name], record.fields[name], name) for name in given}
    return ir.MakeRecord(
        scope.place(node), RecordDomain(record), record, tuple(parts[name] for name in names)
    )


def _replace(scope: Scope, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1:
        scope.refuse(
            node, "arguments", "replace takes a record and named changes", "that is what it means",
            "write replace(record, field=value)",
        )  # fmt: skip
    old = unwrapped(scope, node.args[0], lower_expression(scope, node.args[0]))
    if not isinstance(old.domain, RecordDomain):
        scope.refuse(
            node, "not-a-record", f"{old.domain} is no record", "only records have fields",
            "change a map with `{k: ... for k in Keys}`",
        )  # fmt: skip
    record = old.domain.record
    slot = scope.slots.fresh()
    kept = ir.Local(old.place, old.domain, slot)
    changes = {word.arg: word.value for word in node.keywords}
    for name in changes:
        if name not in record.fields:
            scope.refuse(
                node, "unknown-field", f"{record.__name__} has no field {name}",
                f"its fields are {', '.join(record.fields)}",
                nearest(str(name), list(record.fields), "add the field to the record"),
            )  # fmt: skip
    parts: list[ir.Expression] = []
    for position, (name, domain) in enumerate(record.fields.items()):
        if name in changes:
            parts.append(checked(scope, changes[name], domain, name))
        else:
            parts.append(ir.Field(old.place, domain, kept, name, position))
    place = scope.place(node)
    made = ir.MakeRecord(place, old.domain, record, tuple(parts))
    return ir.Let(place, old.domain, slot, old, made)


def checked(scope: Scope, node: ast.expr, domain: Domain, place: str) -> ir.Expression:
    """An expression whose value will be stored in `domain`; refused when it never fits."""
    lowered = lower_expression(scope, node)
    if join(lowered.domain, domain) is None:
        scope.refuse(
            node, "wrong-type", f"this is {lowered.domain}, but {place} is {domain}",
            "a value is stored only in a domain of its kind", f"give a value of {domain}",
        )  # fmt: skip
    if is_disjoint(lowered.domain, domain) and not scope.slots.unreachable:
        scope.refuse(
            node, "outside-domain", f"this is {lowered.domain}, and {place} is {domain}",
            "no value of the one is in the other", "widen the domain or mend the value",
        )  # fmt: skip
    return lowered


def _bag(scope: Scope, node: ast.Call) -> ir.Expression:
    if not node.args and not node.keywords:
        return ir.MakeBag(scope.place(node), BagDomain(NOTHING, 0), ())
    argument = _only_argument(scope, node)
    items = lower_expression(scope, argument)
    if not isinstance(items, ir.MakeSequence) or not isinstance(items.domain, SequenceDomain):
        scope.refuse(
            node, "bag", "a bag is made from a tuple written out", "its size must be known",
            "write Bag((x, y)), or add to a bag with .add(x)",
        )  # fmt: skip
    domain = BagDomain(items.domain.item, items.domain.capacity)
    return ir.MakeBag(scope.place(node), domain, items.items)


def _bag_method(scope: Scope, node: ast.Call, func: ast.Attribute) -> ir.Expression | None:
    if func.attr not in ("add", "remove", "count"):
        return None
    if isinstance(func.value, ast.Name) and func.value.id not in scope.names:
        return None
    bag = unwrapped(scope, func.value, lower_expression(scope, func.value))
    if not isinstance(bag.domain, BagDomain):
        scope.refuse(
            node, "method", f"{bag.domain} has no method {func.attr}",
            "only bags have methods; other values have operators",
            "write `s | {x}` for a set, `q + (x,)` for a sequence",
        )  # fmt: skip
    argument = _only_argument(scope, node)
    item = lower_expression(scope, argument)
    joined = join(bag.domain.item, item.domain)
    if joined is None:
        scope.refuse(
            node, "never-in", f"{item.domain} is never in {bag.domain}",
            "the items are of another kind", "use a value of the items' kind",
        )  # fmt: skip
    place = scope.place(node)
    if func.attr == "count":
        return ir.BagCount(place, RangeDomain(0, bag.domain.capacity), bag, item)
    if func.attr == "remove":
        return ir.BagRemove(place, bag.domain, bag, item)
    return ir.BagAdd(place, BagDomain(joined, bag.domain.capacity + 1), bag, item)


__all__ = ["bind_arguments", "callee", "checked", "lower_call", "notation"]
