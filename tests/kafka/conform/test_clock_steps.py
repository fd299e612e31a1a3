"""A wall clock that steps, at any place and by any amount, makes nobody depart."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings

from lockstep_kafka.sessions.explanations import Explanations
from tests.kafka.conform.clock_steps import departures, requests_of, stepped, taking_turns
from tests.kafka.conform.following import LOGS
from tests.kafka.conform.recall import FRESH, SAMPLES
from tests.kafka.conform.test_cases import CASES, CONFORMS, DEPARTS_NOT, UNKNOWN
from tests.kafka.sessions.following import explanations
from tests.kafka.sessions.random_logs import SEEDS

CASE_LOGS = [CASES / f"{name}.log.gz" for name in (*CONFORMS, *DEPARTS_NOT, *UNKNOWN)]
SHORT = [*CASE_LOGS, *(log for log in SAMPLES if requests_of(log))]
WHOLE = [LOGS / f"{name}.log" for name in ("java-classic", "java-consumer", "kafka-python")]
"""Logs of one client, of which no line is missing."""


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


def some_steps(chance: random.Random, places: int) -> dict[int, int]:
    """One step as a rule, or several: a few milliseconds, or as much as eleven days."""
    return {
        chance.randrange(places): chance.choice((-1, 1)) * int(10 ** chance.uniform(0, 9))
        for _ in range(chance.choice((1, 1, 1, 2, 5)))
    }


@given(seed=SEEDS)
@settings(max_examples=150)
def test_nobody_departs(model: Explanations, seed: int) -> None:
    chance = random.Random(seed)
    requests = requests_of(chance.choice(SHORT))
    steps = some_steps(chance, len(requests))
    assert departures(model, stepped(requests, steps)) == [], steps


@pytest.mark.parametrize("log", FRESH, ids=lambda log: log.name.partition(".")[0])
def test_nobody_departs_in_long_logs(model: Explanations, log: Path) -> None:
    chance = random.Random(log.name)
    requests = requests_of(log)
    steps = some_steps(chance, len(requests))
    assert departures(model, stepped(requests, steps)) == [], steps


@given(seed=SEEDS)
@settings(max_examples=100)
def test_connections_that_take_turns(model: Explanations, seed: int) -> None:
    """A session is opened on one connection and used on two, and its lines do not say in which
    order; the clock says a wrong one."""
    chance = random.Random(seed)
    requests = taking_turns(requests_of(chance.choice(WHOLE)), chance)
    steps = some_steps(chance, len(requests))
    assert departures(model, stepped(requests, steps)) == [], steps


def test_an_epoch_that_is_accepted_twice_departs_whatever_the_clock_says(
    model: Explanations,
) -> None:
    """A clock that steps far back makes a file look as if it were not in order: see below."""
    requests = requests_of(CASES / "m1-one-id-two-live-sessions.log.gz")
    for place in range(len(requests)):
        for step in (-3, 100, 1_000):
            assert departures(model, stepped(requests, {place: step})), (place, step)


def test_after_a_long_step_back_nothing_rests_on_the_places_of_lines(model: Explanations) -> None:
    requests = requests_of(CASES / "m1-one-id-two-live-sessions.log.gz")
    for place in range(1, len(requests)):
        assert departures(model, stepped(requests, {place: -1_000})) == [], place
