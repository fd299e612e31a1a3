"""Names of one domain, as they stand in the values of others: inside them, or as their keys."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.model import Model
from lockstep.language.records import Record
from lockstep.language.source import Place
from lockstep.language.symmetry import Name, find_symmetry
from lockstep.language.values import TotalMap
from lockstep.prove.values import Items, Members, Option, Table, Value


class Unlimited(Exception):
    """No number of names is enough for this: `why`, and where in the text that is seen."""

    def __init__(self, why: str, place: Place | None = None) -> None:
        super().__init__(why if place is None else f"{why} ({place})")


@dataclass(frozen=True)
class Names:
    """The names of a domain; other names that stand beside them there may be in it, too."""

    names: frozenset[Name]

    def held_in(self, domain: Domain) -> int:
        """How many of the names a value may hold, those aside that it holds something for."""
        match domain:
            case NameDomain():
                return int(not self.names.isdisjoint(domain.names))
            case OptionDomain():
                return self.held_in(domain.some)
            case RecordDomain():
                return sum(map(self.held_in, domain.record.fields.values()))
            case MapDomain() if self._is_of(domain.key):
                if self.held_in(domain.value):
                    raise Unlimited(f"{domain} leads from each of the names to another")
                return 0
            case MapDomain():
                held = self.held_in(domain.value)
                return held * domain.key.size() if held else 0
            case SetDomain() if self._is_of(domain.item):
                return 0
            case SequenceDomain():
                return domain.capacity * self.held_in(domain.item)
            case SetDomain() if self.held_in(domain.item):
                raise Unlimited(f"{domain} may hold any number of the names")
        return 0

    def keys_of(self, domain: Domain) -> int:
        """How many names pick out a part of a value: 0 where it holds nothing for each of them."""
        match domain:
            case OptionDomain():
                return self.keys_of(domain.some)
            case RecordDomain():
                return max(map(self.keys_of, domain.record.fields.values()), default=0)
            case MapDomain():
                return self._is_of(domain.key) + self.keys_of(domain.value)
            case SetDomain():
                return int(self._is_of(domain.item))
        return 0

    def _is_of(self, domain: Domain) -> bool:
        return isinstance(domain, NameDomain) and not self.names.isdisjoint(domain.names)


def rekeyed(value: Value, domain: Domain, other: Domain) -> Value:
    """A value of a domain as that of the domain which is the same in another load."""
    match domain, other, value:
        case OptionDomain(), OptionDomain(), Option(present, inside):
            some = None if inside is None else rekeyed(inside, domain.some, other.some)
            return Option(present, some)
        case OptionDomain(), OptionDomain(), _:
            return rekeyed(value, domain.some, other.some)
        case RecordDomain(), RecordDomain(), tuple():
            fields, others = domain.record.fields.values(), other.record.fields.values()
            parts = zip(value, fields, others, strict=True)
            return tuple(rekeyed(part, field, its) for part, field, its in parts)
        case MapDomain(), MapDomain(), Table(values):
            keys = zip(domain.key, other.key, strict=True)
            return Table(
                {its: rekeyed(values[key], domain.value, other.value) for key, its in keys}
            )
        case SetDomain(), SetDomain(), Members(items):
            pairs = zip(domain.item, other.item, strict=True)
            return Members({its: items.get(item, False) for item, its in pairs})
        case SequenceDomain(), SequenceDomain(), Items(length, parts):
            return Items(length, tuple(rekeyed(part, domain.item, other.item) for part in parts))
    return value


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
