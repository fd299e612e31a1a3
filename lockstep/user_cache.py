"""The folder where what can be fetched or made again is kept between runs, for all workspaces."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder: $LOCKSTEP_CACHE, else lockstep/ in the user's cache folder."""
    chosen = os.environ.get("LOCKSTEP_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    # The XDG specification says that a relative XDG_CACHE_HOME is to be ignored.
    shared = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(shared) if os.path.isabs(shared) else Path.home() / ".cache"
    return base / "lockstep"
