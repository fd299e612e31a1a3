"""A workspace as git has it in a revision."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.git import git
from lockstep.system.scratch import scratch_folder
from lockstep.workspace import Workspace

_PARTS = ("models", "invariants", "specs", "tla", "lockstep.toml", "pyproject.toml")
"""What a model and its twin need of their workspace."""

_NAME_ONE = "name a revision of this repository, as in main"


def commit_of(workspace: Workspace, revision: str) -> str:
    """The commit that a revision names, as git writes it in full.

    `LockstepError` where the workspace is in no git repository, or that has no such revision.
    """
    prefix_of(workspace)  # says what is wrong where there is no repository
    try:
        if revision.startswith("-"):
            raise LockstepError("an option is no revision")
        name = git(
            workspace.root,
            "rev-parse",
            "--verify",
            "--quiet",
            f"{revision}^{{commit}}",
            cure=_NAME_ONE,
        )
    except LockstepError:
        raise LockstepError(
            f"git has no revision {revision!r}", cure=_cure(workspace.root)
        ) from None
    return name.decode().strip()


def prefix_of(workspace: Workspace) -> str:
    """The path of the workspace in its repository, `""` or with a `/` at its end."""
    cure = "put the workspace under git, or name no revision"
    prefix = git(workspace.root, "rev-parse", "--show-prefix", cure=cure)
    return os.fsdecode(prefix.removesuffix(b"\n"))


def top_of(workspace: Workspace) -> Path:
    """The folder of the repository that a workspace is in."""
    top = git(workspace.root, "rev-parse", "--show-toplevel", cure=_NAME_ONE)
    return Path(os.fsdecode(top.removesuffix(b"\n")))


@contextmanager
def workspace_at(workspace: Workspace, revision: str) -> Iterator[Workspace]:
    """The workspace as git has it in a revision, in a folder that is gone afterwards.

    `LockstepError` as of `commit_of`, and where the workspace is not in that revision.
    """
    tree = f"{commit_of(workspace, revision)}:{prefix_of(workspace)}"
    root = top_of(workspace)  # in a folder below it, git looks for the same folder in the tree
    names = git(root, "ls-tree", "--name-only", "-z", tree, cure=_NAME_ONE).decode().split("\0")
    parts = [name for name in names if name in _PARTS]
    with scratch_folder("lockstep-revision-") as folder:
        if parts:
            archive = git(root, "archive", "--format=tar", tree, *parts, cure=_NAME_ONE)
            try:
                with tarfile.open(fileobj=io.BytesIO(archive)) as files:
                    files.extractall(folder, filter="data")
            except tarfile.TarError as error:
                raise LockstepError(
                    f"the workspace of {revision} cannot be read: {error}",
                    cure="a link in it must not lead out of the workspace",
                ) from None
        yield Workspace(folder, workspace.name)


def _cure(root: Path) -> str:
    """What to do about a revision that is not there."""
    try:
        is_shallow = git(root, "rev-parse", "--is-shallow-repository", cure="").strip() == b"true"
    except LockstepError:
        is_shallow = False
    if is_shallow:
        return "this clone is shallow: fetch the revision, or all of them (git fetch --unshallow)"
    return _NAME_ONE
