"""`propose`: begins a proposal, a file that changes a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError, not_written
from lockstep.language.faults import fault_marks
from lockstep.language.inventory import PROPOSALS
from lockstep.language.model import load_model
from lockstep.system.text_files import write_text
from lockstep.verbs.models import choose, refuse_shipped
from lockstep.verbs.requests import ProposeRequest
from lockstep.workspace import find_workspace


@dataclass(frozen=True)
class Proposed:
    """A proposal that was begun."""

    model: str
    name: str
    file: Path


def propose(request: ProposeRequest) -> Proposed:
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
    return Proposed(model, name, file)


def _text(model: str, name: str, module: str, state: str) -> str:
    words = name.replace("_", " ")
    return f'''"""What {words} would change in {model}.

A function marked @replaces(old) stands in for `old` of the model, wherever that is used: import
`old` from the file that has it. A function marked @action is one action more. A class derived from
{state} (of {module}) adds variables.
"""
'''
