"""A follower in columns that is saved and goes on, against one in plain Python that never stops."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep_kafka.columns.follower import ColumnFollower
from lockstep_kafka.columns.log_reader import FileReading
from lockstep_kafka.files.lines import FetchLine, Skipped
from lockstep_kafka.files.physical_lines import physical_lines
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.findings import LATE, UNORDERED, Finding, LineCounts, LineFinding
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.simulated.kafka_json import text
from tests.kafka.columns.test_agreement import CAPTURES
from tests.kafka.conform.following import LOGS
from tests.kafka.sessions.random_logs import LOSSES, SEEDS, Loss, some_log
from tests.kafka_models import fetch_session

BROKER, FILE = "kafka-1", "kafka-request.log"


@pytest.fixture(scope="module")
def model() -> Explanations:
    return Explanations(fetch_session)


@dataclass
class OneFollower:
    """All lines are those of one broker."""

    one: ColumnFollower
    lines: int = 0

    def follower(self, connection: str, file: str) -> ColumnFollower:
        return self.one


Found = tuple[list[Finding], list[LineCounts], tuple[int, int]]


def ended(follower: BrokerFollower, findings: Iterable[Finding]) -> Found:
    """What was found to the end."""
    found = [*findings, *follower.close()]
    of_requests = [finding for finding in found if not is_of_a_line_alone(finding)]
    counts = sorted(follower.take_counts(), key=repr)
    return of_requests, counts, (follower.followed, follower.others)


def is_of_a_line_alone(finding: Finding) -> bool:
    return isinstance(finding, LineFinding) and finding.reason not in (LATE, "repeated", UNORDERED)


def plain_part_of(
    follower: BrokerFollower, lines: list[bytes], begin: int, end: int
) -> Iterator[Finding]:
    for number in range(begin + 1, end + 1):
        read = read_line((number, lines[number - 1].removesuffix(b"\n"), True, None), FILE)
        if not isinstance(read, Skipped):
            yield from follower.follow(read, number)


def in_plain_python(model: Explanations, lines: list[bytes]) -> Found:
    follower = BrokerFollower(BROKER, model)
    return ended(follower, plain_part_of(follower, lines, 0, len(lines)))


def part_of(
    follower: ColumnFollower, lines: list[bytes], begin: int, end: int
) -> Iterator[Finding]:
    reading = FileReading(OneFollower(follower), FILE)
    reading.go_on(0, begin)
    yield from reading.findings(iter([b"".join(lines[begin:end])]))
    follower.position = end


def in_columns(model: Explanations, lines: list[bytes], cuts: list[int]) -> Found:
    """At each cut another follower takes over."""
    follower = ColumnFollower(BROKER, model)
    found: list[Finding] = []
    for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
        if begin:
            follower = ColumnFollower(BROKER, model, follower.save())
        found += part_of(follower, lines, begin, end)
    return ended(follower, found)


def assert_same(model: Explanations, lines: list[bytes], cuts: list[int]) -> None:
    assert in_columns(model, lines, cuts) == in_plain_python(model, lines)


@pytest.mark.parametrize("log", CAPTURES[::7], ids=lambda log: str(log.relative_to(LOGS)))
def test_a_capture_is_cut(model: Explanations, log: Path) -> None:
    lines = [line.content + b"\n" for line in physical_lines(str(log))]
    chance = random.Random(log.name)
    cuts = sorted(chance.sample(range(1, len(lines)), min(4, len(lines) - 1)))
    assert_same(model, lines, cuts)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
@given(seed=SEEDS, places=st.lists(st.integers(1, 59), max_size=5, unique=True))
@settings(max_examples=10)
def test_a_random_log_is_cut(model: Explanations, loss: Loss, seed: int, places: list[int]) -> None:
    chance = random.Random(seed)
    log = loss(some_log(chance, 60), chance)
    version = next((line.version for line in log if isinstance(line, FetchLine)), 12)
    lines = [f"{text(line, version)}\n".encode() for line in log]
    assert_same(model, lines, sorted(place for place in places if place < len(lines)))


def test_either_goes_on_where_the_other_was_left(model: Explanations) -> None:
    content = physical_lines(str(LOGS / "fresh" / "busy.log.gz"))
    lines = [line.content + b"\n" for line in content][:700]
    whole = in_plain_python(model, lines)
    columns = ColumnFollower(BROKER, model)
    found = list(part_of(columns, lines, 0, 300))
    plain = BrokerFollower(BROKER, model, columns.save())
    found += plain_part_of(plain, lines, 300, 500)
    columns = ColumnFollower(BROKER, model, plain.save())
    found += part_of(columns, lines, 500, len(lines))
    assert ended(columns, found) == whole
