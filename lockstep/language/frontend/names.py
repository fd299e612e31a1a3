"""Names that no domain has: what is compared with one is never equal to it."""

from __future__ import annotations

import ast
import dataclasses
import enum
import types
from collections.abc import Callable, Iterator
from typing import Any

from lockstep.errors import nearest
from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    EnumDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    domain_of,
)
from lockstep.language.frontend.expected import BOOL, unwrapped
from lockstep.language.frontend.scope import Broken, NewName, Refused, Scope, StateName
from lockstep.language.loader import Universe
from lockstep.language.records import Fielded, Record
from lockstep.language.types import (
    NOTHING,
    described,
    is_item,
    item_of,
    join,
    parts_of_domain,
    some_of,
)
from lockstep.language.values import OrderedSet


def refuse_unknown_name(
    scope: Scope, node: ast.expr, written: ir.Expression, other: ir.Expression
) -> None:
    """Refuse a name written in the text that is in no domain of the model, in any scope."""
    inside = some_of(other.domain)
    inside = item_of(inside) or inside
    if not (isinstance(written, ir.Literal) and isinstance(written.value, str)):
        return
    if not isinstance(inside, NameDomain) or isinstance(other, ir.Literal):
        return
    if written.value in inside.names or written.value in names_in(scope.unit.universe):
        return
    names = [str(name) for name in inside.names]
    scope.refuse(
        node,
        "no-such-name",
        f"no domain has the name {written.value!r}",
        "a comparison with it has the same answer in every state",
        nearest(written.value, names, f"the names here are {', '.join(names)}"),
    )


def names_in(universe: Universe) -> set[str]:
    """Every name of a domain of these modules, and those that their constants have by default."""
    names: set[str] = set()
    for module in universe.modules.values():
        for value in vars(module).values():
            names.update(_names(value))
    for file in universe.files.values():
        for node in ast.walk(ast.parse(file.text)):
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "Constant":
                parts = ast.walk(node)
                texts = (part.value for part in parts if isinstance(part, ast.Constant))
                names.update(text for text in texts if isinstance(text, str))
    return names


def _names(value: object) -> Iterator[str]:
    """The names in a domain, or in those of the fields of a record or state class."""
    if isinstance(value, type) and issubclass(value, Fielded):
        for field in value.fields.values():
            yield from _names(field)
    for part in parts_of_domain(value) if isinstance(value, Domain) else ():
        if isinstance(part, NameDomain):
            yield from (name for name in part.names if isinstance(name, str))


def lower_name(scope: Scope, node: ast.Name) -> ir.Expression:
    """A parameter, a local, or a module's constant."""
    match scope.names.get(node.id):
        case ir.Expression() as bound:
            return dataclasses.replace(bound, place=scope.place(node))
        case Broken():
            raise Refused(None)
        case StateName():
            scope.refuse(
                node,
                "whole-state",
                f"{node.id} is the whole state, which is no value",
                "only its variables are values; the whole is passed to helpers and no further",
                f"name a variable: `{node.id}.variable`",
            )
        case NewName():
            scope.refuse(
                node,
                "read-of-new",
                f"{node.id} cannot be read in an action",
                "it collects what the step writes; nothing is known of it before the step is over",
                "read the state before, `s`, or keep the value in a local name",
            )
        case None:
            return literal(scope, node, scope.global_value(node))


def literal(scope: Scope, node: ast.expr, value: object) -> ir.Expression:
    """A constant of the text, of a module or of the scope."""
    place = scope.place(node)
    if value is None:
        return ir.Literal(place, OptionDomain(NOTHING), None)
    domain = _value_domain(value)
    if domain is None:
        what, cure = _no_value(node, value)
        scope.refuse(
            node,
            "not-a-value",
            what,
            "values are integers, booleans, enum members, names, records and collections of these",
            cure,
        )
    return ir.Literal(place, domain, frozenset(value) if isinstance(value, OrderedSet) else value)


def lower_attribute(scope: Scope, node: ast.Attribute) -> ir.Expression:
    """A state variable, a member of an enum or a module, or a field of a record."""
    if isinstance(node.value, ast.Name):
        binding = scope.names.get(node.value.id)
        if isinstance(binding, StateName):
            return ir.Read(scope.place(node), variable(scope, node), node.attr, binding.after)
        if not scope.is_local(node.value.id):
            owner = scope.global_value(node.value)
            if is_namespace(owner):
                return literal(scope, node, _member(scope, node, node.value.id, owner))
    record = unwrapped(scope, node, scope.lower(node.value))
    if not isinstance(record.domain, RecordDomain):
        scope.refuse(
            node,
            "not-a-record",
            f"this is {described(record.domain)}, which has no field {node.attr}",
            "only records have fields",
            "a map or a sequence is read with [...]",
        )
    domain, position = field(scope, node, record.domain, node.attr)
    return ir.Field(scope.place(node), domain, record, node.attr, position)


def variable(scope: Scope, node: ast.Attribute) -> Domain:
    """The domain of the state variable that `s.name` or `new.name` names."""
    variables = scope.unit.variables
    if node.attr in scope.unit.universe.broken_parts:
        raise Refused(None)
    if node.attr not in variables:
        scope.refuse(
            node,
            "unknown-variable",
            f"there is no variable {node.attr}",
            f"the variables are {', '.join(variables)}",
            nearest(node.attr, list(variables), "declare it in the state class"),
        )
    return variables[node.attr]


def field(scope: Scope, node: ast.AST, record: RecordDomain, name: str) -> tuple[Domain, int]:
    """The domain of a record's field, and its position among the fields."""
    fields = record.record.fields
    if name in scope.unit.universe.broken_parts:
        raise Refused(None)
    if name not in fields:
        scope.refuse(
            node,
            "unknown-field",
            f"{record} has no field {name}",
            f"its fields are {', '.join(fields)}",
            nearest(name, list(fields), "add the field to the record"),
        )
    return fields[name], list(fields).index(name)


def is_namespace(owner: object) -> bool:
    """Whether `owner.name` is a constant of the text: an enum's member, or a module's."""
    return isinstance(owner, types.ModuleType) or (
        isinstance(owner, type) and issubclass(owner, enum.Enum)
    )


def domain_in(scope: Scope, node: ast.expr) -> Domain | None:
    """The domain that an expression stands for when it is iterated over; None when for none."""
    value: object = None
    if isinstance(node, ast.Name) and not scope.is_local(node.id):
        value = scope.global_value(node)
    elif (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and not scope.is_local(node.value.id)
    ):
        value = getattr(scope.global_value(node.value), node.attr, None)
    # Not all that serves as an annotation can be iterated over in Python: `bool` cannot.
    if isinstance(value, Domain) or (
        isinstance(value, type) and issubclass(value, enum.Enum | Record)
    ):
        return domain_of(value, "")
    return None


def _member(scope: Scope, node: ast.Attribute, name: str, owner: object) -> object:
    if not hasattr(owner, node.attr):
        names = [name for name in vars(owner) if not name.startswith("_")]
        scope.refuse(
            node,
            "unknown-member",
            f"{name} has no {node.attr}",
            "it is not defined there",
            nearest(node.attr, names, "define it there"),
        )
    return getattr(owner, node.attr)


def _value_domain(value: object) -> Domain | None:
    if type(value) is bool:
        return BOOL
    if isinstance(value, enum.Enum):
        return EnumDomain(type(value))
    if type(value) is int:
        return RangeDomain(value, value)
    if type(value) is str:
        return NameDomain((value,))
    if isinstance(value, Record):
        return RecordDomain(type(value))
    if type(value) in (tuple, frozenset, OrderedSet):
        return _collection_domain(value)  # type: ignore[arg-type]
    return None


def _collection_domain(value: tuple[object, ...] | frozenset[object]) -> Domain | None:
    items: Domain = NOTHING
    for part in value:
        domain = _value_domain(part)
        both = None if domain is None else join(items, domain)
        if both is None or not is_item(both):
            return None
        items = both
    if isinstance(value, tuple):
        return SequenceDomain(items, len(value))
    return SetDomain(items)


def _no_value(node: ast.expr, value: object) -> tuple[str, str]:
    """What to say of something that is no value, and the cure."""
    name = ast.unparse(node)
    if isinstance(value, Domain) or (isinstance(value, type) and issubclass(value, enum.Enum)):
        return f"{name} is a domain, not a value", f"iterate over it: `... for x in {name}`"
    if isinstance(value, dict):
        cure = "write a helper that gives the value for a key: `a if k == ... else b`"
        return f"{name} is a dict, which is no value of the notation", cure
    if isinstance(value, list):
        return f"{name} is a list, which is no value of the notation", "make it a tuple"
    if isinstance(value, tuple | frozenset):
        return f"{name} has items of several kinds, or items that are no atoms", "use records"
    if callable(value):
        return f"{name} is a function, not a value", "call it, giving each of its parameters"
    kind = type(value).__name__
    return f"{name} is of type {kind}, which is no value of the notation", "use a value of these"


def declared_domain(function: Callable[..., Any], parameter: str) -> Domain | None:
    """What a function's signature says that a parameter is; None where it has no domain."""
    try:
        return domain_of(function.__annotations__.get(parameter), parameter)
    except TypeError:
        return None


def is_declared_optional(scope: Scope, node: ast.AST) -> bool:
    """Whether this is a parameter that may be None by the signature, whatever a call gives it."""
    return isinstance(node, ast.Name) and isinstance(
        declared_domain(scope.calls[-1], node.id), OptionDomain
    )
