"""No side departs in a log of what the model does, however much of the log is missing."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from msgspec import structs

from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.simulated.behaviours import Walk
from lockstep_kafka.simulated.kafka_json import text
from lockstep_kafka.simulated.times import Pace
from tests.kafka.conform.following import follow
from tests.kafka.sessions.following import explanations, report
from tests.kafka.sessions.logs import BEGIN_MS, some_writing, write
from tests.kafka.sessions.random_logs import (
    LOSSES,
    SCOPES,
    SEEDS,
    Loss,
    loaded,
    nothing,
    some_lines,
    some_log,
)


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


@pytest.mark.daily(3)
@pytest.mark.parametrize("loss", LOSSES)
@given(seed=SEEDS)
@settings(max_examples=25)
def test_a_behaviour_does_not_depart(model: Explanations, loss: Loss, seed: int) -> None:
    chance = random.Random(seed)
    log = loss(some_log(chance, 30), chance)
    assert report(model, log) == ""


@pytest.mark.parametrize("loss", [nothing, some_lines])
@given(seed=SEEDS)
@settings(max_examples=20)
def test_epochs_wrap(model: Explanations, loss: Loss, seed: int) -> None:
    chance = random.Random(seed)
    log = loss(some_log(chance, 30, aged=chance.randrange(6)), chance)
    assert report(model, log) == ""


@given(seed=SEEDS)
@settings(max_examples=20)
def test_ids_are_drawn_again(model: Explanations, seed: int) -> None:
    """Three ids serve for all sessions. The order of lines shows which of them is meant."""
    chance = random.Random(seed)
    scope = chance.choice(SCOPES)
    walk = Walk(loaded(scope), scope, chance)
    walk.go(40)
    for exchange in walk.exchanges:
        exchange.session = exchange.request.session_id
        exchange.response_session = exchange.response.session_id
    writing = replace(
        some_writing(scope, walk.exchanges, chance),
        sessions=(11, 12, 13),
        pace=Pace(BEGIN_MS, (20, 40), 0.0),
    )
    assert report(model, write(walk.exchanges, writing, chance)) == ""


@pytest.mark.verify
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("aged", [0, 3])
def test_many_behaviours_do_not_depart(model: Explanations, loss: Loss, aged: int) -> None:
    for seed in range(100):
        chance = random.Random(seed)
        log = loss(some_log(chance, 60, aged), chance)
        assert report(model, log) == "", seed


def test_logs_have_every_outcome_of_the_leader() -> None:
    actions = set()
    for seed in range(40):
        chance = random.Random(seed)
        scope = chance.choice(SCOPES)
        walk = Walk(loaded(scope), scope, chance)
        walk.go(30)
        actions |= {exchange.action for exchange in walk.exchanges}
    assert actions == {
        action.name for action in loaded(SCOPES[0]).actions if action.name.startswith("serve")
    } - {
        "serve_wrong_epoch",  # only a repeated request has a wrong epoch
        "serve_topic_id_error",  # a scope without topic ids
    }


@pytest.mark.daily(3)
@pytest.mark.parametrize("seed", range(6))
def test_a_log_as_kafka_writes_it(tmp_path: Path, seed: int) -> None:
    log = some_log(random.Random(seed), 30)
    version = next(line.version for line in log if isinstance(line, FetchLine))
    file = tmp_path / "server.log"
    file.write_text("".join(f"{text(line, version)}\n" for line in log))
    fetches = [line for line in read_request_log(file) if isinstance(line, FetchLine)]
    assert {line.software == "" for line in fetches} == {False}
    no_software = {"software_name": "", "software_version": ""}
    read = [structs.replace(line, file="", fingerprint=0, **no_software) for line in fetches]
    assert read == [
        structs.replace(line, file="", fingerprint=0) for line in log if isinstance(line, FetchLine)
    ]
    found = follow(file)
    assert found.departures == []
    assert found.total.followed == len(read)
