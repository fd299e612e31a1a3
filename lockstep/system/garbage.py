"""How often Python looks for garbage."""

from __future__ import annotations

import gc


def look_seldom() -> None:
    """Look for garbage less often than Python does by itself.

    Most of what a model is made of lives until the end. To look at all of it takes a tenth of the
    time until a search begins, and most of the time of a process that has loaded many models.
    """
    gc.set_threshold(100_000, 50, 50)
