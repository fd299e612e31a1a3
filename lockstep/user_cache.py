"""The folder where what can be fetched or made again is kept between runs, for all workspaces."""

from __future__ import annotations

import os
from pathlib import Path

from lockstep.errors import LockstepError


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
