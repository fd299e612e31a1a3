"""Request logs of a real broker, whole and corrupted, followed through `fetch_session`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lockstep.conform.findings import LogFindings, SessionFinding
from lockstep.language.model import load_model
from models.observed.fetch_session import observe

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "data" / "request-log"
MARKER = "Completed request:"

Lines = list[str]


def follow(log: Path) -> LogFindings:
    return observe(log, lambda constants: load_model(ROOT, "fetch_session", constants))


def edited(tmp_path: Path, sample: str, edit: Callable[[Lines], Lines]) -> LogFindings:
    lines = (SAMPLES / sample).read_text().splitlines()
    log = tmp_path / sample
    log.write_text("\n".join(edit(lines)) + "\n")
    return follow(log)


def change(number: int, edit: Callable[[Any], None]) -> Callable[[Lines], Lines]:
    """Edit the JSON of one line; lines count from 1."""

    def apply(lines: Lines) -> Lines:
        prefix, marker, body = lines[number - 1].partition(MARKER)
        document = json.loads(body)
        edit(document)
        lines[number - 1] = prefix + marker + json.dumps(document)
        return lines

    return apply


def only(findings: LogFindings) -> SessionFinding:
    assert len(findings.sessions) == 1
    return findings.sessions[0]


@pytest.mark.parametrize(
    ("sample", "sessions", "lines"),
    [
        ("aiokafka.log", [0], 43),
        ("follower-fetch.log", [94803863, 331185710], 150),
        ("java-classic.log", [380972674], 52),
        ("java-consumer.log", [685957690], 50),
        ("kafka-python.log", [204474231], 43),
        ("librdkafka.log", [0], 40),
        ("raft-fetch.log", [0, 0], 50),
    ],
)
def test_sample_conforms(sample: str, sessions: list[int], lines: int) -> None:
    findings = follow(SAMPLES / sample)
    assert [session.session for session in findings.sessions] == sessions
    assert [session.verdict for session in findings.sessions] == ["conforms"] * len(sessions)
    assert sum(session.lines for session in findings.sessions) == lines
    repeated = [10] if sample == "raft-fetch.log" else []
    assert [line.line for line in findings.unused] == repeated


def test_other_apis_are_named() -> None:
    findings = follow(SAMPLES / "fetch-snapshot-chunks.log")
    assert findings.sessions == []
    assert {(line.reason, line.detail) for line in findings.unused} == {
        ("other API", "FETCH_SNAPSHOT")
    }


@pytest.mark.parametrize("number", [2, 20, 40])
def test_repeated_epoch_departs(tmp_path: Path, number: int) -> None:
    def repeat(document: Any) -> None:
        document["request"]["sessionEpoch"] -= 1

    session = only(edited(tmp_path, "kafka-python.log", change(number + 1, repeat)))
    assert (session.verdict, session.line) == ("departs", number + 1)
    assert "next request is (204474231," in session.because


@pytest.mark.parametrize("part", ["request", "response"])
def test_wrong_session_id_departs(tmp_path: Path, part: str) -> None:
    def other(document: Any) -> None:
        document[part]["sessionId"] = 4711

    session = only(edited(tmp_path, "java-consumer.log", change(17, other)))
    assert (session.verdict, session.line) == ("departs", 17)
    assert "4711" in session.because


def test_partition_dropped_from_a_full_response_departs(tmp_path: Path) -> None:
    def drop(document: Any) -> None:
        document["response"]["responses"][0]["partitions"].pop(0)

    session = only(edited(tmp_path, "java-classic.log", change(1, drop)))
    assert (session.verdict, session.line) == ("departs", 1)
    assert "is not answered" in session.because


def test_partition_with_changed_watermark_dropped_departs(tmp_path: Path) -> None:
    """The log shows the loss when the fetcher moves on past records that it never got."""

    def drop(document: Any) -> None:
        document["response"]["responses"] = []

    session = only(edited(tmp_path, "kafka-python.log", change(3, drop)))
    assert (session.verdict, session.line) == ("departs", 4)
    assert session.because == (
        "the fetch offset of t1-2 moved from 0 to 1, but no response carried records of it "
        "since line 1"
    )


def test_watermark_dropped_while_records_say_otherwise(tmp_path: Path) -> None:
    """A response that repeats an old watermark for a partition that has none to report."""

    def stale(document: Any) -> None:
        partition = document["response"]["responses"][0]["partitions"][0]
        partition["highWatermark"] = 0
        partition["recordsSizeInBytes"] = 0

    session = only(edited(tmp_path, "java-consumer.log", change(10, stale)))
    assert (session.verdict, session.line) == ("departs", 10)
    assert "went back" in session.because


def test_undeserved_error_departs(tmp_path: Path) -> None:
    def fail(document: Any) -> None:
        document["response"].update(errorCode=71, sessionId=0, responses=[])

    session = only(edited(tmp_path, "java-classic.log", change(9, fail)))
    assert (session.verdict, session.line) == ("departs", 9)
    assert "not deserved" in session.because


def test_eviction_is_inferred(tmp_path: Path) -> None:
    """FETCH_SESSION_ID_NOT_FOUND, and a new full fetch after it, conform."""

    def evict(document: Any) -> None:
        document["response"].update(errorCode=70, sessionId=0, responses=[])

    def cut(lines: Lines) -> Lines:
        return change(9, evict)(lines)[:9]

    session = only(edited(tmp_path, "java-classic.log", cut))
    assert session.verdict == "conforms"


def test_unchanged_partition_answered_departs(tmp_path: Path) -> None:
    def add(document: Any) -> None:
        topic = document["response"]["responses"][0]
        again = {**topic["partitions"][0], "partitionIndex": 0, "highWatermark": 44}
        topic["partitions"].append({**again, "recordsSizeInBytes": 0})

    session = only(edited(tmp_path, "java-classic.log", change(4, add)))
    assert (session.verdict, session.line) == ("departs", 4)
    assert "although nothing about it changed" in session.because


def test_session_open_before_the_log_is_unknown(tmp_path: Path) -> None:
    session = only(edited(tmp_path, "java-consumer.log", lambda lines: lines[3:]))
    assert (session.verdict, session.line) == ("unknown", 1)
    assert "open before the log begins" in session.because


def test_truncated_line_is_named_and_blamed(tmp_path: Path) -> None:
    def cut(lines: Lines) -> Lines:
        lines[9] = lines[9][: len(lines[9]) // 2]
        return lines

    findings = edited(tmp_path, "java-consumer.log", cut)
    assert [(line.line, line.reason) for line in findings.unused] == [(10, "truncated")]
    session = only(findings)
    assert (session.verdict, session.line) == ("unknown", 11)
    assert "line 10 cannot be read" in session.because


def test_missing_line_departs(tmp_path: Path) -> None:
    session = only(edited(tmp_path, "java-consumer.log", lambda lines: lines[:9] + lines[10:]))
    assert (session.verdict, session.line) == ("departs", 10)


def test_foreign_lines_are_named_and_harmless(tmp_path: Path) -> None:
    def mix(lines: Lines) -> Lines:
        return ["[2026-11-21] INFO started", *lines[:5], "", "garbage {", *lines[5:]]

    findings = edited(tmp_path, "kafka-python.log", mix)
    assert [line.line for line in findings.unused] == [1, 7, 8]
    assert only(findings).verdict == "conforms"


def test_lines_out_of_order_are_put_right_and_named(tmp_path: Path) -> None:
    def swap(lines: Lines) -> Lines:
        lines[11], lines[12] = lines[12], lines[11]
        return lines

    findings = edited(tmp_path, "java-classic.log", swap)
    assert [line.reason for line in findings.reordered] == ["out of order"]
    assert only(findings).verdict == "conforms"


def test_preferred_replica_is_outside_the_model(tmp_path: Path) -> None:
    def add(document: Any) -> None:
        topic = document["response"]["responses"][0]
        again = {**topic["partitions"][0], "partitionIndex": 0, "highWatermark": 44}
        topic["partitions"].append({**again, "recordsSizeInBytes": 0, "preferredReadReplica": 2})

    session = only(edited(tmp_path, "java-classic.log", change(4, add)))
    assert (session.verdict, session.line) == ("unknown", 4)
    assert "preferred replica" in session.because


@pytest.mark.parametrize("number", [1, 17], ids=["full", "incremental"])
@pytest.mark.parametrize(("throttle", "verdict"), [(50, "unknown"), (0, "departs")])
def test_empty_response_over_quota_without_session(
    tmp_path: Path, number: int, throttle: int, verdict: str
) -> None:
    def empty(document: Any) -> None:
        response = {"throttleTimeMs": throttle, "sessionId": 0, "responses": []}
        document["response"].update(response)

    session = edited(tmp_path, "java-consumer.log", change(number, empty)).sessions[0]
    assert (session.verdict, session.line) == (verdict, number)
