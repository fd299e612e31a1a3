"""Functions that look like part of a model and that nothing reads.

A claim without its decorator would be left out in silence. A function is read if it is marked in a
model's own file, if the rest of that file names it, or if another file imports it.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lockstep.language.loader import PACKAGES, Universe
from lockstep.language.notation import FAULT, MARK
from lockstep.language.source import Diagnostic, Place

_FAULTS = "models.faults."


def unread(universe: Universe, module: types.ModuleType) -> list[Diagnostic]:
    """The functions of a loaded file that look like an action, a claim or a fault and are neither.

    In `models/` these have the parameters `s, new`, in `invariants/` the first parameter `s`. A
    file of faults has nothing but faults and what they call.
    """
    file = universe.files.get(str(module.__file__))
    if file is None:  # it is no Python, which is told already
        return []
    problems = []
    for node in file.tree.body:
        if not isinstance(node, ast.FunctionDef) or not _has_the_form(node, module.__name__):
            continue
        function = vars(module).get(node.name)
        if function is None:  # why it could not be made is told already
            continue
        if hasattr(function, MARK) or hasattr(function, FAULT):
            continue
        if not _is_named_in(file.tree, node) and not _is_imported(universe, file.path, node.name):
            problems.append(_problem(node, module.__name__, file.path))
    return problems


def _has_the_form(node: ast.FunctionDef, module: str) -> bool:
    parameters = [argument.arg for argument in node.args.args]
    if module.startswith(_FAULTS):
        return True
    if module.startswith("models."):
        return parameters[:2] == ["s", "new"]
    return parameters[:1] == ["s"]


def _is_named_in(tree: ast.Module, definition: ast.FunctionDef) -> bool:
    """Whether a file names a function outside its own definition."""
    return any(
        isinstance(node, ast.Name) and node.id == definition.name
        for statement in tree.body
        if statement is not definition
        for node in ast.walk(statement)
    )


def _is_imported(universe: Universe, own: Path, name: str) -> bool:
    """Whether another file of the workspace imports a name, or takes it from a module."""
    return any(
        (isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names))
        or (isinstance(node, ast.Attribute) and node.attr == name)
        for tree in _others(universe, own)
        for node in ast.walk(tree)
    )


def _others(universe: Universe, own: Path) -> Iterator[ast.Module]:
    """The syntax of the other files; one that is not Python imports nothing."""
    for package in PACKAGES:
        for path in sorted(universe.root.joinpath(package).rglob("*.py")):
            if path == own or path.name.startswith("."):
                continue
            if (file := universe.files.get(str(path))) is not None:
                yield file.tree
                continue
            with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                yield ast.parse(path.read_bytes())


def _problem(node: ast.FunctionDef, module: str, path: Path) -> Diagnostic:
    mark = "@action" if module.startswith("models.") else "@invariant"
    if module.startswith(_FAULTS):
        mark = "@fault(...)"
    return Diagnostic(
        "unread",
        Place(path, node.lineno, node.col_offset, node.lineno, node.col_offset + len("def")),
        f"nothing reads {node.name}",
        "a function is part of a model if it is marked, or if one that is marked calls it",
        f"mark it with {mark}, call it, or remove it",
    )
