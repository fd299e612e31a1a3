"""Requests that name another client's session, or none, and epochs that two connections bring."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

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
    return sorted(
        (one.remark.at.line, one.side, one.remark.rule)
        for one in found
        if isinstance(one, RemarkFinding) and one.remark.verdict is Verdict.DEPARTS
    )


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
