"""A whole broker of Apache Kafka on loopback in step with `fetch_session`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep_kafka.jars import BROKER_JARS
from tests.kafka.drive.exercises import (
    DISTURBANCES,
    disturbing,
    in_child,
    polling,
    what_came,
)

WRONG = Path(__file__).with_name("wrong_broker.py")


def test_random_behaviours_of_a_broker_conform() -> None:
    came = in_child(what_came, "fetch_session", "kafka-broker", {}, 6)
    assert (came.verdict, came.steps > 50) == ("holds", True), came


def test_a_broker_is_disturbed_and_conforms() -> None:
    assert in_child(disturbing, "kafka-broker") == list(DISTURBANCES)


def test_a_request_that_is_taken_twice_departs() -> None:
    assert "a quota: departs" in in_child(disturbing, f"{WRONG}:TakesTwice")


def test_followers_are_refused_with_a_cure() -> None:
    came = in_child(what_came, "fetch_session", "kafka-broker", {}, 1, "followers")
    assert (came.verdict, came.departs) == (
        "usage",
        "choose another scope, or drive `kafka-sessions`",
    )


def test_polls_wait_at_a_broker_and_conform() -> None:
    assert in_child(polling, "kafka-broker") == []


def test_a_broker_departs_by_a_session_too_many_and_by_what_a_lost_answer_had() -> None:
    """The last one is how Kafka differs (227-D44), where the driver leaves nothing open."""
    assert in_child(polling, f"{WRONG}:HasRoom") == [
        "a full cache",
        "a full cache, and nobody awaits the answer",
        "a session that is evicted after its answer was lost",
    ]


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize("release", BROKER_JARS)
def test_all_that_polls_may_do_is_done_on_every_release(release: str) -> None:
    for scope in ("small", "racing"):
        came = in_child(what_came, "long_polls", f"kafka-broker:{release}", {}, None, scope)
        assert (came.departs, came.done) == ("", came.chosen), (scope, came)


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize(
    "fault",
    [
        "counts_when_it_answers",
        "answers_everything_after_the_wait",
        "poll_is_answered_without_a_session",
        "any_request_overtakes_a_poll",
    ],
)
def test_a_broker_departs_from_polls_that_are_wrong(fault: str) -> None:
    came = in_child(what_came, "long_polls", "kafka-broker", {}, 40, "default", fault)
    assert came.verdict == "violated", came


@pytest.mark.slow
@pytest.mark.verify
def test_kfake_keeps_a_session_that_is_empty_and_departs_in_nothing_else() -> None:
    came = in_child(what_came, "fetch_session", "kafka-broker:kfake+as-it-is", {}, 50)
    assert (came.verdict, came.departs.startswith("serve_without_data")) == ("violated", True), came
    came = in_child(what_came, "fetch_session", "kafka-broker:kfake", {}, 100, "partitions")
    assert (came.verdict, came.steps > 1_000) == ("holds", True), came
    came = in_child(what_came, "long_polls", "kafka-broker:kfake", {}, 1)
    assert (came.verdict, came.departs) == ("usage", "name one of 3.9.1, 4.3.1")


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize("release", BROKER_JARS)
def test_small_without_a_disturbed_fetcher_on_every_release(release: str) -> None:
    assert in_child(disturbing, f"kafka-broker:{release}") == list(DISTURBANCES)
    undisturbed = {"MAX_DISTURBANCES": 0}
    came = in_child(what_came, "fetch_session", f"kafka-broker:{release}", undisturbed, None)
    assert (came.departs, came.done > 1_000) == ("", True), came
    came = in_child(what_came, "fetch_session", f"kafka-broker:{release}", {}, 20, "partitions")
    assert came.verdict == "holds", came
