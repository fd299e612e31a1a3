"""Places of a workspace's text as they are written for others: from the top of the repository."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lockstep.language.loader import Universe
from lockstep.language.model import Model
from lockstep.language.source import Place
from lockstep.language.syntax import syntax_of
from lockstep.system.git import folder_in_repository
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class SourceRoot:
    """The folder that paths are relative to: the top of the repository.

    Where a workspace is in no repository, it is the workspace itself. `prefix` is the path of the
    workspace below it, `""` or with a `/` at its end.
    """

    workspace: Path
    prefix: str

    @classmethod
    def of(cls, workspace: Workspace) -> SourceRoot:
        """That of a workspace."""
        return cls(workspace.root, folder_in_repository(workspace.root) or "")

    def path(self, file: Path) -> str:
        """The path of a file, with `/` between its parts."""
        if file.is_relative_to(self.workspace):
            return f"{self.prefix}{file.relative_to(self.workspace).as_posix()}"
        return file.name


@dataclass(frozen=True)
class Region:
    """A stretch of a file in lines and characters, both from 1, the end column excluded."""

    line: int
    column: int
    end_line: int
    end_column: int


def region(place: Place) -> Region:
    """A place in characters: places have columns in bytes."""
    return Region(
        place.line,
        _characters(place.file, place.line, place.column) + 1,
        place.end_line,
        _characters(place.file, place.end_line, place.end_column) + 1,
    )


def _characters(file: Path, line: int, column: int) -> int:
    lines = _lines(file)
    if line > len(lines):
        return column
    return len(lines[line - 1][:column].decode("utf-8", errors="ignore"))


@cache
def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().split(b"\n")
    except OSError:
        return []


def beginning(file: Path) -> Place:
    """The first character of a file."""
    return Place(file, 1, 0, 1, 1)


def place_of_function(universe: Universe, function: Callable[..., Any]) -> Place | None:
    """The name of a function where it is defined; None for one from elsewhere."""
    definition = universe.definition(function)
    return None if definition is None else _name(definition[0], definition[1])


def place_of_state(model: Model) -> Place:
    """The name of the state class where it is declared."""
    module = model.universe.modules.get(model.state.__module__)
    file = Path(getattr(module, "__file__", None) or _model_file(model))
    return _declared(file, model.state.__name__)


def place_of_property(root: Path, model: str, name: str) -> Place:
    """Where a property is, of a model that is not loaded."""
    return _declared_in(root, ("invariants", "invariants/lemmas"), model, name)


def place_of_fault(root: Path, model: str, name: str) -> Place:
    """Where a fault is, of a model that is not loaded."""
    return _declared_in(root, ("models/faults",), model, name)


def place_of_model(root: Path, model: str) -> Place:
    """The beginning of a model's file."""
    return beginning(root / "models" / f"{model}.py")


def place_of_scope(root: Path, model: str, scope: str) -> Place:
    """The table of a scope in `specs/`; the beginning of the file where none is so named."""
    file = root / "specs" / f"{model}.toml"
    head = f"[scopes.{scope}]".encode()
    for number, line in enumerate(_lines(file), start=1):
        if line.strip().startswith(head):
            return Place(file, number, 0, number, len(line.rstrip()))
    return beginning(file)


def _model_file(model: Model) -> Path:
    return model.universe.root / "models" / f"{model.name}.py"


def _declared_in(root: Path, folders: tuple[str, ...], model: str, name: str) -> Place:
    files = [root / folder / f"{model}.py" for folder in folders]
    places = (_declared(file, name) for file in files if file.is_file())
    first = beginning(files[0])
    return next((place for place in places if place != beginning(place.file)), first)


def _declared(file: Path, name: str) -> Place:
    """The name of a function or class at the top of a file; the beginning where it has none."""
    for node in syntax_of(file).statements:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return _name(node, file)
    return beginning(file)


def _name(node: ast.FunctionDef | ast.ClassDef, file: Path) -> Place:
    keyword = "class " if isinstance(node, ast.ClassDef) else "def "
    column = node.col_offset + len(keyword)
    return Place(file, node.lineno, column, node.lineno, column + len(node.name.encode()))
