"""What a log shows of the order of requests, and of what a leader reported."""

from __future__ import annotations

import pytest

from lockstep_kafka.simulated.damage.log import Log
from tests.kafka.simulated.damage.lines import fetch, log

P = ("AAAAAAAAAAAAAAAAAAAAAQ", 0)
HERE, THERE = "10.0.0.1:9092-10.0.0.2:40001-0-1", "10.0.0.1:9092-10.0.0.2:40002-0-2"
LAST = 2**31 - 1


def test_correlation_ids_wrap() -> None:
    wrapping = log(
        fetch(LAST - 1, (0, 0), asks={P: 5}, answers={P: 5}, session=7),
        fetch(LAST, (7, 1), session=7),
        fetch(-LAST - 1, (7, 2), session=7),
        fetch(-LAST + 1, (7, 3), session=7),
    )
    first, second, third, fourth = wrapping.fetches
    assert wrapping.before(first) is None
    assert wrapping.before(third) is second
    assert wrapping.hole(second, third) == 0
    assert wrapping.hole(third, fourth) == 1
    assert [run.lines for run in wrapping.runs] == [(first, second, third, fourth)]


def reported(watermark: int | None) -> Log:
    """A fetcher is sent a watermark after another one was sent 9."""
    return log(
        fetch(1, (0, 0), asks={P: 5}, answers={P: 5}, session=7, connection=HERE),
        fetch(1, (0, 0), asks={P: 5}, answers={P: 9}, session=8, connection=THERE),
        fetch(2, (8, 1), answers={P: watermark}, session=8, connection=THERE),
        fetch(2, (7, 1), session=7, connection=HERE),
        fetch(3, (7, 2), answers={P: 9}, session=7, connection=HERE),
    )


@pytest.mark.parametrize(("watermark", "highest"), [(9, 9), (12, 12), (None, -1)])
def test_an_error_may_be_the_end_of_what_a_leader_reported(
    watermark: int | None, highest: int
) -> None:
    shown = reported(watermark)
    assert shown.reported_to_others(P, shown.fetches[-1], "highWatermark") == highest


def test_what_stands_behind_a_document_stays() -> None:
    line = fetch(1, (0, 0), asks={P: 5}, answers={P: 5}, session=7)
    before = log(f"{line} (kafka.request.logger)")
    after = before.with_documents({1: before.fetches[0].document | {"totalTimeMs": 3}})
    assert after.lines[0].endswith('"totalTimeMs":3} (kafka.request.logger)')
