"""Requests that name another client's session, or none, and epochs that two connections bring."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.findings import RemarkFinding, SideName, Verdict
from lockstep_kafka.rules import Rule
from tests.kafka.columns.both import found_in
from tests.kafka.conform.following import LOGS

MARKER = "Completed request:"
NOT_FOUND, INVALID_EPOCH = 70, 71

Edit = Callable[[int, Any], None]
"""Changes the document of a line, whose number in its capture counts from 1."""


def lines_of(sample: str) -> list[str]:
    return (LOGS / sample).read_text().splitlines()


def edited(line: str, number: int, edit: Edit) -> str:
    prefix, marker, body = line.partition(MARKER)
    document = json.loads(body)
    edit(number, document)
    return prefix + marker + json.dumps(document, separators=(",", ":"))


def departures(path: Path, lines: Iterable[str]) -> list[tuple[int, SideName, Rule]]:
    """The departures of a log by line, which are the same line by line and in columns."""
    path.write_text("".join(f"{line}\n" for line in lines))
    found, *counts = found_in([str(path)], BrokerPaths(), in_columns=True)
    assert [found, *counts] == list(found_in([str(path)], BrokerPaths(), in_columns=False))
    remarks = [
        one
        for one in found
        if isinstance(one, RemarkFinding) and one.remark.verdict is Verdict.DEPARTS
    ]
    remarks.sort(key=lambda one: (one.remark.at.line, one.side))
    return [(one.remark.at.line, one.side, one.remark.rule) for one in remarks]


def refuse(document: Any, error: int) -> None:
    document["response"] = {
        "throttleTimeMs": 0,
        "errorCode": error,
        "sessionId": 0,
        "responses": [],
    }


def test_epochs_without_a_session_are_found_in_every_line(tmp_path: Path) -> None:
    """A client that never had a session counts epochs from its 20th request on."""

    def count(number: int, document: Any) -> None:
        if number >= 20:
            document["request"]["sessionEpoch"] = number - 19
            refuse(document, NOT_FOUND)

    log = [edited(line, at, count) for at, line in enumerate(lines_of("aiokafka.log"), start=1)]
    assert departures(tmp_path / "a.log", log) == [
        (line, SideName.CLIENT, Rule.ID_MISSING) for line in range(20, 44)
    ]


def test_an_epoch_without_a_session_that_is_accepted(tmp_path: Path) -> None:
    def count(number: int, document: Any) -> None:
        if number == 20:
            document["request"]["sessionEpoch"] = 5

    log = [edited(line, at, count) for at, line in enumerate(lines_of("aiokafka.log"), start=1)]
    assert departures(tmp_path / "a.log", log) == [
        (20, SideName.BROKER, Rule.ACCEPTED_WHEN_GONE),
        (20, SideName.CLIENT, Rule.ID_MISSING),
    ]


VICTIM = 685957690
"""The session of `java-consumer.log`."""


def with_a_thief(edit: Edit, *, client: str = "thief", lines: int = 51) -> list[str]:
    """Two clients of one broker: what the second one does is changed. The topics are not the same.

    Lines of the second one have even numbers, where `lines` are those of its capture.
    """

    def of_second(number: int, document: Any) -> None:
        document["requestHeader"]["clientId"] = client
        edit(number, document)

    first, second = lines_of("java-consumer.log"), lines_of("java-classic.log")
    ahead = _time(first[0]) - _time(second[0]) + 7
    log = list(first)
    for number, line in enumerate(second[:lines], start=1):
        for topic in ("V96ZVDx0QA-1vkn_tXRLug", "vy9QFxHARxWn82ItdByEGQ"):
            line = line.replace(topic, topic.replace(topic[:4], "AAAA"))
        moved = f"{_time(line) + ahead} {line.partition(' ')[2]}"
        log.append(edited(moved, number, of_second))
    return sorted(log, key=_time)


def _time(line: str) -> int:
    return int(line.partition(" ")[0])


def steals(number: int, epoch: int, error: int) -> Edit:
    """One request of the second client names the session of the first."""

    def edit(at: int, document: Any) -> None:
        if at == number:
            document["request"]["sessionId"] = VICTIM
            document["request"]["sessionEpoch"] = epoch
            document["response"]["sessionId"] = VICTIM
            if error:
                refuse(document, error)

    return edit


def place_of(log: list[str], number: int, client: str = "thief") -> int:
    """The line at which a request of the second client stands."""
    return [at for at, line in enumerate(log, start=1) if f'"clientId":"{client}"' in line][
        number - 1
    ]


def test_another_clients_session_is_no_departure_of_a_log_without_thefts(tmp_path: Path) -> None:
    assert departures(tmp_path / "a.log", with_a_thief(lambda number, document: None)) == []


@pytest.mark.parametrize("epoch", [3, 20, 500])
@pytest.mark.parametrize("error", [0, INVALID_EPOCH])
def test_another_clients_session_is_found_in_the_last_line(
    tmp_path: Path, epoch: int, error: int
) -> None:
    log = with_a_thief(steals(20, epoch, error), lines=20)
    at = place_of(log, 20)
    found = departures(tmp_path / "a.log", log)
    assert (at, SideName.CLIENT, Rule.OTHER_SESSION_EXPECTED) in found
    assert {one for one in found if one[1] is SideName.CLIENT or error} == {
        (at, SideName.CLIENT, Rule.OTHER_SESSION_EXPECTED)
    }


def test_another_clients_session_is_found_in_every_line(tmp_path: Path) -> None:
    """The client of it goes on, and is not accused; the broker refuses the other one each time."""

    def edit(number: int, document: Any) -> None:
        if number >= 20:
            steals(number, number, INVALID_EPOCH)(number, document)

    log = with_a_thief(edit, lines=48)
    assert departures(tmp_path / "a.log", log) == [
        (
            place_of(log, number),
            SideName.CLIENT,
            Rule.OTHER_SESSION_EXPECTED if number == 20 else Rule.FULL_EXPECTED,
        )
        for number in range(20, 49)
    ]


def test_a_client_that_goes_back_to_its_own_session(tmp_path: Path) -> None:
    """After an error only a full request follows; after an answer its own session is explained."""
    for error, rules in ((INVALID_EPOCH, [Rule.FULL_EXPECTED]), (0, [])):
        log = with_a_thief(steals(20, 3, error))
        found = departures(tmp_path / "a.log", log)
        assert [rule for _, side, rule in found if side is SideName.CLIENT] == [
            Rule.OTHER_SESSION_EXPECTED,
            *rules,
        ]


def test_a_client_with_two_connections_may_use_both(tmp_path: Path) -> None:
    """One fetcher may have opened the session on another connection than that of the request."""
    log = with_a_thief(steals(20, 3, INVALID_EPOCH), client="java-consumer", lines=20)
    assert departures(tmp_path / "a.log", log) == []


@pytest.mark.parametrize("closes", [False, True])
def test_a_session_that_a_third_connection_of_the_client_brought(
    tmp_path: Path, closes: bool
) -> None:
    """That one may be the client's, too: what it was sent there is open, also once it is closed."""

    def brings(_: int, document: Any) -> None:
        document["requestHeader"]["clientId"] = "thief"
        document["connection"] = "127.0.0.1:55867-127.0.0.1:40000-0-10"

    def closing(_: int, document: Any) -> None:
        document["request"]["sessionEpoch"] = -1
        document["request"]["topics"] = []
        document["response"] |= {"sessionId": 0, "responses": []}

    log = with_a_thief(steals(20, 20, NOT_FOUND if closes else INVALID_EPOCH), lines=20)
    at = place_of(log, 20)
    (other,) = [line for line in range(at - 6, at - 4) if '"thief"' not in log[line - 1]]
    log[other - 1] = edited(log[other - 1], 0, brings)
    if closes:
        (last,) = [line for line in range(at - 2, at) if '"thief"' not in log[line - 1]]
        log[last - 1] = edited(log[last - 1], 0, closing)
        log = log[:at]
    assert [one for one in departures(tmp_path / "a.log", log) if one[0] == at] == []


def repeats(total_ms: float, client: str, number: int = 31) -> list[str]:
    """A request on a new connection repeats an earlier one, 11 lines on, and is accepted."""

    def edit(_: int, document: Any) -> None:
        document["requestHeader"] |= {"correlationId": 0, "clientId": client}
        document["connection"] = "127.0.0.1:55867-127.0.0.1:40000-0-10"
        document["totalTimeMs"] = total_ms

    log = lines_of("java-consumer.log")
    again = edited(log[number - 1], number, edit)
    again = f"{_time(log[number + 9]) + 97} {again.partition(' ')[2]}"
    return [*log[: number + 10], again, *log[number + 10 :]]


@pytest.mark.parametrize("total_ms", [1.0, 30.0])
@pytest.mark.parametrize(
    ("client", "rule"),
    [("thief", Rule.ID_SHARED), ("java-consumer", Rule.ACCEPTED_EPOCH)],
)
def test_an_epoch_that_is_accepted_on_two_connections(
    tmp_path: Path, client: str, rule: Rule, total_ms: float
) -> None:
    """A request of the session took longer, from after the opening to before it."""
    log = repeats(total_ms, client)
    assert departures(tmp_path / "a.log", log) == [(42, SideName.BROKER, rule)]


@pytest.mark.parametrize("client", ["thief", "java-consumer"])
def test_a_request_that_may_have_come_before_the_opening(tmp_path: Path, client: str) -> None:
    """It took longer than any of the session's: the id may have been another session's then."""
    assert departures(tmp_path / "a.log", repeats(1_000.0, client)) == []


def test_a_session_that_is_not_seen_to_go_on(tmp_path: Path) -> None:
    """It may have ended after its last line, and lost lines may have opened another with its id."""
    log = repeats(1.0, "thief")[:42]
    assert departures(tmp_path / "a.log", log) == []
