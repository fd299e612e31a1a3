"""The day whose share of the dear tests is run; $LOCKSTEP_DAY names another, to repeat it.

Of the cases of a test marked `daily(days)`, one in so many is run on a day: each comes up within
that many days, and `-m verify` runs them all. Random examples of `drawn_daily` are others each day.
"""

import datetime
import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, seed, settings

VARIABLE = "LOCKSTEP_DAY"


def day() -> int:
    """The number of the day; one and the same in all processes of a run."""
    today = str(datetime.datetime.now(datetime.UTC).toordinal())
    return int(os.environ.setdefault(VARIABLE, today))


def leave_for_verify(items: Iterable[pytest.Item], *, verifies: bool) -> None:
    """Mark `verify` the daily cases that are not of today; all of them where that is run.

    Tests begin with different cases, so that a day does not have the first ones of all; but those
    of one file with the same ones, which may share what they begin with.
    """
    cases = Counter[str]()
    for item in items:
        mark = item.get_closest_marker("daily")
        if mark is None:
            continue
        test, is_one_of_many, _ = item.nodeid.partition("[")
        first = crc32((test.partition("::")[0] if is_one_of_many else test).encode())
        (days,) = mark.args
        if verifies or (cases[test] + first + day()) % days:
            item.add_marker("verify")
        cases[test] += 1


def drawn_daily(examples: int) -> Callable[[Any], Any]:
    """Draw so many random examples; as many as the profile says, which nobody chose, in `wide`."""
    if not settings().derandomize:
        return settings(suppress_health_check=list(HealthCheck))

    def drawn(test: Any) -> Any:
        of_the_profile = settings(max_examples=examples, suppress_health_check=list(HealthCheck))
        return seed(day())(of_the_profile(test))

    return drawn
