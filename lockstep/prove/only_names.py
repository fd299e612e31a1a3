"""Whether a constant says which names there are, and a model says nothing else of them.

Then the model with more names is the same but for that. It is looked at in two ways, for each alone
could be deceived: the text has to read the constant in `OneOf(...)` alone, and the IR and the first
state have to be the same for two numbers of names.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import Domain, NameDomain
from lockstep.language.model import Model
from lockstep.language.source import Place
from lockstep.language.values import Record, TotalMap
from lockstep.machine.code.symmetry import find_symmetry
from lockstep.prove.witnesses import Name


@dataclass(frozen=True)
class Instance:
    """A model with some names in place of a constant's own.

    `code` is what is asked about, and `unread` are variables to which it writes nothing.
    """

    model: Model
    code: ir.ModelCode
    unread: tuple[str, ...]
    names: tuple[Name, ...]


def why_special(constant: str, few: Instance, more: Instance, left_out: set[str]) -> str | None:
    """Why the number of names makes a difference; None where it makes none.

    `left_out` are properties that are not asked about.
    """
    symmetry = find_symmetry(more.model, more.code)
    if not any(set(more.names) <= set(group) for group in symmetry.groups):
        why = [each for each in symmetry.refused if str(more.names[0]) in each]
        return why[0] if why else "no domain declares them as interchangeable"
    if _seen(few) != _seen(more):
        return "the text or the first state depends on how many there are"
    if (place := _read_elsewhere(more.model, constant, {*left_out, *more.unread})) is not None:
        return f"it says more than which there are ({place})"
    return None


def _seen(instance: Instance) -> Any:
    """The text and the first state, as they look when nobody can tell how many names there are."""
    model, code, unread = instance.model, instance.code, instance.unread
    variables = tuple(each for each in code.variables if each[0] not in unread)
    first = zip(model.variables, tuple(model.initial), strict=True)
    values = tuple(value for name, value in first if name not in unread)
    return _shape((replace(code, variables=variables), values), frozenset(instance.names))


def _shape(value: Any, names: frozenset[Name]) -> Any:
    def shape(part: Any) -> Any:
        match part:
            case NameDomain() if not names.isdisjoint(part.names):
                return "names", tuple(name for name in part.names if name not in names)
            case Place() | None:
                return part
            case type():
                domains: Mapping[str, Domain] = getattr(part, "fields", {})
                return part.__name__, shape(domains)
            case Record():
                return type(part).__name__, tuple(map(shape, tuple(part)))
            case TotalMap():
                open_keys = names if names <= set(part) else frozenset()
                pairs = (
                    ("a name" if key in open_keys else shape(key), shape(each))
                    for key, each in part.items()
                )
                return tuple(dict.fromkeys(pairs))
            case Mapping():
                return tuple((key, shape(each)) for key, each in part.items())
            case frozenset():
                return frozenset(map(shape, part))
            case tuple():
                return tuple(map(shape, part))
            case enum.Enum():
                return type(part).__name__, part.name
            case str() if part in names:
                return "a name"
        if is_dataclass(part):
            parts = (field.name for field in fields(part))
            # The type of an expression is only what is known of it, and may know a number of names.
            kept = (n for n in parts if not (n == "domain" and isinstance(part, ir.Expression)))
            return type(part).__name__, tuple(shape(getattr(part, name)) for name in kept)
        return part

    return shape(value)


def _read_elsewhere(model: Model, constant: str, left_out: set[str]) -> Place | None:
    """Where a constant is read other than to say which names there are.

    `left_out` are the variables and properties that do not count; nor does what is named for them
    alone, as a variable's domain may be.
    """
    trees = {file.path: ast.parse(file.text) for file in model.universe.files.values()}
    read = {name for tree in trees.values() for name in _names_read(tree, left_out)}
    for path, tree in trees.items():
        listed = {id(each) for node in ast.walk(tree) for each in _listed(node)}
        statements = (line for line in tree.body if not _is_named_for_nothing(line, read))
        for node in (part for line in statements for part in _but(line, left_out)):
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    found = name == constant and id(node) not in listed
                case ast.Attribute(attr=name):
                    found = name == constant
                case ast.alias(name=name, asname=str()):
                    found = name == constant
                case _:
                    found = False
            if found:
                return Place.of(node, path)
    return None


def _names_read(tree: ast.Module, left_out: set[str]) -> Iterator[str]:
    for node in _but(tree, left_out):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
                yield name
            case ast.alias(name=name, asname=str()):
                yield name


def _is_named_for_nothing(line: ast.stmt, read: set[str]) -> bool:
    """Whether a line gives a value a name that nothing reads."""
    match line:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name not in read
    return False


def _listed(node: ast.AST) -> list[ast.expr]:
    """What `OneOf(NAMES)` or `OneOf((OTHER, *NAMES))` lists."""
    match node:
        case ast.Call(func=ast.Name(id="OneOf"), args=[ast.Tuple(elts=parts)]):
            return [part.value for part in parts if isinstance(part, ast.Starred)]
        case ast.Call(func=ast.Name(id="OneOf"), args=[names]):
            return [names]
    return []


def _but(node: ast.AST, left_out: set[str]) -> Iterator[ast.AST]:
    """All nodes but those of what is left out: functions, and declared variables."""
    match node:
        case ast.FunctionDef() if node.name in left_out:
            return
        case ast.AnnAssign(target=ast.Name(id=name)) if name in left_out:
            return
    yield node
    for part in ast.iter_child_nodes(node):
        yield from _but(part, left_out)
