"""How values of options are read that several verbs have."""

from __future__ import annotations

import math

from typer import BadParameter

MOST_THREADS = 1_024
"""More than this is a slip of the pen: each thread takes memory of its own."""

MOST_SECONDS = 1e9
"""Thirty years; the clocks of operating systems cannot wait for much longer."""


def seconds(text: str) -> float:
    """A bound on time, in seconds from 0 up; `BadParameter` for a text that is none."""
    try:
        value = float(text)
    except ValueError:
        raise BadParameter(f"{text!r} is not a number of seconds") from None
    if not math.isfinite(value) or not 0 <= value <= MOST_SECONDS:
        raise BadParameter(f"{text!r} is not between 0 and {MOST_SECONDS:,.0f} seconds")
    return value
