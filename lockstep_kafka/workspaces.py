"""The model that logs are followed through and simulated from, in the workspace that has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.specs.kip import load_kips
from lockstep.workspace import KAFKA, NoWorkspace, Workspace, find_workspace, open_workspace

MODEL = "fetch_session"

LoadModel: TypeAlias = Callable[[Mapping[str, object]], Model]
"""The model of logs, with these constants."""


def workspace_for_logs() -> Workspace:
    """The workspace of the current folder, where it has the model; else that of lockstep itself.

    A log of Kafka is followed through models of Kafka: there is no other that could be meant.
    """
    with suppress(NoWorkspace):
        if has_model(workspace := find_workspace()):
            return workspace
    return open_workspace(KAFKA)


def has_model(workspace: Workspace) -> bool:
    """Whether logs can be followed through a model of the workspace."""
    return (workspace.root / "models" / f"{MODEL}.py").is_file()


def model_for_logs(workspace: Workspace, named: str | None, use: str) -> str:
    """The model's name; `LockstepError` where another is named, or the workspace has no such model.

    `use` completes "the model cannot".
    """
    if named not in (None, MODEL):
        raise LockstepError(f"{named} cannot {use}", cure=f"name one of: {MODEL}")
    if not has_model(workspace):
        raise LockstepError(
            f"no model can {use} in the workspace {workspace.name}",
            cure=f"`--workspace {KAFKA}` has {MODEL}, which can",
        )
    return MODEL


def loader(root: Path) -> LoadModel:
    """Loads the model from the workspace at `root`."""
    return lambda constants: load_model(root, MODEL, constants)


def requirement_texts(root: Path) -> dict[str, str]:
    """The text of each requirement, and the title of each deviation, by its id."""
    texts: dict[str, str] = {}
    for kip in load_kips(root):
        texts |= {row.id: row.text for row in kip.requirements}
        texts |= {row.id: row.title for row in kip.deviations}
    return texts
