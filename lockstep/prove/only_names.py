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
from lockstep.language.records import Record
from lockstep.language.source import Place
from lockstep.language.values import TotalMap
from lockstep.machine.code.symmetry import find_symmetry
from lockstep.prove.names import Name


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
        why = [reason for reason in symmetry.refused if str(more.names[0]) in reason]
        return why[0] if why else "no domain declares them as interchangeable"
    if _seen(few) != _seen(more):
        return "the text or the first state depends on how many there are"
    if (place := _read_elsewhere(more.model, constant, {*left_out, *more.unread})) is not None:
        return f"it says more than which there are ({place})"
    return None


def _seen(instance: Instance) -> Any:
    """The text and the first state, as they look when nobody can tell how many names there are."""
    model, code, unread = instance.model, instance.code, instance.unread
    variables = tuple(pair for pair in code.variables if pair[0] not in unread)
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
                    ("a name" if key in open_keys else shape(key), shape(inner))
                    for key, inner in part.items()
                )
                return tuple(dict.fromkeys(pairs))
            case Mapping():
                return tuple((key, shape(inner)) for key, inner in part.items())
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

    `left_out` are the variables and properties that do not count, and with them the domains that
    nothing else reads.
    """
    trees = {file.path: ast.parse(file.text) for file in model.universe.files.values()}
    for edited in model.universe.edited.values():
        trees[edited.file].body.append(edited.node)
    left_out = _with_their_domains(list(trees.values()), left_out)
    for path, tree in trees.items():
        listed = {id(name) for node in ast.walk(tree) for name in _listed(node)}
        for node in _but(tree, left_out):
            if _name_read(node) == constant and id(node) not in listed:
                return Place.of(node, path)
    return None


def _with_their_domains(trees: list[ast.Module], left_out: set[str]) -> set[str]:
    """What is left out, and the module-level names that are read nowhere but in that."""
    declared = {name for tree in trees for node in tree.body for name in _names_given(node)}
    while True:
        read = {_name_read(node) for tree in trees for node in _but(tree, left_out)}
        imported = {
            alias.name
            for tree in trees
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        unread = declared - read - imported - left_out
        if not unread:
            return left_out
        left_out = left_out | unread


def _names_given(node: ast.stmt) -> list[str]:
    """The names that a line of a module gives to a value."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
    return []


def _name_read(node: ast.AST) -> str | None:
    """The name that a node reads, if it reads one; an import under the same name reads nothing."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
            return name
        case ast.alias(name=name, asname=str()):
            return name
    return None


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
        case ast.Assign(targets=[ast.Name(id=name)]) if name in left_out:
            return
    yield node
    for part in ast.iter_child_nodes(node):
        yield from _but(part, left_out)
