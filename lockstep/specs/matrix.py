"""The requirement matrix: each requirement, what answers it, and whether those things exist.

Requirements name invariants and invariants name requirements; both must say the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.model import Model, fault_marks, load_model, model_names
from lockstep.specs.kip import Kip, Reference, Requirement, load_kip, load_kips
from lockstep.specs.scopes import DEFAULT_SCOPE, Scope, load_model_spec
from lockstep.system.text_files import is_file, read_text


@dataclass
class Matrix:
    """Requirements in order, and whatever is wrong with their references.

    `unresolved` are references to tests of a workspace that came without its tests.
    """

    kips: list[Kip] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unresolved: list[Reference] = field(default_factory=list)

    @property
    def requirements(self) -> list[Requirement]:
        """Every requirement, in the order of the files."""
        return [row for kip in self.kips for row in kip.requirements]


def build_matrix(root: Path, names: Sequence[str], *, every_file: bool) -> Matrix:
    """The matrix of the requirement files that the models `names` refer to, or of every file.

    `LockstepError` when one of the files or models cannot be loaded.
    """
    specs = [load_model_spec(root, name) for name in names]
    files = dict.fromkeys(file for spec in specs for file in spec.requirements)
    matrix = Matrix(
        load_kips(root)
        if every_file
        else [load_kip(root / "specs" / f"{file}.toml") for file in files]
    )
    workspace = _Workspace(root)
    for row in matrix.requirements:
        for reference in row.answered_by:
            problem = workspace.problem(reference, matrix)
            if problem is not None:
                matrix.problems.append(f"{row.id} refers to {reference}: {problem}")
    for name in names:
        matrix.problems.extend(workspace.disagreements(name, matrix.requirements))
    return matrix


class _Workspace:
    """Looks up what references name, loading each model once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._models: dict[str, Model] = {}
        self._names = model_names(root)
        self._functions: dict[str, set[str] | None] = {}

    def problem(self, reference: Reference, matrix: Matrix) -> str | None:
        """Why a reference leads nowhere; None when it does not."""
        if reference.kind == "deviation":
            deviations = {row.id for kip in matrix.kips for row in kip.deviations}
            return None if reference.name in deviations else "there is no such deviation"
        if reference.kind == "test":
            return self._test_problem(reference, matrix)
        model_name, _, name = reference.name.partition(".")
        if model_name not in self._names:
            return f"there is no model {model_name}"
        if reference.kind == "fault":
            names = set(fault_marks(self._root, model_name))
        elif reference.kind == "action":
            names = {action.name for action in self._model(model_name).actions}
        else:
            names = {prop.name for prop in self._model(model_name).properties}
        return None if name in names else f"{model_name} has no {reference.kind} {name}"

    def disagreements(self, name: str, requirements: Sequence[Requirement]) -> Iterator[str]:
        """Where a model's invariants and the requirements do not name each other."""
        rows = {row.id: row for row in requirements}
        for prop in self._model(name).properties:
            reference = Reference("invariant", f"{name}.{prop.name}")
            for identity in prop.requirements:
                if identity not in rows:
                    yield f"{reference} states {identity}, which is no requirement of its files"
                elif reference not in rows[identity].answered_by:
                    yield f"{reference} states {identity}, whose answered_by does not name it"
            for row in requirements:
                if reference in row.answered_by and row.id not in prop.requirements:
                    yield f"{row.id} refers to {reference}, which does not state {row.id}"

    def _model(self, name: str) -> Model:
        if name not in self._models:
            scopes = load_model_spec(self._root, name).scopes
            scope = scopes.get(DEFAULT_SCOPE, next(iter(scopes.values()), Scope(DEFAULT_SCOPE)))
            self._models[name] = load_model(self._root, name, scope.constants)
        return self._models[name]

    def _test_problem(self, reference: Reference, matrix: Matrix) -> str | None:
        if not (self._root / "tests").is_dir():
            matrix.unresolved.append(reference)
            return None
        file, _, function = reference.name.partition("::")
        if file not in self._functions:
            self._functions[file] = _functions_in(self._root / file)
        functions = self._functions[file]
        if functions is None:
            return f"there is no file {file}"
        return None if function in functions else f"{file} has no function {function}"


def _functions_in(file: Path) -> set[str] | None:
    if not is_file(file):
        return None
    try:
        tree = ast.parse(read_text(file), filename=str(file))
    except SyntaxError as error:
        raise LockstepError(f"{file}:{error.lineno}: this is not Python: {error.msg}") from None
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
