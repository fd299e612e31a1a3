"""Connections that several clients use, that are taken over, or whose lines were moved."""

import json
from pathlib import Path

import pytest

from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.findings import Finding, LineFinding, RemarkFinding
from tests.kafka.columns.both import found_in
from tests.kafka.conform.test_other_sessions import repeats
from tests.kafka.simulated.damage.lines import fetch

P, Q = ("AAAAAAAAAAAAAAAAAAAAAQ", 0), ("AAAAAAAAAAAAAAAAAAAAAg", 0)
C1, C2 = "127.0.0.1:9092-127.0.0.1:40001-0-1", "127.0.0.1:9092-127.0.0.1:40002-0-2"


def of(client: str, line: str) -> str:
    return line.replace('"clientId": "client"', f'"clientId": "{client}"')


def at(moment: str, line: str) -> str:
    return f"{moment} {line.partition(' ')[2]}"


def both(folder: Path, lines: list[str]) -> list[Finding]:
    """The findings, which are the same line by line and in columns."""
    log = folder / "made.log"
    with log.open("w") as file:
        for line in lines:  # as Kafka writes it: other lines are not read in columns
            head, marker, body = line.partition("Completed request:")
            file.write(f"{head}{marker}{json.dumps(json.loads(body), separators=(',', ':'))}\n")
    by_line, in_columns = (
        found_in([str(log)], BrokerPaths(), in_columns=columns) for columns in (False, True)
    )
    assert by_line == in_columns
    return by_line[0]


def departures(findings: list[Finding]) -> list[int]:
    return [
        one.remark.at.line
        for one in findings
        if isinstance(one, RemarkFinding) and one.remark.verdict == "departs"
    ]


def test_two_clients_behind_a_proxy(tmp_path: Path) -> None:
    lines = [
        of("a", fetch(1, (0, 0), asks={P: 5}, session=7, answers={P: 5}, connection=C1)),
        of("b", fetch(1, (0, 0), asks={Q: 5}, session=9, answers={Q: 5}, connection=C2)),
        of("a", fetch(2, (7, 1), session=7, connection=C1)),
        of("b", fetch(3, (7, 2), session=7, connection=C1)),
        of("a", fetch(4, (7, 3), session=7, connection=C1)),
        of("b", fetch(2, (9, 1), session=9, connection=C2)),
        of("b", fetch(3, (7, 3), error=71, connection=C2)),
    ]
    assert departures(both(tmp_path, lines)) == []


def test_a_late_request_of_a_fetcher_that_connected_again(tmp_path: Path) -> None:
    lines = [
        fetch(1, (0, 0), asks={P: 5}, session=7, answers={P: 5}, connection=C1),
        fetch(3, (7, 0), asks={P: 5}, session=8, answers={P: 5}, connection=C2),
        *(fetch(3 + epoch, (8, epoch), session=8, connection=C2) for epoch in (1, 2, 3)),
        fetch(2, (8, -1), asks={P: 5}, answers={P: 5}, connection=C1),
        fetch(7, (8, 4), error=70, connection=C2),
    ]
    both(tmp_path, lines)


def test_an_unordered_file_does_not_say_that_an_epoch_came_again(tmp_path: Path) -> None:
    log = repeats(1.0, "java-consumer")
    assert departures(both(tmp_path, log)) != []
    moved = at(str(int(log[5].partition(" ")[0]) - 400), log[5])
    assert departures(both(tmp_path, [*log[:5], moved, *log[6:]])) == []


@pytest.mark.parametrize(("second", "is_unordered"), [("10:00:00", False), ("09:59:59", True)])
def test_times_of_whole_seconds(tmp_path: Path, second: str, is_unordered: bool) -> None:
    lines = [
        at("[2026-11-27 10:00:01]", fetch(1, (0, 0), asks={P: 5}, session=7, answers={P: 5})),
        at(f"[2026-11-27 {second}]", fetch(2, (7, 1), session=7)),
    ]
    reasons = [one.reason for one in both(tmp_path, lines) if isinstance(one, LineFinding)]
    assert ("not in the order of its writing" in reasons) == is_unordered
