"""The names in a workspace, for a shell to complete: files are parsed, and never run.

What cannot be read has no names.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from lockstep.language.inventory import PROPOSALS, Inventory
from lockstep.language.syntax import FUNCTIONS, syntax_of
from lockstep.specs.tables import parse_toml
from lockstep.workspace import Workspace

_FAULTS = "models.faults."


class Kind(StrEnum):
    """What has names; `VERSION` is a model, or a change of it as `review` takes one."""

    MODEL = "model"
    VERSION = "version"
    SCOPE = "scope"
    PROOF = "proof"
    FAULT = "fault"
    PROPOSAL = "proposal"


def names(kind: Kind, workspace: Workspace, models: Iterable[str], begun: str) -> list[str]:
    """The names of one kind, in alphabetical order, of some models or of all where there are none.

    `begun` is what has been written of the name. It tells a `VERSION` from a model.
    """
    root, chosen = workspace.root, tuple(models)
    if kind is Kind.SCOPE or kind is Kind.PROOF:
        return _tables(f"{kind}s", root, chosen)
    if kind is Kind.MODEL or (kind is Kind.VERSION and "." not in begun):
        return Inventory(root).models
    if kind is Kind.VERSION:
        model = begun.partition(".")[0]
        changes = _faults(root, model, frozenset()) + _proposals(root, model)
        return sorted(f"{model}.{change}" for change in changes)
    chosen = chosen or tuple(Inventory(root).models)
    if kind is Kind.FAULT:
        return _united(_faults(root, model, frozenset()) for model in chosen)
    return _united(_proposals(root, model) for model in chosen)


def _proposals(root: Path, model: str) -> list[str]:
    return [file.stem for file in root.joinpath(PROPOSALS, model).glob("*.py")]


def _faults(root: Path, model: str, importers: frozenset[str]) -> list[str]:
    syntax = syntax_of(root / "models" / "faults" / f"{model}.py")
    own = [
        node.name
        for node in syntax.statements
        if isinstance(node, FUNCTIONS)
        for mark in node.decorator_list
        if syntax.dotted(getattr(mark, "func", mark)) == "lockstep.fault"
    ]
    for name, whole in syntax.imported.items():
        module, _, last = whole.removeprefix(_FAULTS).rpartition(".")
        if whole.startswith(_FAULTS) and module and module not in importers | {model}:
            others = _faults(root, module, importers | {model})
            own += others if last == "*" else [name for other in others if other == last]
    return own


def _tables(key: str, root: Path, models: Iterable[str]) -> list[str]:
    """The names of the tables below `key` in the specifications of models."""
    specs = root / "specs"
    chosen = [specs / f"{model}.toml" for model in models] or sorted(specs.glob("*.toml"))
    return _united(_keys(file, key) for file in chosen)


def _keys(file: Path, key: str) -> list[str]:
    try:
        table = parse_toml(file.read_text(encoding="utf-8")).get(key)
    except (OSError, ValueError):
        return []
    return list(table) if isinstance(table, dict) else []


def _united(several: Iterable[Iterable[str]]) -> list[str]:
    return sorted({name for some in several for name in some})
