"""`new`: adds the files of one more protocol to a workspace."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from pathlib import Path

import lockstep as notation
from lockstep.errors import LockstepError
from lockstep.language.inventory import OF_REQUIREMENTS
from lockstep.starter.template import MODEL, filled, write_new
from lockstep.verbs.models import refuse_shipped
from lockstep.verbs.requests import NewRequest
from lockstep.workspace import Workspace, find_workspace

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 64
"""Letters of a name."""

_FOLDERS = ("faults", "lemmas", "proposals")
_FILES = ("review",)
"""Names that mean something else in `specs/`."""

_TAKEN = frozenset(notation.__all__) | {"Count"}
"""Names of classes that stand in the template."""

_STANDARD_MODULES = (
    "Bags",
    "FiniteSets",
    "Integers",
    "Naturals",
    "Randomization",
    "RealTime",
    "Reals",
    "Sequences",
    "Tlc",
    "Toolbox",
)
"""Modules of TLA+, which a file of that name would hide."""


@dataclass(frozen=True)
class Begun:
    """A protocol that was begun, and the files that were written, by their paths below it."""

    model: str
    workspace: Workspace
    files: tuple[Path, ...]


def new(request: NewRequest) -> Begun:
    """Write the files of a protocol that is small, and in which every check passes.

    All are written or none. `LockstepError` where the name is no name or taken, or a file cannot be
    written.
    """
    workspace = request.workspace or find_workspace()
    refuse_shipped(workspace, "make a workspace of your own: lockstep init NAME")
    name = request.name
    type_name = "".join(part.capitalize() for part in name.split("_"))
    _refuse(name, type_name, workspace.root)
    files = filled(MODEL, {"my_protocol": name, "MyProtocol": type_name})
    write_new(workspace.root, files)
    return Begun(name, workspace, tuple(files))


def _refuse(name: str, type_name: str, root: Path) -> None:
    is_word = _NAME.fullmatch(name) is not None and len(name) <= _LONGEST
    if not is_word or keyword.iskeyword(name):
        raise LockstepError(
            f"{name!r} is no name of a model",
            cure=f"write up to {_LONGEST} small letters, as in lock_service",
        )
    is_folder = name in _FOLDERS or root.joinpath("models", name).is_dir()
    is_other = name.startswith(OF_REQUIREMENTS) or name in _FILES
    is_taken = type_name in _TAKEN or keyword.iskeyword(type_name)
    if is_folder or is_other or is_taken or type_name in _STANDARD_MODULES:
        raise LockstepError(f"{name} means something else", cure="choose another name")
