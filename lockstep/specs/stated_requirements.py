"""The ids of requirements that properties state: each must have its row in `specs/`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lockstep.errors import LockstepError, nearest
from lockstep.language.model import Model, Property
from lockstep.specs.kip import load_kip
from lockstep.specs.scopes import ModelSpec
from lockstep.words import shown_path


def check_stated_requirements(model: Model, spec: ModelSpec) -> None:
    """Refuse an id that has no row in the files of requirements which the specification names.

    `LockstepError` with the line of the id, and for a file that cannot be read.
    """
    for error in unknown_requirements(model, spec):
        raise error


def unknown_requirements(model: Model, spec: ModelSpec) -> Iterator[LockstepError]:
    """An error for each id that has no such row, to be raised or printed."""
    files = [model.universe.root / "specs" / f"{name}.toml" for name in spec.requirements]
    ids = [row.id for file in files for row in load_kip(file).requirements]
    own = f"specs/{model.name}.toml"
    why = f"which has no row in {' or '.join(map(shown_path, files))}"
    for prop in model.properties:
        for identity in prop.requirements:
            if identity not in ids:
                yield LockstepError(
                    f"{_place(model, prop, identity)}: {prop.name} states {identity}, "
                    + (why if files else f"and {own} names no file of requirements"),
                    cure=nearest(
                        identity, ids, f"write its row, and its file in `requirements` of {own}"
                    ),
                )


def _place(model: Model, prop: Property, identity: str) -> str:
    """The file and the line where a property states an id."""
    definition = model.universe.definition(prop.function)
    assert definition is not None, f"{prop.name} has no text"
    function, file = definition
    parts = (part for decorator in function.decorator_list for part in ast.walk(decorator))
    lines = (
        part.lineno for part in parts if isinstance(part, ast.Constant) and part.value == identity
    )
    return f"{shown_path(file)}:{next(lines, function.lineno)}"
