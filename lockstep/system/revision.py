"""The git revision of a folder, where it is in a repository."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Revision:
    """A commit, whether files of the folder differ from it, and the folder's path in it.

    `prefix` is empty or ends with a slash.
    """

    commit: str
    is_changed: bool
    prefix: str

    def __str__(self) -> str:
        return self.commit[:12] + " with changes" * self.is_changed


def revision_of(folder: Path) -> Revision | None:
    """The revision of a folder; None outside of a repository, without a commit or without git."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD^{commit}")
    prefix = _git(folder, "rev-parse", "--show-prefix")
    changes = _git(folder, "status", "--porcelain", "--", ".")
    if commit is None or prefix is None or changes is None:
        return None
    return Revision(commit.strip(), bool(changes.strip()), prefix.strip())


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
