"""Names that no domain has: what is compared with one is never equal to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lockstep.errors import nearest
from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.frontend.scope import Scope
from lockstep.language.loader import Universe
from lockstep.language.records import Fielded
from lockstep.language.types import item_of, some_of


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
    if not isinstance(value, Domain):
        return
    match some_of(value):
        case NameDomain(names):
            yield from (name for name in names if isinstance(name, str))
        case SetDomain(item) | SequenceDomain(item):
            yield from _names(item)
        case MapDomain(key, held):
            yield from _names(key)
            yield from _names(held)
        case RecordDomain(record):
            yield from _names(record)
