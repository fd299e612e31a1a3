"""`init`: makes a workspace with a small protocol, in which every check passes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from lockstep.errors import LockstepError
from lockstep.language.inventory import Inventory
from lockstep.starter.template import WORKSPACE, filled, in_the_way, write_new
from lockstep.verbs.requests import InitRequest
from lockstep.words import shown_path
from lockstep.workspace import Workspace, workspace_in

_NAME = '"my_workspace"'
"""The name in the template's `lockstep.toml`."""


@dataclass(frozen=True)
class Initialized:
    """A workspace that was made, and the files that were written, by their paths below it."""

    workspace: Workspace
    files: tuple[Path, ...]


def init(request: InitRequest) -> Initialized:
    """Make a workspace, in a folder that need not be empty.

    Nothing is written over, and all is written or nothing. `LockstepError` where the folder has no
    name, is a workspace, or holds what is in the way, and where a file cannot be written.
    """
    root = _resolved(request.folder)
    name = root.name
    if not name.strip() or not name.isprintable():
        raise LockstepError(
            f"{str(root)!r} gives a workspace no name",
            cure="name another folder: lockstep init demo",
        )
    if root.exists() and not root.is_dir():
        raise LockstepError(f"{root} is no folder", cure="choose another name")
    if workspace_in(root) is not None:
        raise LockstepError(
            f"{root} is a workspace already",
            cure="go there; `lockstep new model NAME` adds a protocol to it",
        )
    files = filled(WORKSPACE, {_NAME: tomlkit.item(name).as_string()})
    _refuse_taken(root, files)
    write_new(root, files)
    return Initialized(Workspace(root, name), tuple(files))


def _resolved(folder: Path) -> Path:
    try:
        return folder.expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise LockstepError(f"there is no folder {folder}: {error}") from None


def _refuse_taken(root: Path, files: Iterable[Path]) -> None:
    """`LockstepError` naming all that is in the way, or that lockstep would read as its own."""
    reasons = [f"{shown_path(path)} is there already" for path in in_the_way(root, files)]
    inventory = Inventory(root)
    reasons += [
        f"{shown_path(root / 'models' / f'{model}.py')} would be taken for a model"
        for model in inventory.models
    ]
    reasons += [
        f"{shown_path(unused.file)} would be read, and refused: {unused.why}"
        for unused in inventory.unused
        if unused.is_mistake
    ]
    if reasons:
        raise LockstepError(
            "nothing was written:\n  " + "\n  ".join(reasons),
            cure="move them, or make the workspace in a folder below: "
            f"lockstep init {shown_path(root / 'protocols')}",
        )
