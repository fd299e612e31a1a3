"""What the generator takes for a proof holds in every log of a broker that did nothing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.damage.of_records import can_be_read
from lockstep_kafka.simulated.damage.requests import Fetch, is_plain_answer
from lockstep_kafka.simulated.damage.session import Run, Standing
from tests.kafka.conform.following import LOGS, read_log

CASES = ("fa2b-second-capture", "fa3-out-of-range-reset", "u1-106-then-full")
FILES = sorted(
    path
    for path in (
        *LOGS.glob("*.log"),
        *(LOGS / "fresh").iterdir(),
        *(LOGS / "cases" / f"{name}.log.gz" for name in CASES),
    )
    if path.name != "README.md"
)
OFFSETS = ("highWatermark", "logStartOffset")


@cache
def log(name: str) -> Log:
    return read_log(next(path for path in FILES if path.name == name))


def served(name: str) -> Iterator[tuple[Run, Fetch, Standing]]:
    """Every line of a run that was not throttled, with what was fixed before its answer."""
    for run in log(name).runs:
        for line, standing in zip(run.lines, run.standings, strict=True):
            if not line.is_throttled:
                yield run, line, standing


by_file = pytest.mark.parametrize("name", [path.name for path in FILES])


@by_file
def test_what_is_due_is_answered(name: str) -> None:
    assert [
        (line.number, standing.due - line.answers.keys())
        for _, line, standing in served(name)
        if not standing.due <= line.answers.keys()
    ] == []


@by_file
def test_nothing_goes_back_and_nothing_changed_is_left_out(name: str) -> None:
    """Against what the session was sent, and what others surely were before the request."""
    wrong = []
    for _, line, standing in served(name):
        for partition, reported in standing.steady.items():
            answer = line.answers.get(partition)
            if answer is None or is_plain_answer(answer):
                for offset in OFFSETS:
                    known = max(
                        reported[offset], log(name).reported_to_others(partition, line, offset)
                    )
                    if (answer or reported)[offset] < known:
                        wrong.append((line.number, partition, offset))
    assert wrong == []


@by_file
def test_what_is_answered_has_changed_or_has_records(name: str) -> None:
    assert [
        (line.number, partition)
        for run, line, standing in served(name)
        for partition, answer in line.answers.items()
        if line is not run.lines[0]
        and partition in standing.reported
        and partition not in standing.due
        and is_plain_answer(answer)
        and not answer["recordsSizeInBytes"]
        and all(answer[offset] == standing.reported[partition][offset] for offset in OFFSETS)
    ] == []


@by_file
def test_what_is_answered_is_in_the_session(name: str) -> None:
    assert [
        (line.number, partition)
        for run, line, standing in served(name)
        for partition in line.answers
        if partition in standing.gone or (run.is_whole and partition not in standing.interests)
    ] == []


@by_file
def test_what_can_be_read_brings_records(name: str) -> None:
    places = log(name).places
    assert [
        line.number
        for line in log(name).fetches
        if line.is_plain_consumer
        and not line.is_throttled
        and line.error == 0
        and not any(answer["recordsSizeInBytes"] for answer in line.answers.values())
        and all(map(is_plain_answer, line.answers.values()))
        and can_be_read(line, places.get(line.number))
    ] == []


@by_file
def test_a_client_lists_changes_and_removes_what_is_there(name: str) -> None:
    wrong = []
    for run in log(name).runs:
        for line, before in zip(run.lines[1:], run.standings, strict=False):
            known = {p: interest for p, interest in before.interests.items() if interest}
            wrong += [(line.number, p) for p in known if line.interests.get(p) == known[p]]
            wrong += [(line.number, p) for p in line.forgotten if p in before.gone]
            if run.is_whole:
                wrong += [(line.number, p) for p in line.forgotten if p not in before.interests]
    assert wrong == []


@by_file
def test_a_full_request_removes_nothing(name: str) -> None:
    assert [line.number for line in log(name).fetches if line.epoch <= 0 and line.forgotten] == []
