"""`check --changed`: which models a change since a revision can affect, and which not.

A model is made of the files of which its result is made: its text with all that this imports, its
claims, its scopes and the requirements that they name. Each is compared with what git has in the
revision, whether the change is committed, staged or neither, and ignored by git or not. What is in
doubt is affected.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.inventory import Inventory
from lockstep.requests.version import commit_of, prefix_of, top_of, workspace_at
from lockstep.specs.scopes import ModelSpec
from lockstep.system.git import git
from lockstep.system.interruption import INTERRUPTION
from lockstep.workspace import Workspace

_ENVIRONMENT = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements*.txt",
    "constraints*.txt",
    "*.lock",
)
"""Files that say which versions of lockstep and of what it needs are installed."""

_PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of lockstep itself."""


@dataclass(frozen=True)
class Affected:
    """What became of models since a revision.

    `commit` is that of the revision. `reasons` says of each model that is to be checked why, and
    `skipped` are the others.
    """

    revision: str
    commit: str
    reasons: Mapping[str, str]
    skipped: tuple[str, ...]

    @property
    def why_skipped(self) -> str:
        """Why a model is skipped."""
        return f"nothing that it is made of changed since {self.revision}"


def affected_models(
    workspace: Workspace,
    revision: str,
    models: Sequence[str],
    files: Callable[[str], Iterable[Path]],
) -> Affected:
    """Which of some models a change since a revision can affect.

    `files` gives all files that a model depends on, there or not. A model for which it fails is
    affected. `LockstepError` where there is no such revision.
    """
    commit = commit_of(workspace, revision)
    if (engine := _changed_engine(workspace, commit)) is not None:
        why = f"{engine} changed since {revision}, which any model depends on"
        return Affected(revision, commit, dict.fromkeys(models, why), ())
    with ExitStack() as folders:
        try:
            before = folders.enter_context(workspace_at(workspace, commit))
        except LockstepError:
            if _is_in(workspace, commit):
                raise
            why = f"the workspace is new since {revision}"
            return Affected(revision, commit, dict.fromkeys(models, why), ())
        names = Inventory(before.root).models
        changes = {
            name: f"there was no model {name} in {revision}"
            if name not in names
            else _change(workspace.root, before.root, partial(files, name), revision)
            for name in models
        }
    reasons = {name: why for name, why in changes.items() if why is not None}
    return Affected(
        revision, commit, reasons, tuple(name for name in models if name not in reasons)
    )


def spec_files(root: Path, spec: ModelSpec) -> list[Path]:
    """The file of a model's scopes, there or not, and those of the requirements that it names."""
    names = (spec.name, *spec.requirements)
    return [root / "specs" / f"{name}.toml" for name in names]


def _change(
    now: Path, before: Path, files: Callable[[], Iterable[Path]], revision: str
) -> str | None:
    """What of some files changed, in words; None if nothing did."""
    INTERRUPTION.heed()
    try:
        wanted = sorted(set(files()))
    except Exception:
        INTERRUPTION.heed()
        return "what it is made of is not known"
    for file in wanted:
        name = file.relative_to(now)
        if not _is_same(file, before / name):
            return f"{name.as_posix()} changed since {revision}"
    return None


def _is_same(one: Path, other: Path) -> bool:
    """Whether a module, or another file, is there twice alike, or not at all."""
    try:
        contents = [file.read_bytes() if os.path.lexists(file) else None for file in (one, other)]
    except OSError:
        return False  # what is no file that can be read is in doubt
    if contents == [None, None]:
        return one.with_suffix("").is_dir() == other.with_suffix("").is_dir()
    return contents[0] == contents[1]


def _changed_engine(workspace: Workspace, commit: str) -> str | None:
    """A file that says how any model is explored and has changed; None where none has.

    These are lockstep's own if it is part of the repository, and those that say which version of
    it is installed.
    """
    cure = "leave out --changed"
    root = top_of(workspace)
    here = re.sub(r"([*?[\\])", r"\\\1", prefix_of(workspace))
    folders = dict.fromkeys(["", here])
    wanted = [f":(glob){folder}{name}" for folder in folders for name in _ENVIRONMENT]
    if _PACKAGE.is_relative_to(root):
        package = f":(literal){_PACKAGE.relative_to(root).as_posix()}"
        if git(root, "ls-files", "-z", "--", package, cure=cure):
            wanted.append(package)
    changed = git(
        root,
        "diff",
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "-z",
        commit,
        "--",
        *wanted,
        cure=cure,
    )
    untracked = git(
        root,
        "ls-files",
        "--others",
        "--exclude-standard",
        "-z",
        "--",
        *wanted,
        cure=cure,
    )
    return next(filter(None, map(os.fsdecode, (changed + untracked).split(b"\0"))), None)


def _is_in(workspace: Workspace, commit: str) -> bool:
    """Whether a commit has the folder of the workspace."""
    tree = f"{commit}:{prefix_of(workspace)}"
    try:
        git(workspace.root, "rev-parse", "--verify", "--quiet", tree, cure="")
    except LockstepError:
        return False
    return True
