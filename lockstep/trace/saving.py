"""Saves a behaviour for `lockstep replay`, under a name that says what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError, not_written
from lockstep.language.model import Model
from lockstep.results.trace import Trace
from lockstep.system.text_files import write_text
from lockstep.trace.itf import Origin, to_json
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Saved:
    """Where a file was written, or why it was not."""

    file: Path | None = None
    why_not: str | None = None

    @property
    def place(self) -> str | None:
        """The path of the file as a text."""
        return None if self.file is None else str(self.file)


NOTHING_SAVED = Saved()


def save_trace(
    workspace: Workspace, model: Model, trace: Trace, origin: Origin, folder: Path | None = None
) -> Saved:
    """Write a behaviour to a file in `folder`, by default the workspace's own for traces.

    An earlier file of the same name is replaced. Nothing is raised when it cannot be written: a
    verdict stands without its trace.
    """
    folder = traces_folder(workspace) if folder is None else folder
    return save_as(folder / file_name(origin), workspace, model, trace, origin)


def save_as(file: Path, workspace: Workspace, model: Model, trace: Trace, origin: Origin) -> Saved:
    """Write a behaviour to a file of a given name, in the same way."""
    folder = file.parent
    try:
        if folder.is_relative_to(workspace.output):
            workspace.make_output()
        write_text(file, to_json(model, trace, origin))
    except OSError as error:
        return Saved(None, not_written(workspace.output, error))
    except LockstepError as error:
        return Saved(None, error.message)
    return Saved(file)


def traces_folder(workspace: Workspace) -> Path:
    """Where traces are saved unless another folder is named."""
    return workspace.output / "counterexamples"


def file_name(origin: Origin) -> str:
    """`MODEL-PROPERTY.itf.json`, with the name of a fault or a proposal after the property.

    In place of a property stands `found` where a goal was looked for, and `error` where the text
    has no meaning.
    """
    shows = origin.property or ("error" if origin.goal is None else "found")
    parts = [origin.model, shows, *filter(None, (origin.fault, origin.proposal))]
    return f"{'-'.join(parts)}.itf.json"
