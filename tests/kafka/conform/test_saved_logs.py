"""Every sample and case is followed to the same end by followers that are saved on the way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from lockstep_kafka.files.lines import Request, Skipped, finding_of
from lockstep_kafka.files.log_files import BrokerPaths, broker_of
from lockstep_kafka.files.physical_lines import physical_lines
from lockstep_kafka.files.request_log import read_line, read_request_log
from lockstep_kafka.findings import CountedLines, Finding, LayoutFinding, Progress
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from tests.kafka.conform.following import LOGS
from tests.kafka.conform.following import follow as follow_files
from tests.kafka.sessions.saving import follow
from tests.kafka_models import fetch_session

SMALL = sorted([*LOGS.glob("*.log"), *LOGS.glob("cases/*.log.gz")])
LONG = sorted(LOGS.glob("fresh/*.log.gz"))
"""Those that are rotated are followed by other tests as a folder."""


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return Explanations(fetch_session)


def requests_of(log: Path) -> list[Request]:
    return [line for line in read_request_log(log) if not isinstance(line, Skipped)]


@pytest.mark.daily(3)
@pytest.mark.parametrize("log", SMALL, ids=lambda log: log.name)
def test_saved_after_every_line(model: Explanations, log: Path) -> None:
    """Of a longer log, after as many lines as time allows."""
    requests = requests_of(log)
    step = 1 + len(requests) // 200
    saved = follow(model, requests, lambda position: position % step == 0)
    assert saved == follow(model, requests)


@pytest.mark.daily(3)
@pytest.mark.parametrize("log", LONG, ids=lambda log: log.name)
def test_saved_now_and_then(model: Explanations, log: Path) -> None:
    requests = requests_of(log)
    saved = follow(model, requests, lambda position: position % 97 == 0)
    assert saved == follow(model, requests)


@pytest.mark.parametrize("log", [LONG[0], LOGS / "raft-fetch.log"], ids=lambda log: log.name)
def test_a_pipeline_finds_what_one_run_finds(model: Explanations, log: Path) -> None:
    """Line by line, then broker by broker, with what is known between two steps as bytes."""
    paths = BrokerPaths()
    findings: list[Finding] = []
    requests: defaultdict[str, list[tuple[int, Request]]] = defaultdict(list)
    for physical in physical_lines(log):
        line = read_line(physical, str(log))
        if isinstance(line, Skipped):
            findings.append(finding_of(line))
        else:
            requests[broker_of(line, paths)].append((physical.number, line))
    explanations = model
    for broker, lines in requests.items():
        state: bytes | None = None
        for chunk in batched(lines, 200):
            follower = BrokerFollower(broker, explanations, state)
            for position, request in chunk:
                findings += follower.follow(request, position)
            state = follower.save()
        findings += BrokerFollower(broker, explanations, state).close()
    of_the_run = Progress | CountedLines | LayoutFinding
    expected = [one for one in follow_files(log).all if not isinstance(one, of_the_run)]
    assert sorted(map(repr, findings)) == sorted(map(repr, expected))


def batched(lines: list[tuple[int, Request]], size: int) -> Iterator[list[tuple[int, Request]]]:
    for start in range(0, len(lines), size):
        yield lines[start : start + size]
