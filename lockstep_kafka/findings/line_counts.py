"""How many lines were followed, and what was said of them: rows of a table of metrics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class LineCounts:
    """Lines of one client with one version of the protocol, written within one hour.

    `hour` counts the hours since 1970; None is for lines without a time. `partial` lines were
    judged in part only. A line counts once as a departure of a side, or as an unknown of it.
    """

    client: str
    api_version: int
    hour: int | None
    lines: int = 0
    partial: int = 0
    client_departures: int = 0
    broker_departures: int = 0
    unknowns: int = 0
