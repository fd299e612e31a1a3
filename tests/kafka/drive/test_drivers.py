"""Kafka's own classes in step with the models, by the drivers that are ready made."""

from __future__ import annotations

import pytest

from lockstep_kafka.drive.differences import OF_SESSIONS, OF_THE_CACHE
from lockstep_kafka.jars import JARS, NEWEST
from tests.kafka.drive.exercises import (
    departing,
    in_child,
    refused_by_the_letter,
    usage_mistakes,
    what_came,
)

KAFKAS_ORDER = {"KAFKA_ORDER": True}
"""With the deviations 227-D27 and 227-D29, which all releases have."""
ONE_TICK = {**KAFKAS_ORDER, "MAX_TIME": 1, "MAX_SIZE": 1}


def test_random_behaviours_of_sessions_conform() -> None:
    came = in_child(what_came, "fetch_session", "kafka-sessions", {}, 15)
    assert (came.verdict, came.steps > 100) == ("holds", True), came
    assert came.software == f"Apache Kafka {NEWEST}"


def test_every_transition_of_a_small_cache_is_done() -> None:
    came = in_child(what_came, "session_cache", "kafka-session-cache:4.2.0", ONE_TICK, None)
    assert came.verdict == "holds", came
    assert came.done + came.ties == came.chosen > 500


def test_every_difference_departs_and_kafka_does_not() -> None:
    sessions = [f"kafka-sessions+{name}" for name in OF_SESSIONS]
    cache = [f"kafka-session-cache+{name}" for name in OF_THE_CACHE]
    assert in_child(departing) == [*sessions, *cache]


def test_by_the_letter_of_the_kip_a_session_comes_into_reach_too_late() -> None:
    """227-D27: Kafka refuses a session that the KIP lets in."""
    said = in_child(refused_by_the_letter)
    assert "decide(): no outcome explains what was observed" in said
    assert "refuse() is not enabled" in said


def test_what_is_misspelt_has_its_cure() -> None:
    assert in_child(usage_mistakes) == [
        "did you mean wrong-id?",
        "did you mean kafka-broker?",
        "did you mean kfake?",
        "did you mean 4.3.1?",
        "leave out +as-it-is, which is for kfake",
    ]


@pytest.mark.verify
@pytest.mark.parametrize("release", JARS)
def test_all_of_small_on_every_release(release: str) -> None:
    came = in_child(what_came, "fetch_session", f"kafka-sessions:{release}", {}, None)
    assert (came.verdict, came.done) == ("holds", came.chosen), came
    driver = f"kafka-session-cache:{release}"
    came = in_child(what_came, "session_cache", driver, KAFKAS_ORDER, None)
    assert (came.verdict, came.done + came.ties) == ("holds", came.chosen), came
    assert came.ties < 200
