"""On how many leading parameters each `require` of an action depends.

This serves enumeration only: a false conjunct that reads no parameter past the k-th is false for
every value of the later ones. It changes how fast instances are found, never which.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from lockstep.language.model import Action, Model


def guard_depths(model: Model) -> dict[str, Mapping[int, int]]:
    """For each action: line of a statement that may refuse, to the count of leading parameters."""
    return {action.name: _depths(model, action) for action in model.actions}


def _depths(model: Model, action: Action) -> Mapping[int, int]:
    definition = model.universe.definition(action.function)
    if definition is None:
        return {}
    node, _ = definition
    position = {parameter.name: index + 1 for index, parameter in enumerate(action.parameters)}
    depth_of: dict[str, int] = dict(position)
    depths: dict[int, int] = {}
    for statement in node.body:
        needed = _depth(statement, depth_of)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            depth_of[statement.targets[0].id] = needed
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            depths[line] = needed
    return depths


def _depth(node: ast.AST, depth_of: Mapping[str, int]) -> int:
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return max((depth_of.get(name, 0) for name in names), default=0)
