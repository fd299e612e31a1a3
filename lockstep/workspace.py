"""Where the models are: a folder with `models`, `specs`, `invariants`, here or further up.

A folder is a workspace when it has a `lockstep.toml` with a `[workspace]` table, or a
`pyproject.toml` with a `[tool.lockstep]` table; both may hold `name`. The workspace that lockstep
carries as data is used where it is named: a check of it in the wrong folder would hold, and say
nothing of what was meant to be checked.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.specs.tables import Content, Keys, Table, parse_toml, read_toml
from lockstep.words import printable

if TYPE_CHECKING:
    from lockstep.language.inventory import Unused

SHIPPED = Path(__file__).parent / "kafka"
"""The workspace inside an installed package; an editable install has no such folder."""

OUTPUT_FOLDER = ".lockstep"

KAFKA = "kafka"
"""The name of the workspace that comes with lockstep."""


class NoWorkspace(LockstepError):
    """A folder is in no workspace."""


@dataclass(frozen=True)
class Workspace:
    """One workspace. `root` is absolute; `shipped` says that it is the installed package's own."""

    root: Path
    name: str
    shipped: bool = False

    def __str__(self) -> str:
        """The workspace as `open_workspace` takes it."""
        return KAFKA if self.shipped else str(self.root)

    def models(self) -> list[str]:
        """The names of the models, in alphabetical order."""
        from lockstep.language.model import model_names

        return model_names(self.root)

    def unused(self) -> list[Unused]:
        """The files in which something is claimed or declared, and which nothing reads."""
        from lockstep.language.inventory import Inventory

        return Inventory(self.root).unused

    @property
    def output(self) -> Path:
        """Where files are written: in the workspace, or in the current folder for a shipped one."""
        return (Path.cwd() if self.shipped else self.root) / OUTPUT_FOLDER

    def make_output(self) -> None:
        """Make the folder `output`, hidden from git; `OSError` when that cannot be done."""
        self.output.mkdir(parents=True, exist_ok=True)
        ignored = self.output / ".gitignore"
        if not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")


def open_workspace(name: str) -> Workspace:
    """The workspace of that name, `kafka`, or in that folder; `LockstepError` for any other."""
    if name == KAFKA:
        for folder in _carried():
            if (workspace := workspace_in(folder)) is not None:
                return Workspace(workspace.root, workspace.name, shipped=True)
    folder = Path(name).absolute()
    workspace = workspace_in(folder)
    if workspace is None:
        raise LockstepError(
            f"there is no workspace in {printable(str(folder))}",
            cure=f"name a folder that has a lockstep.toml, or {KAFKA} for the models of lockstep",
        )
    return workspace


def _carried() -> Iterator[Path]:
    """The folders that may have the workspace that comes with lockstep."""
    yield SHIPPED
    # An editable install has no copy of the workspace: it is the checkout itself.
    yield SHIPPED.parents[1]
    if SHIPPED.parents[1].is_file():  # an archive, as Spark hands it on
        from zipfile import Path as Archived

        from lockstep.system.workspace_text import WorkspaceText

        yield WorkspaceText.of(Archived(SHIPPED.parents[1], "lockstep/kafka/")).unpacked()


def find_workspace(start: Path | str | None = None) -> Workspace:
    """The workspace of `start` (by default the current folder) or of the nearest folder above it.

    `NoWorkspace` when there is none, `LockstepError` when the file that marks it cannot be read.
    """
    try:
        here = Path(start or Path.cwd()).absolute()
    except OSError as error:
        raise LockstepError(
            f"there is no current folder: {error.strerror}", cure="go to a folder that is there"
        ) from None
    for folder in (here, *here.parents):
        if (found := workspace_in(folder)) is not None:
            return found
    raise NoWorkspace(
        f"there is no workspace in {printable(str(here))} or above it",
        cure="go to the folder that has models/ and lockstep.toml, or make one by "
        f"`lockstep init NAME`; `--workspace {KAFKA}` has the models of lockstep itself",
    )


def option_for(root: Path) -> str:
    """What a command needs that is to use the workspace at `root`; nothing inside of it."""
    try:
        if find_workspace().root == root:
            return ""
    except LockstepError:
        pass
    shipped = map(workspace_in, _carried())
    is_shipped = root in (found.root for found in shipped if found is not None)
    return f" --workspace {KAFKA if is_shipped else shlex.quote(str(root))}"


class _Marker(Keys, frozen=True):
    workspace: Content


class _Settings(Keys, frozen=True):
    name: str | None = None


def workspace_in(folder: Path) -> Workspace | None:
    """The workspace of a folder itself; None where it is none.

    `LockstepError` when the file that marks it cannot be read.
    """
    marker = folder / "lockstep.toml"
    if marker.is_file():
        document = read_toml(marker)
        document.read(_Marker)
        return _named(folder, document.table("workspace"))
    project = folder / "pyproject.toml"
    return _from_project(folder, project) if project.is_file() else None


def _from_project(folder: Path, project: Path) -> Workspace | None:
    try:
        content = parse_toml(project.read_text("utf-8"))
    except (OSError, ValueError):
        return None  # somebody else's file: whether it is well formed is not ours to say
    tools = content.get("tool")
    table = tools.get("lockstep") if isinstance(tools, dict) else None
    return (
        _named(folder, Table(str(project), "tool.lockstep", table))
        if isinstance(table, dict)
        else None
    )


def _named(folder: Path, table: Table) -> Workspace:
    return Workspace(folder, table.read(_Settings).name or folder.name)
