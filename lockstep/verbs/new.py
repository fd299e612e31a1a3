"""What begins something: `init` a workspace, `new` a model, `propose` a change of one."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import tomlkit

import lockstep as notation
from lockstep.answers.answer import Answer
from lockstep.errors import LockstepError, not_written
from lockstep.language.faults import fault_marks
from lockstep.language.inventory import OF_REQUIREMENTS, PROPOSALS, Inventory
from lockstep.language.model import load_model
from lockstep.requests.option import choose, refuse_shipped
from lockstep.requests.others import InitRequest, NewRequest, ProposeRequest
from lockstep.starter.template import MODEL, WORKSPACE, filled, in_the_way, write_new
from lockstep.system.text_files import write_text
from lockstep.words import shown_path
from lockstep.workspace import Workspace, find_workspace, workspace_in

_WORKSPACE_NAME = '"my_workspace"'
"""The name in the template's `lockstep.toml`."""


@dataclass(frozen=True)
class Begun:
    """The files of a workspace, a model or a proposal that was begun, by their paths below it."""

    workspace: Workspace
    files: tuple[Path, ...]
    model: str = ""
    proposal: str | None = None

    @property
    def verb(self) -> str:
        """The verb that begins such a thing."""
        return "propose" if self.proposal else "new" if self.model else "init"


class BegunDetails(msgspec.Struct, frozen=True):
    """What only the answer about something that was begun has."""

    workspace: str
    """The name of the workspace."""
    folder: str
    """Its folder."""
    files: tuple[str, ...]
    """The paths below the folder that were written."""


def begun_answer(begun: Begun) -> Answer:
    """The answer about something that was begun."""
    files = tuple(file.as_posix() for file in begun.files)
    return Answer(
        kind=begun.verb,
        model=begun.model,
        proposal=begun.proposal,
        details=BegunDetails(begun.workspace.name, str(begun.workspace.root), files),
    )


def init(request: InitRequest) -> Begun:
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
    files = filled(WORKSPACE, {_WORKSPACE_NAME: tomlkit.item(name).as_string()})
    _refuse_taken(root, files)
    write_new(root, files)
    return Begun(Workspace(root, name), tuple(files))


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
    return Begun(workspace, tuple(files), name)


def _refuse(name: str, type_name: str, root: Path) -> None:
    if keyword.iskeyword(name):
        raise LockstepError(f"{name} is a keyword of Python", cure="choose another name")
    if _NAME.fullmatch(name) is None or len(name) > _LONGEST:
        raise LockstepError(
            f"{name!r} is no name of a model",
            cure=f"write up to {_LONGEST} small letters, as in lock_service",
        )
    is_folder = name in _FOLDERS or root.joinpath("models", name).is_dir()
    is_other = name.startswith(OF_REQUIREMENTS) or name in _FILES
    is_taken = type_name in _TAKEN or keyword.iskeyword(type_name)
    if is_folder or is_other or is_taken or type_name in _STANDARD_MODULES:
        raise LockstepError(f"{name} means something else", cure="choose another name")


def propose(request: ProposeRequest) -> Begun:
    """Write the file of a proposal that changes nothing yet.

    `LockstepError` where the model is not there, the name is no name or taken, or the file cannot
    be written.
    """
    workspace = request.workspace or find_workspace()
    (model,) = choose([request.model], workspace)
    name = request.name
    if not name.isidentifier():
        raise LockstepError(f"{name!r} is no name", cure="write one as in Python: no_retries")
    refuse_shipped(workspace, "propose a change in a workspace of your own")
    if name in fault_marks(workspace.root, model):
        raise LockstepError(f"{model} has a fault {name}", cure="choose another name")
    file = workspace.root / PROPOSALS / model / f"{name}.py"
    if file.exists():
        raise LockstepError(f"{file} is there already", cure="choose another name")
    state = load_model(workspace.root, model).state
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, _text(model, name, state.__module__, state.__name__))
    except OSError as error:
        raise LockstepError(not_written(file, error)) from None
    return Begun(workspace, (file.relative_to(workspace.root),), model, name)


def _text(model: str, name: str, module: str, state: str) -> str:
    words = name.replace("_", " ")
    return f'''"""What {words} would change in {model}.

A function marked @replaces(old) stands in for `old` of the model, wherever that is used: import
`old` from the file that has it. A function marked @action is one action more. A class derived from
{state} (of {module}) adds variables.
"""
'''
