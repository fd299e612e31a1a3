"""No side departs in a log of what the model does, however much of the log is missing."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from lockstep.language.model import Model, load_model
from models.kafka_files.request_log import FetchLine, read_request_log
from models.observed_sessions.explanations import Explanations
from models.simulated.behaviours import Walk
from models.simulated.kafka_json import text
from models.simulated.lines import Line
from models.simulated.scope import Scope
from models.simulated.times import Pace
from tests.conform.following import ROOT, follow
from tests.models.observed_sessions.following import explanations, report
from tests.models.observed_sessions.logs import BEGIN_MS, some_writing, write

SCOPES = (
    Scope(),
    Scope(partitions=("p1", "p2", "p3")),
    Scope(followers=()),
    Scope(disturbances=0, failures=0),
    Scope(partitions=("p1", "p2", "p3"), max_offset=1, max_bytes=0),
)
SEEDS = st.integers(0, 2**32)
LAST_EPOCH = 2**31 - 1

Loss = Callable[[Sequence[Line], random.Random], list[Line]]


@cache
def loaded(scope: Scope) -> Model:
    return load_model(ROOT, "fetch_session", scope.constants)


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


def some_log(chance: random.Random, requests: int, aged: int = 0) -> list[Line]:
    """The log of a random behaviour, from its beginning; with `aged`, from the middle on.

    Sessions are then that many epochs before the last one.
    """
    scope = chance.choice(SCOPES)
    walk = Walk(loaded(scope), scope, chance)
    if aged:
        walk.go(10)
        walk.age(LAST_EPOCH - aged)
        walk.exchanges.clear()
    walk.go(requests)
    return write(walk.exchanges, some_writing(scope, walk.exchanges, chance), chance)


def nothing(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return list(log)


def beginning(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return list(log[chance.randrange(len(log)) :])


def some_lines(log: Sequence[Line], chance: random.Random) -> list[Line]:
    share = chance.choice((0.05, 0.3))
    return [line for line in log if chance.random() > share]


def a_stretch(log: Sequence[Line], chance: random.Random) -> list[Line]:
    first, last = sorted(chance.sample(range(len(log) + 1), 2))
    return [*log[:first], *log[last:]]


def with_repeated_lines(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return [line for line in log for _ in range(chance.choice((1, 1, 1, 2)))]


def beginning_and_some_lines(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return with_repeated_lines(some_lines(beginning(log, chance), chance), chance)


LOSSES = (
    nothing,
    beginning,
    some_lines,
    a_stretch,
    with_repeated_lines,
    beginning_and_some_lines,
)


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
    for seed in range(1_000):
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
    } - {"serve_wrong_epoch"}  # only a repeated request has a wrong epoch


@pytest.mark.parametrize("seed", range(6))
def test_a_log_as_kafka_writes_it(tmp_path: Path, seed: int) -> None:
    log = some_log(random.Random(seed), 30)
    version = next(line.version for line in log if isinstance(line, FetchLine))
    file = tmp_path / "server.log"
    file.write_text("".join(f"{text(line, version)}\n" for line in log))
    read = [
        structs.replace(line, file="", fingerprint=0)
        for line in read_request_log(file)
        if isinstance(line, FetchLine)
    ]
    assert read == [
        structs.replace(line, file="", fingerprint=0) for line in log if isinstance(line, FetchLine)
    ]
    found = follow(file)
    assert found.departures == []
    assert found.total.followed == len(read)
