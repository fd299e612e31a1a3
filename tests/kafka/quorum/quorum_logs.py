"""Logs of metadata quorums as lists of lines, whole and changed, and what is found in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lockstep_kafka.files.shown_lines import shown_lines
from lockstep_kafka.findings import RemarkFinding, SideName, Verdict
from lockstep_kafka.simulated.damage.log import Log
from tests.kafka.conform.following import LOGS, Findings, follow, read_log

MARKER = "Completed request:"

Document = dict[str, Any]
Damage = Callable[[list[Document]], None]


def documents(*names: str) -> list[Document]:
    """The requests of some logs in the order of their times; each has its time as `at`."""
    lines: dict[str, None] = {}
    for name in names:
        lines |= dict.fromkeys(_text_lines(read_log(LOGS / name)))
    read = []
    for line in lines:
        time, _, body = line.partition(f" {MARKER}")
        read.append(json.loads(body) | {"at": int(time)})
    return sorted(read, key=lambda one: (one["at"], one["requestHeader"]["correlationId"]))


def _text_lines(log: Log) -> list[str]:
    return log.text().splitlines()


def of_api(requests: Iterable[Document], *apis: str) -> list[Document]:
    """The requests of some APIs, by Kafka's names."""
    return [one for one in requests if one["requestHeader"]["requestApiKeyName"] in apis]


def follow_documents(requests: Iterable[Document], folder: Path) -> Findings:
    """What is found in a log of these requests."""
    log = folder / "kafka-request.log"
    log.write_text("".join(f"{one['at']} {MARKER}{json.dumps(one)}\n" for one in requests))
    return follow(log)


def asked(request: Document) -> Document:
    """What a request asks of its only partition."""
    partition: Document = request["request"]["topics"][0]["partitions"][0]
    return partition


def answered(request: Document) -> Document:
    """What is answered of that partition."""
    response = request["response"]
    partition: Document = response.get("topics", response.get("responses"))[0]["partitions"][0]
    return partition


def departures(findings: Findings) -> set[tuple[SideName, str]]:
    """The sides that depart, with each requirement that they do not meet."""
    return {
        (found.side, requirement)
        for found in remarks(findings)
        if found.remark.verdict is Verdict.DEPARTS
        for requirement in found.remark.requirements
    }


def remarks(findings: Findings) -> list[RemarkFinding]:
    """All remarks; the sentence of each has all of its arguments."""
    found = [one for one in findings.all if isinstance(one, RemarkFinding)]
    assert all(one.remark.because for one in found)
    return found


def shown(findings: Findings) -> list[tuple[int, str]]:
    """The lines that show the only remark: their numbers, and what each says after its client."""
    (lines,) = shown_lines(remarks(findings))
    return [(line.at.line, line.text.partition(": ")[2]) for line in lines]
