"""Every sample and case is followed to the same end by followers that are saved on the way."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lockstep.conform.broker_paths import BrokerPaths
from lockstep.conform.findings import Finding, Progress
from lockstep.conform.followers import load_pieces
from lockstep.conform.pieces import Pieces
from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.system.physical_lines import physical_lines
from models.kafka_files.request_log import Request, Skipped, read_request_log
from models.observed_sessions.explanations import Explanations
from tests.conform.following import LOGS, ROOT
from tests.conform.following import follow as follow_files
from tests.conform.workspaces import add_follower
from tests.models.observed_sessions.saving import follow

SMALL = sorted([*LOGS.glob("*.log"), *LOGS.glob("cases/*.log.gz")])
LONG = sorted(LOGS.glob("fresh/*.log.gz"))
"""Those that are rotated are followed by other tests as a folder."""


def load(constants: Mapping[str, object]) -> Model:
    return load_model(ROOT, "fetch_session", constants)


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return Explanations(load)


def requests_of(log: Path) -> list[Request]:
    return [line for line in read_request_log(log) if not isinstance(line, Skipped)]


@pytest.mark.parametrize("log", SMALL, ids=lambda log: log.name)
def test_saved_after_every_line(model: Explanations, log: Path) -> None:
    """Of a longer log, after as many lines as time allows."""
    requests = requests_of(log)
    step = 1 + len(requests) // 200
    saved = follow(model, requests, lambda position: position % step == 0)
    assert saved == follow(model, requests)


@pytest.mark.parametrize("log", LONG, ids=lambda log: log.name)
def test_saved_now_and_then(model: Explanations, log: Path) -> None:
    requests = requests_of(log)
    saved = follow(model, requests, lambda position: position % 97 == 0)
    assert saved == follow(model, requests)


@pytest.fixture(scope="module")
def pieces() -> Pieces:
    return load_pieces(ROOT, "fetch_session")


@pytest.mark.parametrize("log", [LONG[0], LOGS / "raft-fetch.log"], ids=lambda log: log.name)
def test_a_pipeline_finds_what_one_run_finds(pieces: Pieces, log: Path) -> None:
    """Line by line, then broker by broker, with all that is between two steps as bytes."""
    paths = BrokerPaths()
    findings: list[Finding] = []
    requests: defaultdict[str, list[tuple[int, bytes]]] = defaultdict(list)
    for physical in physical_lines(log):
        line = pieces.read_line(physical, str(log))
        if isinstance(line, pieces.Skipped):
            findings.append(pieces.finding_of(line))
        else:
            encoded = pieces.encode_request(line)
            requests[pieces.broker_of(line, paths)].append((physical.number, encoded))
    explanations = pieces.Explanations(load)
    for broker, lines in requests.items():
        state: bytes | None = None
        for chunk in batched(lines, 200):
            follower = pieces.BrokerFollower(broker, explanations, state)
            for position, encoded in chunk:
                findings += follower.follow(pieces.decode_request(encoded), position)
            state = follower.save()
        findings += pieces.BrokerFollower(broker, explanations, state).close()
    expected = [finding for finding in follow_files(log).all if not isinstance(finding, Progress)]
    assert sorted(map(repr, findings)) == sorted(map(repr, expected))


def batched(lines: list[tuple[int, bytes]], size: int) -> Iterator[list[tuple[int, bytes]]]:
    for start in range(0, len(lines), size):
        yield lines[start : start + size]


def test_a_follower_that_lacks_pieces(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    add_follower(tmp_path, "lamp")
    problem = (
        "models/observed/lamp.py cannot be followed in pieces: it has no read_line, finding_of"
    )
    with pytest.raises(LockstepError, match=f"^{re.escape(problem)}"):
        load_pieces(tmp_path, "lamp")
