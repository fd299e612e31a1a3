"""The folder where what can be fetched or made again is kept between runs, for all workspaces."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from lockstep.errors import LockstepError

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """The folder: $LOCKSTEP_CACHE, else lockstep/ in the user's cache folder.

    `LockstepError` where that is below the home of a user who has none.
    """
    chosen = os.environ.get("LOCKSTEP_CACHE")
    # The XDG specification says that a relative XDG_CACHE_HOME is to be ignored.
    shared = os.environ.get("XDG_CACHE_HOME", "")
    try:
        if chosen:
            return Path(chosen).expanduser()
        base = Path(shared) if os.path.isabs(shared) else Path.home() / ".cache"
    except RuntimeError as error:
        raise LockstepError(
            f"there is no cache folder: {f'LOCKSTEP_CACHE is {chosen}: ' if chosen else ''}{error}",
            cure="let LOCKSTEP_CACHE be the path of a folder",
        ) from None
    return base / "lockstep"


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone whatever the umask.

    `OSError` when one of them cannot be made.
    """
    if folder.is_dir():
        return
    make_private(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(0o700)


def open_trusted(folder: Path) -> int | None:
    """A descriptor of a folder of which code is read; None when it cannot be opened.

    Who can put a file there can have it run in our name. So a folder that others own or can
    write is an error, not a folder that is slow: only the user can tell whether it was meant.
    Root may own it, for root can do anything already. The folders above need no look: a file is
    loaded only if we own it, and nobody can give us one.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if is_trusted(status):
        return descriptor
    os.close(descriptor)
    if status.st_mode & _OTHERS_MAY_WRITE and _is_ours(status):
        raise LockstepError(
            f"{folder} holds machine code, and other users can write to it",
            cure=f"chmod go-w {folder}, or name another folder by $LOCKSTEP_CACHE",
        )
    raise LockstepError(
        f"{folder} holds machine code, and it belongs to another user",
        cure="name a folder of your own by $LOCKSTEP_CACHE",
    )


def is_trusted(status: os.stat_result) -> bool:
    """Whether only this user, or root, can have written what has this status."""
    return _is_ours(status) and not status.st_mode & _OTHERS_MAY_WRITE


def _is_ours(status: os.stat_result) -> bool:
    return status.st_uid in (os.geteuid(), 0)
