"""Lower any expression: which kind of syntax goes where, and the kinds that are simple."""

from __future__ import annotations

import ast

from lockstep.language import ir
from lockstep.language.domains import SequenceDomain, SetDomain
from lockstep.language.frontend.arithmetic import lower_binary, lower_unary
from lockstep.language.frontend.calls import lower_call
from lockstep.language.frontend.comparisons import lower_comparison
from lockstep.language.frontend.comprehensions import gather, lower_generator, total_map
from lockstep.language.frontend.expected import BOOL, common, condition, either, item
from lockstep.language.frontend.facts import narrowed
from lockstep.language.frontend.indexing import lower_subscript
from lockstep.language.frontend.names import literal, lower_attribute, lower_name
from lockstep.language.frontend.scope import Scope

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
