"""The day whose share of the dear tests is run; $LOCKSTEP_DAY names another, to repeat it.

Of the cases of a test marked `daily(days)`, one in so many is run on a day: each comes up within
that many days, and `-m verify` runs them all. Random examples of `drawn_daily` are others each day.

Tests without the mark that took long have their days too: `dear.json` says what each took, in
seconds of processor time, and `pytest --record-dear` writes it. Every day has as much to do.
"""

import datetime
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, seed, settings

VARIABLE = "LOCKSTEP_DAY"
DEAR = Path(__file__).with_name("dear.json")
"""What dear tests took, by their ids."""
DEAR_SECONDS = 1.0
"""What a test takes that has its days."""
_PERIODS = ((8.0, 12), (4.0, 6), (2.0, 4), (DEAR_SECONDS, 2))
"""Of tests that took at least so many seconds, one in so many is run on a day."""
_ROUND = 12
"""After so many days the same tests come again."""


def day() -> int:
    """The number of the day; one and the same in all processes of a run."""
    today = str(datetime.datetime.now(datetime.UTC).toordinal())
    return int(os.environ.setdefault(VARIABLE, today))


def leave_for_verify(items: Iterable[pytest.Item], *, verifies: bool) -> None:
    """Mark `verify` the daily cases that are not of today; all of them where that is run.

    Tests begin with different cases, so that a day does not have the first ones of all; but those
    of one file with the same ones, which may share what they begin with. Where pages are to have
    what is printed now, all are followed.
    """
    if os.environ.get("LOCKSTEP_ACCEPT"):
        return
    cases = Counter[str]()
    today = days_of_dear(json.loads(DEAR.read_text(encoding="utf-8")))
    for item in items:
        mark = item.get_closest_marker("daily")
        if mark is None:
            slot, days = today.get(item.nodeid, (0, 1))
            if (verifies and days > 1) or (day() - slot) % days:
                item.add_marker("verify")
            continue
        test, is_one_of_many, _ = item.nodeid.partition("[")
        first = crc32((test.partition("::")[0] if is_one_of_many else test).encode())
        (days,) = mark.args
        if verifies or (cases[test] + first + day()) % days:
            item.add_marker("verify")
        cases[test] += 1


def days_of_dear(seconds: Mapping[str, float]) -> dict[str, tuple[int, int]]:
    """The first day of each dear test, and in how many days it comes again.

    The dearest have their day first, and each the one that has the least to do.
    """
    work = [0.0] * _ROUND
    days: dict[str, tuple[int, int]] = {}
    for test in sorted(seconds, key=lambda test: (-seconds[test], test)):
        period = next(days for least, days in _PERIODS if seconds[test] >= least)
        slot = min(range(period), key=lambda slot: sum(work[slot::period]))
        days[test] = slot, period
        for one in range(slot, _ROUND, period):
            work[one] += seconds[test]
    return days


def drawn_daily(examples: int) -> Callable[[Any], Any]:
    """Draw so many random examples; as many as the profile says, which nobody chose, in `wide`."""
    if not settings().derandomize:
        return settings(suppress_health_check=list(HealthCheck))

    def drawn(test: Any) -> Any:
        of_the_profile = settings(max_examples=examples, suppress_health_check=list(HealthCheck))
        return seed(day())(of_the_profile(test))

    return drawn
