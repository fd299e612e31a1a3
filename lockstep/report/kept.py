"""How a result that an earlier run has decided is told from one of this run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lockstep.campaign.task import Row
from lockstep.words import plural


def since_text(since: datetime | None) -> str:
    """What a line says after its verdict; nothing of a result that was decided in this run."""
    return "" if since is None else f", kept since {since.astimezone():%Y-%m-%d %H:%M}"


def rows_since_text(rows: Sequence[Row]) -> str:
    """A line on the rows of a table that an earlier run has kept."""
    since = min(datetime.fromisoformat(row.since) for row in rows)
    return f"{plural(len(rows), 'row')}{since_text(since)}; --no-cache explores anew"
