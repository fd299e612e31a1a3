"""What the functions of a file write: what one of them might have written in place of another."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Write(NamedTuple):
    """A statement that writes, and the names that its value needs."""

    statement: ast.Assign | ast.Expr
    names: frozenset[str]


def writes_of(functions: Iterable[ast.FunctionDef]) -> Mapping[str, Sequence[Write]]:
    """What functions write, by the place where they do: a part of the state, or a helper."""
    writes: dict[str, list[Write]] = defaultdict(list)
    for function in functions:
        own = names_in(function)
        for statement in function.body:
            if isinstance(statement, ast.Assign | ast.Expr) and (place := written_place(statement)):
                used = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
                writes[place].append(Write(statement, own & used))
    return writes


def written_place(statement: ast.Assign | ast.Expr) -> str:
    """What a statement writes, as a text; empty where it writes nothing."""
    match statement:
        case ast.Assign([ast.Attribute() | ast.Subscript() as target]):
            return ast.unparse(target)
        case ast.Expr(ast.Call(ast.Name(name), arguments)) if name != "require":
            return f"{name}({len(arguments)})"
    return ""


def names_in(function: ast.FunctionDef) -> frozenset[str]:
    """The parameters of a function and what its statements bind, comprehensions left out."""
    of_comprehensions = {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
    }
    bound = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node not in of_comprehensions
    }
    return frozenset(bound | {one.arg for one in function.args.args})
