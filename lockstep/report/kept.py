"""How a result that an earlier run has decided is told from one of this run."""

from __future__ import annotations

from datetime import datetime


def since_text(since: datetime | None) -> str:
    """What a line says after its verdict; nothing of a result that was decided in this run."""
    return "" if since is None else f", kept since {since.astimezone():%Y-%m-%d %H:%M}"
