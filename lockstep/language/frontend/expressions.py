"""Lower expressions: operators, attributes, subscripts and displays."""

from __future__ import annotations

import ast
import enum
import types
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import (
    Bag,
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    Record,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    domain_of,
)
from lockstep.language.frontend.scope import NewName, Scope, StateName, nearest
from lockstep.language.types import NOTHING, capacity_of, is_disjoint, item_of, join, some_of

_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
_SETS = {ast.BitOr: "|", ast.BitAnd: "&", ast.Sub: "-", ast.BitXor: "^"}
_ORDER: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_BOOL = BoolDomain()

_INSTEAD: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "define a helper function at module level"),
    ast.NamedExpr: ("`:=`", "bind the name in a statement of its own"),
    ast.JoinedStr: ("an f-string", "use an enum or a name from OneOf(...)"),
    ast.List: ("a list", "write a tuple: `(a, b)`"),
    ast.ListComp: ("a list comprehension", "write `tuple(... for ... in ...)`"),
    ast.Dict: ("a dict display", "write a map for all keys: `{k: value for k in Keys}`"),
    ast.Await: ("`await`", "a step is atomic: remove it"),
    ast.Yield: ("`yield`", "use a parameter for each choice"),
    ast.Starred: ("`*`", "write the items out, or use `+`"),
}


def lower_expression(scope: Scope, node: ast.expr) -> ir.Expression:
    """The IR of an expression; `Refused` when it is outside the notation or ill typed."""
    match node:
        case ast.Constant():
            return literal(scope, node, node.value)
        case ast.Name():
            return _name(scope, node)
        case ast.Attribute():
            return _attribute(scope, node)
        case ast.Subscript():
            return _subscript(scope, node)
        case ast.BinOp():
            return _binary(scope, node)
        case ast.UnaryOp():
            return _unary(scope, node)
        case ast.BoolOp():
            items = tuple(condition(scope, value) for value in node.values)
            make = ir.And if isinstance(node.op, ast.And) else ir.Or
            return make(scope.place(node), _BOOL, items)
        case ast.Compare():
            return _comparison(scope, node)
        case ast.IfExp():
            return _conditional(scope, node)
        case ast.Set():
            items = tuple(lower_expression(scope, item) for item in node.elts)
            return ir.MakeSet(scope.place(node), SetDomain(_common(scope, node, items)), items)
        case ast.Tuple():
            items = tuple(lower_expression(scope, item) for item in node.elts)
            domain = SequenceDomain(_common(scope, node, items), len(items))
            return ir.MakeSequence(scope.place(node), domain, items)
        case ast.Call():
            from lockstep.language.frontend.calls import lower_call

            return lower_call(scope, node)
        case ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            from lockstep.language.frontend.comprehensions import lower_comprehension

            return lower_comprehension(scope, node)
        case _:
            what, cure = _INSTEAD.get(type(node), (f"`{ast.unparse(node)}`", "use the notation"))
            scope.refuse(
                node,
                "unsupported-expression",
                f"{what} is not part of the notation",
                "every engine must give each expression the same meaning as Python",
                cure,
            )


def condition(scope: Scope, node: ast.expr) -> ir.Expression:
    """An expression that must be a boolean."""
    lowered = lower_expression(scope, node)
    if lowered.domain != _BOOL:
        cures = {
            SetDomain: "write `len(...) > 0`",
            SequenceDomain: "write `len(...) > 0`",
            OptionDomain: "write `... is not None`",
            RangeDomain: "compare it: `... != 0`",
        }
        scope.refuse(
            node,
            "not-a-condition",
            f"this is {lowered.domain}, not a condition",
            "truth values of other types differ between Python, TLA+ and SMT-LIB",
            cures.get(type(lowered.domain), "compare it with something"),
        )
    return lowered


def integer(scope: Scope, node: ast.expr) -> tuple[ir.Expression, RangeDomain]:
    """An expression that must be an integer, with its interval."""
    lowered = unwrapped(scope, node, lower_expression(scope, node))
    if not isinstance(lowered.domain, RangeDomain):
        why = (
            "names know only equality"
            if isinstance(lowered.domain, NameDomain)
            else "arithmetic and order are defined on integers only"
        )
        scope.refuse(
            node, "not-an-integer", f"this is {lowered.domain}, not an integer", why,
            "use a Range(...) domain for what is counted or compared",
        )  # fmt: skip
    return lowered, lowered.domain


def unwrapped(scope: Scope, node: ast.AST, lowered: ir.Expression) -> ir.Expression:
    """The value inside, where an option is used as what it may hold."""
    if isinstance(lowered.domain, OptionDomain):
        if lowered.domain.some == NOTHING:
            scope.refuse(
                node, "none", "None has no parts", "nothing can be read from it", "remove this"
            )
        return ir.Unwrap(scope.place(node), lowered.domain.some, lowered)
    return lowered


def literal(scope: Scope, node: ast.AST, value: object) -> ir.Expression:
    """A constant of the text, of a module or of the scope."""
    place = scope.place(node)
    if value is None:
        return ir.Literal(place, OptionDomain(NOTHING), None)
    domain = _value_domain(value)
    if domain is None:
        scope.refuse(
            node,
            "not-a-value",
            f"{_written(node)} is {type(value).__name__}, which is no value of the notation",
            "states hold integers, booleans, enum members, names, records and collections",
            "use one of these",
        )
    if isinstance(value, set):
        value = frozenset(value)
    return ir.Literal(place, domain, value)


def _value_domain(value: object) -> Domain | None:
    if type(value) is bool:
        return _BOOL
    if type(value) is int:
        return RangeDomain(value, value)
    if isinstance(value, str):
        return NameDomain((value,))
    if isinstance(value, enum.Enum):
        return EnumDomain(type(value))
    if isinstance(value, Record):
        return RecordDomain(type(value))
    if isinstance(value, tuple | frozenset | set | Bag):
        item: Domain | None = NOTHING
        for part in value:
            inner = _value_domain(part)
            item = None if item is None or inner is None else join(item, inner)
        if item is None:
            return None
        if isinstance(value, tuple):
            return SequenceDomain(item, len(value))
        return BagDomain(item, len(value)) if isinstance(value, Bag) else SetDomain(item)
    return None


def _name(scope: Scope, node: ast.Name) -> ir.Expression:
    binding = scope.names.get(node.id)
    if isinstance(binding, ir.Expression):
        return binding
    if isinstance(binding, StateName):
        scope.refuse(
            node, "whole-state", f"{node.id} is the whole state", "only its variables are values",
            f"name a variable: `{node.id}.variable`",
        )  # fmt: skip
    if isinstance(binding, NewName):
        scope.refuse(
            node, "read-of-new", f"{node.id} cannot be read", "`new` is write-only in an action",
            "read the state before, `s`, or keep the value in a local name",
        )  # fmt: skip
    return literal(scope, node, scope.global_value(node))


def _attribute(scope: Scope, node: ast.Attribute) -> ir.Expression:
    if isinstance(node.value, ast.Name):
        binding = scope.names.get(node.value.id)
        if isinstance(binding, StateName):
            return _variable(scope, node, binding)
        if binding is None:
            owner = scope.global_value(node.value)
            if isinstance(owner, types.ModuleType) or (
                isinstance(owner, type) and issubclass(owner, enum.Enum)
            ):
                if not hasattr(owner, node.attr):
                    known = [name for name in vars(owner) if not name.startswith("_")]
                    scope.refuse(
                        node, "unknown-attribute", f"{node.value.id} has no {node.attr}",
                        "it is not defined there", nearest(node.attr, known, "define it there"),
                    )  # fmt: skip
                return literal(scope, node, getattr(owner, node.attr))
    record = unwrapped(scope, node.value, lower_expression(scope, node.value))
    if not isinstance(record.domain, RecordDomain):
        scope.refuse(
            node, "not-a-record", f"this is {record.domain}, which has no field {node.attr}",
            "only records have fields", "index a map or sequence with [...]",
        )  # fmt: skip
    fields = record.domain.record.fields
    if node.attr not in fields:
        scope.refuse(
            node, "unknown-field", f"{record.domain} has no field {node.attr}",
            f"its fields are {', '.join(fields)}",
            nearest(node.attr, list(fields), "add the field to the record"),
        )  # fmt: skip
    position = list(fields).index(node.attr)
    return ir.Field(scope.place(node), fields[node.attr], record, node.attr, position)


def _variable(scope: Scope, node: ast.Attribute, state: StateName) -> ir.Expression:
    if node.attr not in scope.variables:
        scope.refuse(
            node, "unknown-variable", f"there is no variable {node.attr}",
            f"the variables are {', '.join(scope.variables)}",
            nearest(node.attr, list(scope.variables), "declare it in the state class"),
        )  # fmt: skip
    return ir.Read(scope.place(node), scope.variables[node.attr], node.attr, state.after)


def _subscript(scope: Scope, node: ast.Subscript) -> ir.Expression:
    whole = unwrapped(scope, node.value, lower_expression(scope, node.value))
    place = scope.place(node)
    if isinstance(node.slice, ast.Slice):
        if not isinstance(whole.domain, SequenceDomain) or node.slice.step is not None:
            scope.refuse(
                node, "slice", f"{whole.domain} cannot be sliced like this",
                "only sequences have stretches, and only whole ones", "write `q[start:stop]`",
            )  # fmt: skip
        start, stop = (
            None if end is None else _position(scope, end)
            for end in (node.slice.lower, node.slice.upper)
        )
        return ir.Slice(place, whole.domain, whole, start, stop)
    if isinstance(whole.domain, SequenceDomain):
        index = _position(scope, node.slice)
        return ir.Item(place, whole.domain.item, whole, index)
    if isinstance(whole.domain, MapDomain):
        return ir.Lookup(place, whole.domain.value, whole, map_key(scope, node.slice, whole.domain))
    scope.refuse(
        node, "not-indexable", f"{whole.domain} has nothing at [...]",
        "only maps and sequences are indexed", "use `in` to ask whether a set has an item",
    )  # fmt: skip


def map_key(scope: Scope, node: ast.expr, domain: MapDomain) -> ir.Expression:
    """An expression that is used as a key of a map."""
    key = unwrapped(scope, node, lower_expression(scope, node))
    if join(key.domain, domain.key) is None or is_disjoint(key.domain, domain.key):
        scope.refuse(
            node, "wrong-key", f"{key.domain} is no key of {domain}",
            "a total map is defined on its keys only", f"use a value of {domain.key}",
        )  # fmt: skip
    return key


def _position(scope: Scope, node: ast.expr) -> ir.Expression:
    index, interval = integer(scope, node)
    if interval.low < 0 and not (isinstance(index, ir.Literal) or isinstance(node, ast.UnaryOp)):
        scope.refuse(
            node, "negative-index", f"this index may be negative: {interval}",
            "Python would silently count from the end",
            "keep the index at 0 or more; only a literal such as -1 may count from the end",
        )  # fmt: skip
    return index


def _binary(scope: Scope, node: ast.BinOp) -> ir.Expression:
    left = unwrapped(scope, node.left, lower_expression(scope, node.left))
    right = unwrapped(scope, node.right, lower_expression(scope, node.right))
    place, kind = scope.place(node), type(node.op)
    if isinstance(left.domain, SetDomain) and isinstance(right.domain, SetDomain):
        both = join(left.domain, right.domain)
        if kind in _SETS and both is not None:
            domain = left.domain if kind in (ast.Sub, ast.BitAnd) else both
            return ir.SetOperation(place, domain, _SETS[kind], left, right)
    if isinstance(left.domain, SequenceDomain) and isinstance(right.domain, SequenceDomain):
        item = join(left.domain.item, right.domain.item)
        if kind is ast.Add and item is not None:
            capacity = left.domain.capacity + right.domain.capacity
            return ir.Concatenate(place, SequenceDomain(item, capacity), left, right)
    if (
        isinstance(left.domain, RangeDomain)
        and isinstance(right.domain, RangeDomain)
        and kind in _ARITHMETIC
    ):
        operator = _ARITHMETIC[kind]
        interval = _interval(scope, node, operator, left.domain, right.domain)
        return ir.Arithmetic(place, interval, operator, left, right)
    scope.refuse(
        node, "operator", f"this operator is not defined on {left.domain} and {right.domain}",
        "integers have + - * // %, sets | & - ^, sequences +",
        "bring both sides to one of these",
    )  # fmt: skip


def _interval(
    scope: Scope, node: ast.BinOp, operator: str, left: RangeDomain, right: RangeDomain
) -> RangeDomain:
    if operator in ("//", "%"):
        if right.low <= 0 <= right.high and right.low == right.high:
            scope.refuse(
                node,
                "division-by-zero",
                "this divides by zero",
                "it has no value",
                "divide by another",
            )
        divisors = [d for d in {right.low, right.high, -1, 1} if d and right.low <= d <= right.high]
        if operator == "%":
            largest = max(abs(d) for d in divisors)
            return RangeDomain(
                -largest + 1 if right.low < 0 else 0, largest - 1 if right.high > 0 else 0
            )
        corners = [n // d for n in (left.low, left.high) for d in divisors]
    elif operator == "*":
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    elif operator == "+":
        corners = [left.low + right.low, left.high + right.high]
    else:
        corners = [left.low - right.high, left.high - right.low]
    return RangeDomain(min(corners), max(corners))


def _unary(scope: Scope, node: ast.UnaryOp) -> ir.Expression:
    if isinstance(node.op, ast.Not):
        return ir.Not(scope.place(node), _BOOL, condition(scope, node.operand))
    if isinstance(node.op, ast.USub):
        operand, interval = integer(scope, node.operand)
        if isinstance(operand, ir.Literal):
            return literal(scope, node, -operand.value)
        return ir.Negate(scope.place(node), RangeDomain(-interval.high, -interval.low), operand)
    scope.refuse(
        node, "operator", "only `-` and `not` stand before a value",
        "bits of integers have no meaning in a model", "use arithmetic or sets",
    )  # fmt: skip


def _comparison(scope: Scope, node: ast.Compare) -> ir.Expression:
    place = scope.place(node)
    parts: list[ir.Expression] = []
    left_node = node.left
    left = lower_expression(scope, left_node)
    for index, (operator, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = lower_expression(scope, right_node)
        if index + 1 < len(node.ops) and not isinstance(right, ir.Literal | ir.Local | ir.Read):
            scope.refuse(
                right_node, "chained-comparison", "this would be evaluated twice",
                "a chain compares its middle with both neighbours", "bind it to a name first",
            )  # fmt: skip
        parts.append(_compare(scope, node, operator, left_node, left, right_node, right))
        left_node, left = right_node, right
    return parts[0] if len(parts) == 1 else ir.And(place, _BOOL, tuple(parts))


def _compare(
    scope: Scope,
    node: ast.Compare,
    operator: ast.cmpop,
    left_node: ast.expr,
    left: ir.Expression,
    right_node: ast.expr,
    right: ir.Expression,
) -> ir.Expression:
    place = scope.place(node)
    if isinstance(operator, ast.Is | ast.IsNot):
        return _is_none(scope, node, left, right, isinstance(operator, ast.IsNot))
    if isinstance(operator, ast.In | ast.NotIn):
        found = _contains(scope, node, left, right_node, right)
        return ir.Not(place, _BOOL, found) if isinstance(operator, ast.NotIn) else found
    if isinstance(operator, ast.Eq | ast.NotEq):
        if any(isinstance(side, ir.Literal) and side.value is None for side in (left, right)):
            scope.refuse(
                node, "compared-with-none", "None is compared with ==", "it is not a value",
                "write `is None` or `is not None`",
            )  # fmt: skip
        if join(left.domain, right.domain) is None:
            scope.refuse(
                node, "never-equal", f"{left.domain} and {right.domain} are never equal",
                "they are of different kinds", "compare values of one kind",
            )  # fmt: skip
        return ir.Compare(place, _BOOL, "==" if isinstance(operator, ast.Eq) else "!=", left, right)
    left, right = unwrapped(scope, left_node, left), unwrapped(scope, right_node, right)
    if isinstance(left.domain, SetDomain) and isinstance(right.domain, SetDomain):
        if isinstance(operator, ast.Gt | ast.GtE):
            left, right = right, left
        return ir.Subset(place, _BOOL, isinstance(operator, ast.Lt | ast.Gt), left, right)
    if not isinstance(left.domain, RangeDomain) or not isinstance(right.domain, RangeDomain):
        scope.refuse(
            node, "not-ordered", f"{left.domain} and {right.domain} have no order",
            "only integers are ordered (and sets by inclusion)", "compare with == or !=",
        )  # fmt: skip
    return ir.Compare(place, _BOOL, _ORDER[type(operator)], left, right)


def _is_none(
    scope: Scope, node: ast.Compare, left: ir.Expression, right: ir.Expression, negated: bool
) -> ir.Expression:
    place = scope.place(node)
    if not (isinstance(right, ir.Literal) and right.value is None):
        scope.refuse(node, "is", "`is` compares identity", "values have none", "write == or !=")
    if not isinstance(left.domain, OptionDomain):
        scope.refuse(
            node, "never-none", f"this is {left.domain}, which is never None",
            "only optional values can be None", "remove the test",
        )  # fmt: skip
    test = ir.IsNone(place, _BOOL, left)
    return ir.Not(place, _BOOL, test) if negated else test


def _contains(
    scope: Scope, node: ast.Compare, left: ir.Expression, right_node: ast.expr, right: ir.Expression
) -> ir.Expression:
    collection = unwrapped(scope, right_node, right)
    item = item_of(collection.domain)
    if item is None or isinstance(collection.domain, MapDomain):
        scope.refuse(
            node, "not-a-collection", f"{collection.domain} has no members to look for",
            "`in` asks a set, a sequence or a bag", "compare with == or index with [...]",
        )  # fmt: skip
    if join(left.domain, item) is None:
        scope.refuse(
            node, "never-in", f"{left.domain} is never in {collection.domain}",
            "the items are of another kind", "look for a value of the items' kind",
        )  # fmt: skip
    return ir.Contains(scope.place(node), _BOOL, left, collection)


def _conditional(scope: Scope, node: ast.IfExp) -> ir.Expression:
    test = condition(scope, node.test)
    then, otherwise = lower_expression(scope, node.body), lower_expression(scope, node.orelse)
    domain = join(then.domain, otherwise.domain)
    if domain is None:
        scope.refuse(
            node, "two-types", f"this is {then.domain} or {otherwise.domain}",
            "an expression has one kind of value", "give both branches values of one kind",
        )  # fmt: skip
    return ir.Conditional(scope.place(node), domain, test, then, otherwise)


def _common(scope: Scope, node: ast.AST, items: tuple[ir.Expression, ...]) -> Domain:
    common: Domain = NOTHING
    for item in items:
        both = join(common, item.domain)
        if both is None:
            scope.refuse(
                node, "mixed-items", f"items of {common} and of {item.domain} stand together",
                "the items of a collection are of one kind", "use a record",
            )  # fmt: skip
        common = both
    if not (common.is_scalar or isinstance(common, RecordDomain) or common == NOTHING):
        scope.refuse(
            node, "nested-collection", f"items of {common} stand in a collection",
            "items are atoms or records", "wrap the inner value in a record",
        )  # fmt: skip
    return common


def _written(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.expr) else "this"


def bounded_sum(body: RangeDomain, times: int) -> RangeDomain:
    """The interval of a sum of at most `times` values."""
    return RangeDomain(min(0, body.low * times), max(0, body.high * times))


def domain_in(scope: Scope, node: ast.expr) -> Domain | None:
    """The domain that a name stands for when it is iterated over; None when it is no domain."""
    value: Any = None
    if isinstance(node, ast.Name) and node.id not in scope.names:
        value = scope.global_value(node)
    elif (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id not in scope.names
    ):
        value = getattr(scope.global_value(node.value), node.attr, None)
    try:
        return domain_of(value, "")
    except TypeError:
        return None


__all__ = [
    "bounded_sum",
    "capacity_of",
    "condition",
    "domain_in",
    "integer",
    "literal",
    "lower_expression",
    "map_key",
    "some_of",
    "unwrapped",
]
