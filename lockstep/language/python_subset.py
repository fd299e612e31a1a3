"""What of Python a model's files may hold: all that is the same in every process, and no more.

The front end reads the functions of a model. What Python makes while the files are loaded
(constants, domains, classes) is taken as it is. So it has to be the same whenever the text is
loaded, and its classes have to compare, hash and read their values as lockstep's own do: plain
Python would go by anything else, and no other engine would.
"""

from __future__ import annotations

import ast
import builtins
import operator
import types
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, EnumType, unique
from pathlib import Path
from typing import Any

import lockstep
from lockstep.language.notation import State
from lockstep.language.records import FieldedType, Record
from lockstep.language.source import Diagnostic, Place
from lockstep.language.syntax import FUNCTIONS
from lockstep.language.values import OrderedSet, with_ordered_views

_SETS = "<sets>"
"""What a model's text knows `OrderedSet` by; no name that is written can be that."""
_VIEWS = "<views>"
"""What it knows `with_ordered_views` by."""

_DIFFERENT = {
    "hash": "the hash of a text is another number in every process",
    "id": "an address is another number in every process",
    "input": "what is typed is no part of the text",
    "print": "what is printed would stand before the JSON that a command prints",
    "open": "what a file holds is no part of the text: a kept answer would outlive it",
}
_MACHINERY = frozenset(
    {"breakpoint", "classmethod", "compile", "copyright", "credits", "delattr", "dir", "eval"}
    | {
        "exec",
        "exit",
        "getattr",
        "globals",
        "hasattr",
        "help",
        "license",
        "locals",
        "memoryview",
        "property",
        "quit",
        "setattr",
    }
    | {"staticmethod", "super", "type", "vars"}
)

BUILTINS: Mapping[str, object] = {
    name: value
    for name, value in vars(builtins).items()
    if name not in _DIFFERENT and name not in _MACHINERY
} | {"set": OrderedSet, "frozenset": OrderedSet, _SETS: OrderedSet, _VIEWS: with_ordered_views}
"""What Python's own names mean in a model's files."""


def why_not_here(name: str) -> str | None:
    """Why a model cannot use a name of Python's own; None for any other name."""
    if name in _MACHINERY:
        return "it reaches around the text, which is all that the engines read"
    return _DIFFERENT.get(name)


class _EnumType(EnumType):
    """Enums are classes whose text has their members: a call could give them methods."""

    def __call__(cls, value: object, *names: object, **options: object) -> Any:
        if names or options:
            raise TypeError("members are listed in a class: write `class Name(Enum):`")
        return super().__call__(value)

    def __setattr__(cls, name: str, value: object) -> None:
        if cls is globals().get("_Enum"):
            raise TypeError(f"{cls.__name__}.{name} cannot be set: the class is made already")
        super().__setattr__(name, value)


class _Enum(Enum, metaclass=_EnumType):
    pass


def namespace(name: str, wanted: Iterable[str]) -> types.ModuleType | None:
    """What a model imports from `lockstep` and `enum`; None for any other module.

    `ImportError` for a name that is none of the notation's.
    """
    members: Mapping[str, object]
    if name == "lockstep":
        members = {word: getattr(lockstep, word) for word in lockstep.__all__}
    elif name == "enum":
        members = {"Enum": _Enum, "unique": unique}
    else:
        return None
    for word in wanted:  # Python would look for a module of that name
        if word not in members and word != "*":
            raise ImportError(f"cannot import name {word!r} from {name!r}")
    module = types.ModuleType(name)
    vars(module).update(members, __all__=list(members))
    return module


def runnable(tree: ast.Module) -> ast.Module:
    """The syntax as it is run: each set that is written keeps the order of its items."""
    changed = _with_ordered_sets(tree)
    assert isinstance(changed, ast.Module)
    return changed


def _with_ordered_sets(node: ast.AST) -> ast.AST:
    """The same node where it holds no set; else another one, so that the text stays as it is."""
    if isinstance(node, ast.MatchValue):
        return node  # a dotted name, which cannot be anything else there
    changed: dict[str, object] = {}
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            part = _with_ordered_sets(value)
            if part is not value:
                changed[field] = part
        elif isinstance(value, list):
            parts = [_with_ordered_sets(v) if isinstance(v, ast.AST) else v for v in value]
            if any(map(operator.is_not, parts, value)):
                changed[field] = parts
    if changed:
        node = type(node)(**{**vars(node), **changed})
    match node:
        case ast.Set():
            return _ordered(node, ast.Tuple(node.elts, ast.Load()))
        case ast.SetComp():
            return _ordered(node, ast.GeneratorExp(node.elt, node.generators))
        case ast.Attribute(attr="keys" | "items", ctx=ast.Load()):
            return _ordered(node, node, _VIEWS)
    return node


def _ordered(node: ast.expr, items: ast.expr, by: str = _SETS) -> ast.expr:
    call = ast.Call(ast.Name(by, ast.Load()), [ast.copy_location(items, node)], [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def misplaced_parts(tree: ast.Module, path: Path) -> Iterator[Diagnostic]:
    """What a file has that is not in the notation, whether or not a function of a model uses it."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, in_function = waiting.pop()
        if in_function and isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield _nested(node, path)
        in_function = in_function or isinstance(node, FUNCTIONS)
        waiting += [(part, in_function) for part in ast.iter_child_nodes(node)]
        if isinstance(node, ast.ClassDef):
            yield from (_no_field(node, part, path) for part in _beside_fields(node))
        else:
            yield from (_internal(part, name, path) for part, name in _named_internally(node))
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            yield _internal(node, node.attr, path)
        elif isinstance(node, ast.Name) and node.id.startswith("__"):
            yield _internal(node, node.id, path)
        elif isinstance(node, ast.MatchClass):
            names = (name for name in node.kwd_attrs if name.startswith("__"))
            yield from (_internal(node, name, path) for name in names)
        elif not in_function and isinstance(node, ast.Attribute | ast.Subscript):
            yield from () if isinstance(node.ctx, ast.Load) else (_patched(node, path),)


def _named_internally(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The definitions and imports in a part, which is no class, under names that Python asks."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, (*FUNCTIONS, ast.ClassDef)):
            name = part.name
        elif isinstance(part, ast.alias):
            name = part.asname or part.name
        else:
            continue
        if name.startswith("__"):
            yield part, name


def _beside_fields(node: ast.ClassDef) -> Iterator[ast.AST]:
    """What a class has beside its fields, or members, and texts that explain them."""
    yield from (one for one in node.decorator_list if ast.unparse(one) not in _CHECKS)
    yield from (*(word.value for word in node.keywords), *node.bases[1:])
    for part in node.body:
        match part:
            case ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)]):
                is_field = not name.startswith("_")
            case ast.Pass() | ast.Expr(ast.Constant()):
                is_field = True
            case _:
                is_field = False
        if not is_field:
            yield part


_CHECKS = ("unique", "enum.unique")
"""Decorators of classes that change nothing."""


class _PlainRecord(Record):
    pass


class _PlainState(State):
    pass


class _PlainEnum(Enum):
    MEMBER = 1


_PLAIN: Mapping[type, type] = {Record: _PlainRecord, State: _PlainState, Enum: _PlainEnum}


def altered_classes(tree: ast.Module, module: types.ModuleType, path: Path) -> Iterator[Diagnostic]:
    """The classes that have more than fields although their text does not show it."""
    for node in tree.body:
        kind = vars(module).get(node.name) if isinstance(node, ast.ClassDef) else None
        if not isinstance(node, ast.ClassDef) or not isinstance(kind, type):
            continue
        lines = {target: line for line in node.body for target in _assigned(line)}
        parts = [lines.get(name, node) for name in _added(kind)]
        is_reported = any(_beside_fields(node))
        for part in parts:
            if part is not node or not is_reported:
                yield _no_field(node, part, path)


def _added(kind: type) -> list[str]:
    """The attributes that a record, state or enum class has beside those that any such has."""
    base = next((base for base in _PLAIN if issubclass(kind, base)), None)
    if base is None:
        return []
    fields = kind.fields if isinstance(kind, FieldedType) else {}
    own = {*fields, *getattr(kind, "__members__", ()), "__annotations__"}
    plain = vars(_PLAIN[base])
    return [
        name
        for name, value in vars(kind).items()
        if name not in own and (name not in plain or (callable(value) and value is not plain[name]))
    ]


def _assigned(line: ast.stmt) -> list[str]:
    """The names that a line of a class gives a value."""
    targets = line.targets if isinstance(line, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _no_field(node: ast.ClassDef, part: ast.AST, path: Path) -> Diagnostic:
    what = "is changed" if part is node else f"has more than fields: {_first_line(part)}"
    return Diagnostic(
        "class-body",
        Place.of(part, path),
        f"{node.name} {what}",
        "plain Python would compare or read its values by this, and no other engine would",
        "leave it out; a function at the top of the file can take the value as its parameter",
    )


def _first_line(part: ast.AST) -> str:
    return ast.unparse(part).partition("\n")[0].rstrip(":")


def _nested(node: ast.AST, path: Path) -> Diagnostic:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return Diagnostic(
        "nested-definition",
        Place.of(node, path),
        f"{node.name} is defined within a function",
        "what its names mean depends on the call that defines it, and engines read the text alone",
        "define it at the module's level, and give it what it needs as parameters",
    )


def _internal(node: ast.AST, name: str, path: Path) -> Diagnostic:
    return Diagnostic(
        "internal-name",
        Place.of(node, path),
        f"{name} is a name of Python's own machinery",
        "what it gives is not in the text, which is all that the engines read",
        "leave it out",
    )


def _patched(node: ast.Attribute | ast.Subscript, path: Path) -> Diagnostic:
    return Diagnostic(
        "changed-elsewhere",
        Place.of(node, path),
        f"{ast.unparse(node)} is changed after it was made",
        "what is made while a file is loaded stays as it is; only a step writes, to `new`",
        "write it where it is made",
    )
