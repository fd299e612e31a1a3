"""Which models of a workspace a verb is about, and what else is given to all verbs alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError, nearest
from lockstep.language.inventory import PROPOSALS, Inventory
from lockstep.language.syntax import FUNCTIONS, syntax_of
from lockstep.specs.tables import Plain, parse_plain, parse_toml
from lockstep.words import shown_path
from lockstep.workspace import Workspace

if TYPE_CHECKING:
    from lockstep.workspace import Workspace


def choose(names: Sequence[str], workspace: Workspace) -> list[str]:
    """The models meant: those named, or all; `LockstepError` suggesting the nearest for a typo."""
    models = workspace.models()
    if not models:
        raise LockstepError(
            f"the workspace {workspace.name} ({workspace.root}) has no models",
            cure="write one in models/: a class derived from State, and actions",
        )
    for name in names:
        if name not in models:
            raise LockstepError(
                f"there is no model {name!r}",
                cure=nearest(name, models, f"the models are: {', '.join(models)}"),
            )
    return list(dict.fromkeys(names)) or models


def refuse_unread(workspace: Workspace) -> None:
    """`LockstepError` where claims, faults or scopes are in files that nothing reads."""
    files = [file for file in workspace.unused() if file.is_mistake]
    if files:
        lines = "; ".join(f"{shown_path(file.file)}: {file.why}" for file in files)
        raise LockstepError(
            f"not read: {lines}", cure="rename it, remove it, or name the models that are meant"
        )


def refuse_shipped(workspace: Workspace, cure: str) -> None:
    """`LockstepError` where files would be written into the workspace that came with lockstep."""
    if workspace.shipped:
        raise LockstepError(
            f"the workspace {workspace.name} came with lockstep, and is not changed", cure=cure
        )


_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?)\s*([KMGT]i?)?B?", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Bytes of a size such as `8GiB`, `500M` or `1.5 GB`; KB and MB count by thousands."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise LockstepError(f"--memory {text!r} is no size", cure="write it as 8GiB or 500MB")
    number, unit = float(match[1]), (match[2] or "").upper()
    power = " KMGT".index(unit[0]) if unit else 0
    return int(number * (1024 if unit.endswith("I") else 1000) ** power)


def read_constants(texts: Sequence[str]) -> dict[str, Plain]:
    """What `--set NAME=VALUE` sets; `LockstepError` for what is not so written."""
    constants: dict[str, Plain] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise LockstepError(f"--set {text!r} sets nothing", cure="write --set NAME=VALUE")
        if name.strip() in constants:
            raise LockstepError(f"--set gives {name.strip()} two values", cure="leave one out")
        constants[name.strip()] = parse_plain(value.strip())
    return constants


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
