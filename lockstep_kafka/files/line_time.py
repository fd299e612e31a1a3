"""The time that a line of a log begins with, as log layouts print it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND_TIME = re.compile(rb"\W*([0-9]{13})(?![0-9])")
_DATE_TIME = re.compile(
    rb"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2})"
    rb"(?:[.,]([0-9]{1,9}))?(Z|\s?[+-][0-9]{2}:?[0-9]{2}(?![0-9]))?"
)


def time_ms(prefix: bytes) -> int | None:
    """Milliseconds since 1970: 13 digits at the beginning, or the first date and time of day.

    A date without a time zone is taken for UTC. None where there is neither, or no such date.
    """
    if milliseconds := _MILLISECOND_TIME.match(prefix):
        return int(milliseconds[1])
    match = _DATE_TIME.search(prefix)
    if match is None:
        return None
    date, fraction, zone = match.groups()
    seconds = _seconds(date, zone or b"Z")
    if seconds is None:
        return None
    return seconds * 1000 + int((fraction or b"0")[:3].ljust(3, b"0"))


@lru_cache(maxsize=64)
def _seconds(date: bytes, zone: bytes) -> int | None:
    # Many lines are written within a second, and a date takes longer to read than all else here.
    try:
        moment = datetime.fromisoformat((date + zone.strip()).decode())
        return (moment - _EPOCH) // timedelta(seconds=1)
    except ValueError:
        return None
