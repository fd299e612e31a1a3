"""On how many leading parameters each statement of an action depends.

This serves enumeration only: where an action is refused by a `require` or a `present` up to which
nothing reads a parameter past the k-th, it is refused in the same way for every value of the later
ones. It changes how fast instances are found, never which: what comes before it counts too, since
it might be an error for another value.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from lockstep.language.protocol import Action, Model


def guard_depths(model: Model) -> dict[str, Mapping[int, int]]:
    """For each action: the line of a statement, to how many leading parameters are read by then."""
    return {action.name: _depths(model, action) for action in model.actions}


def _depths(model: Model, action: Action) -> Mapping[int, int]:
    definition = model.universe.definition(action.function)
    if definition is None:
        return {}
    node, _ = definition
    depth_of = {parameter.name: index + 1 for index, parameter in enumerate(action.parameters)}
    depths: dict[int, int] = {}
    so_far = 0
    for statement in node.body:
        needed = _depth(statement, depth_of)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            depth_of[statement.targets[0].id] = needed
        so_far = max(so_far, needed)
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            # Two statements may share a line; the deeper one is the safe answer.
            depths[line] = max(so_far, depths.get(line, 0))
    return depths


def _depth(node: ast.AST, depth_of: Mapping[str, int]) -> int:
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return max((depth_of.get(name, 0) for name in names), default=0)
