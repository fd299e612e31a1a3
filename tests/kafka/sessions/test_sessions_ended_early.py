"""A session that was judged to its end before its opening: a clock that steps back says so."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.findings import SideName
from lockstep_kafka.sessions.explanations import Explanations
from tests.kafka.conform.clock_steps import departures, stepped
from tests.kafka.sessions.following import explanations
from tests.kafka.sessions.test_attacks import (
    ANSWERED,
    ASKED,
    BEGIN_MS,
    OPENING,
    PARTITION,
)

A, B, C = (f"127.0.0.1:9092-127.0.0.1:5000{place}-0-{place}" for place in range(3))
STEPS_MS = (-12_000, *range(-7_500, -1_000, 500), 1_500, 6_000, 20_000)


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


def scenario(end: dict[str, object]) -> list[FetchLine]:
    """Connection A opens session 77, B uses it on, C ends it."""
    opening = replace(OPENING, connection=A)
    incremental = [
        replace(
            OPENING,
            connection=connection,
            session_id=77,
            session_epoch=epoch,
            partitions={},
            answered={},
        )
        for epoch, connection in enumerate((A, A, B, B, B, B), start=1)
    ]
    last = replace(incremental[-1], connection=C, **end)
    again = replace(opening, connection=C, response_session_id=79)
    return [
        replace(line, line=place + 1, correlation_id=place, time_ms=BEGIN_MS + 300 * place)
        for place, line in enumerate((opening, *incremental, last, again))
    ]


ENDS: dict[str, dict[str, object]] = {
    "unknown": {"session_epoch": 7, "error_code": 70},
    "closed": {"session_epoch": -1},
    "opened again": {
        "session_epoch": 0,
        "partitions": {PARTITION: ASKED},
        "answered": {PARTITION: ANSWERED},
        "response_session_id": 78,
    },
}


@pytest.mark.parametrize("end", ENDS)
def test_nobody_departs(model: Explanations, end: str) -> None:
    lines = scenario({"response_session_id": 0} | ENDS[end])
    for place in range(1, len(lines)):
        for step in STEPS_MS:
            reported = departures(model, stepped(lines, {place: step}))
            assert [one for one in reported if f" {SideName.BROKER}:" in one] == [], (place, step)


def test_a_session_that_goes_on_after_its_end_departs(model: Explanations) -> None:
    """On the connection that closed it: no clock is needed to say so."""
    lines = scenario(ENDS["closed"])
    lines[-1] = replace(lines[-1], session_id=77, session_epoch=7, response_session_id=77)
    assert any("the session is gone" in one for one in departures(model, lines))
