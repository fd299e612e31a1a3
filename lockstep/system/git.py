"""What git says of a folder, and of its revision."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError

_OF_ANOTHER = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""What git sets for its hooks: of their repository, of which a folder may be no part."""

_MOST_SECONDS = 300
"""Git is given up after that: it may wait for a server that does not answer."""


def git(folder: Path, *arguments: str, cure: str) -> bytes:
    """What git prints in a folder; `LockstepError` with its own words where it fails."""
    # Nobody is there to be asked for a password, and nothing in the repository is changed.
    environment = {name: text for name, text in os.environ.items() if name not in _OF_ANOTHER}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LockstepError(
            f"git {' '.join(arguments[:2])} did not end in {_MOST_SECONDS} seconds", cure=cure
        ) from None
    except OSError as error:
        raise LockstepError(
            f"git cannot be started: {error.strerror}", cure=f"install git, or {cure}"
        ) from None
    if done.returncode:
        first = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise LockstepError(f"git {' '.join(arguments[:2])} failed: {first}", cure=cure)
    return done.stdout


def folder_in_repository(folder: Path) -> str | None:
    """The path of a folder in its repository, `""` or with a `/` at its end; None in none."""
    try:
        return os.fsdecode(git(folder, "rev-parse", "--show-prefix", cure="")).removesuffix("\n")
    except LockstepError:
        return None


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
    try:
        commit = git(folder, "rev-parse", "--verify", "HEAD^{commit}", cure="")
        changes = git(folder, "status", "--porcelain", "--", ".", cure="")
    except LockstepError:
        return None
    return Revision(commit.decode().strip(), bool(changes), folder_in_repository(folder) or "")
