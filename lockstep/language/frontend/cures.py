"""What to write instead of Python that changes a value in place, or calls a method of one."""

from __future__ import annotations

import ast
import enum

from lockstep.language.domains import (
    Domain,
    EnumDomain,
    MapDomain,
    SequenceDomain,
    SetDomain,
    domain_of,
)
from lockstep.language.frontend.scope import NewName, Refused, Scope, StateName
from lockstep.language.ir import Expression
from lockstep.language.types import some_of

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
"""The operators of integers."""
OF_SETS: dict[type[ast.operator], str] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.Sub: "-",
    ast.BitXor: "^",
}
"""The operators of sets."""
_SETS = {
    "add": "{whole} | {{{first}}}",
    "remove": "{whole} - {{{first}}}",
    "discard": "{whole} - {{{first}}}",
    "union": "{whole} | {first}",
    "update": "{whole} | {first}",
    "intersection": "{whole} & {first}",
    "difference": "{whole} - {first}",
    "symmetric_difference": "{whole} ^ {first}",
    "issubset": "{whole} <= {first}",
    "issuperset": "{whole} >= {first}",
    "clear": "set()",
    "copy": "{whole}",
}
_SEQUENCES = {
    "append": "{whole} + ({first},)",
    "extend": "{whole} + {first}",
    "insert": "({last},) + {whole}",
    "count": "sum(1 for item in {whole} if item == {first})",
    "clear": "()",
    "copy": "{whole}",
}
_MAPS = {
    "items": "{whole}[k] for k in {keys}",
    "values": "{whole}[k] for k in {keys}",
    "keys": "k for k in {keys}",
    "get": "{whole}[{first}]",
    "copy": "{whole}",
}


def instead_of_method(scope: Scope, node: ast.Call, domain: Domain) -> str:
    """The cure for a method that a value does not have."""
    assert isinstance(node.func, ast.Attribute)
    method, whole = node.func.attr, ast.unparse(node.func.value)
    if isinstance(some_of(domain), SequenceDomain) and method == "pop":
        first = bool(node.args)
        return f"take the item by `{whole}[{0 if first else -1}]`, and keep the others: " + (
            f"`{whole}[1:]`" if first else f"`{whole}[:-1]`"
        )
    text = _expression(scope, node, whole, domain)
    if text is not None:
        return f"write `{text}`"
    return "write `s | {x}` or `s - {x}` for a set, `q + (x,)` for a sequence, `m[k]` for a map"


def instead_of_change(scope: Scope, node: ast.Call) -> str | None:
    """The cure for a method called to change a value in place; None where it is none."""
    if not isinstance(node.func, ast.Attribute):
        return None
    if isinstance(node.func.value, ast.Name) and not scope.is_local(node.func.value.id):
        return None
    target, method = ast.unparse(_written(scope, node.func.value)), node.func.attr
    read = _read(scope, node.func.value)
    value = _lowered(scope, read)
    if value is None:
        return None
    domain, whole = some_of(value.domain), ast.unparse(read)
    pairs = node.args[0] if node.args else None
    if isinstance(domain, MapDomain) and method == "update" and isinstance(pairs, ast.Dict):
        writes = zip(pairs.keys, pairs.values, strict=True)
        lines = (f"`{target}[{ast.unparse(k)}] = {ast.unparse(v)}`" for k, v in writes if k)
        return f"write {', '.join(lines)}"
    if isinstance(domain, SequenceDomain) and method == "pop":
        return f"write `{target} = {whole}[{'1:' if node.args else ':-1'}]`"
    text = _expression(scope, node, whole, domain)
    return None if text is None or isinstance(domain, MapDomain) else f"write `{target} = {text}`"


def instead_of_augmented(scope: Scope, line: ast.AugAssign) -> str:
    """The cure for `x += 1`, in a local, a variable or a part of one."""
    target = ast.unparse(_written(scope, line.target))
    operator = (ARITHMETIC | OF_SETS).get(type(line.op))
    if operator is None:
        return f"write `{target} = ...`, with one of the operators + - * // % | & ^"
    value = ast.BinOp(_read(scope, line.target), line.op, line.value)
    return f"write `{target} = {ast.unparse(value)}`"


def instead_of_unpacking(scope: Scope, part: ast.comprehension) -> str:
    """The cure for `for a, b in ...`."""
    source = part.iter
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        value = _lowered(scope, source.func.value)
        if source.func.attr == "items" and value is not None:
            domain, whole = some_of(value.domain), ast.unparse(source.func.value)
            if isinstance(domain, MapDomain):
                key = ast.unparse(part.target).strip("()").split(",")[0]
                keys = name_of(scope, domain.key)
                return f"write `for {key} in {keys}`, and read its value as `{whole}[{key}]`"
    name = ast.unparse(source.func) if isinstance(source, ast.Call) else ""
    if isinstance(source, ast.Call) and source.args and name in ("enumerate", "zip"):
        whole = ast.unparse(source.args[0])
        return f"write `for i in range(len({whole}))`, and read the item as `{whole}[i]`"
    return "name the item, and read its fields"


def as_member(domain: Domain, name: object) -> str | None:
    """The member of an enum that a text names, as it is written; None where it names none."""
    enumeration = some_of(domain)
    if not isinstance(enumeration, EnumDomain) or not isinstance(name, str):
        return None
    wanted = name.upper()
    for member in enumeration.members_of:
        if wanted in (member.name.upper(), str(member.value).upper()):
            return f"{enumeration.members_of.__name__}.{member.name}"
    return None


def name_of(scope: Scope, domain: Domain) -> str:
    """What a domain is called in the text, or a word that stands for it."""
    if isinstance(domain, EnumDomain):
        return domain.members_of.__name__
    for name, value in scope.module.items():
        is_domain = isinstance(value, Domain | enum.EnumType) and not name.startswith("_")
        if is_domain and domain_of(value, name) == domain:
            return name
    return "Keys"


def _expression(scope: Scope, node: ast.Call, whole: str, domain: Domain) -> str | None:
    assert isinstance(node.func, ast.Attribute)
    forms: dict[str, str] = {}
    keys = ""
    match some_of(domain):
        case SetDomain():
            forms = _SETS
        case SequenceDomain():
            forms = _SEQUENCES
        case MapDomain(key):
            forms, keys = _MAPS, name_of(scope, key)
    form = forms.get(node.func.attr)
    if form is None or ("{first}" in form and not node.args):
        return None
    given = [ast.unparse(argument) for argument in node.args] or [""]
    return form.format(whole=whole, first=given[0], last=given[-1], keys=keys)


def _written(scope: Scope, node: ast.expr) -> ast.expr:
    """A target as it is written: a part of `new`, whichever state was meant to be changed."""
    return _with_root(scope, node, StateName, NewName)


def _read(scope: Scope, node: ast.expr) -> ast.expr:
    """The same target as it is read: a part of the state before."""
    return _with_root(scope, node, NewName, StateName)


def _with_root(
    scope: Scope, node: ast.expr, old: type[StateName | NewName], new: type[StateName | NewName]
) -> ast.expr:
    match node:
        case ast.Name(name) if isinstance(scope.names.get(name), old):
            names = (name for name, bound in scope.names.items() if isinstance(bound, new))
            return ast.copy_location(ast.Name(next(names, name), ast.Load()), node)
        case ast.Attribute(value, name):
            changed = ast.Attribute(_with_root(scope, value, old, new), name, ast.Load())
            return ast.copy_location(changed, node)
        case ast.Subscript(value, key):
            whole = _with_root(scope, value, old, new)
            return ast.copy_location(ast.Subscript(whole, key, ast.Load()), node)
    return node


def _lowered(scope: Scope, node: ast.expr) -> Expression | None:
    try:
        return scope.lower(node)
    except Refused:
        return None
