"""The lines that show a departure: abridged, found again in the file, with times in UTC."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from msgspec import structs

from lockstep.pages.blocks import Paragraph
from lockstep.report.view import text_of
from lockstep_kafka.files.lines import AnsweredPartition, FetchLine, RaftAnswer, TopicPartition
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.files.shown_lines import abridged, shown_lines
from lockstep_kafka.findings import RemarkFinding, ShownLine, Verdict
from lockstep_kafka.report.conform import conform_blocks
from lockstep_kafka.rules import Rule
from lockstep_kafka.totals import ConformTotals
from lockstep_kafka.verbs.conform import ConformResult
from tests.kafka.conform.following import LOGS, follow

CASES = LOGS / "cases"


def first_line(name: str) -> FetchLine:
    fetches = (line for line in read_request_log(LOGS / f"{name}.log"))
    return next(line for line in fetches if isinstance(line, FetchLine))


def departures(log: Path) -> list[RemarkFinding]:
    return [
        finding
        for finding in follow(log).all
        if isinstance(finding, RemarkFinding) and finding.remark.verdict is Verdict.DEPARTS
    ]


def numbers(shown: Sequence[ShownLine]) -> list[int]:
    return [line.at.line for line in shown]


def test_a_request_and_its_response_in_a_line() -> None:
    line = first_line("kafka-python")
    assert abridged(line, "2") == (
        "broker 2, client kafka-python v12: (0, 0) t2-1@0 t2-0@0 4 more partitions -> NONE, "
        "session 204474231, t2-1 hw 0, t2-0 hw 0, 4 more partitions"
    )
    assert abridged(line, "2", "t1-1") == (
        "broker 2, client kafka-python v12: (0, 0) t1-1@0 5 others -> NONE, session 204474231, "
        "t1-1 hw 0, 5 others"
    )
    assert abridged(line, "2", "t9-1").endswith(
        "(0, 0) 6 others -> NONE, session 204474231, 6 others"
    )


def test_what_an_answer_says() -> None:
    partition = TopicPartition("t", 0)
    plain = AnsweredPartition(0, 41, 41, 0, 0, -1, False)
    line = structs.replace(
        first_line("kafka-python"),
        client_id="",
        replica_id=3,
        partitions={},
        forgotten=(partition,),
        error_code=71,
        response_session_id=0,
        throttle_time_ms=5,
        answered={partition: plain},
    )

    def said(**changed: object) -> str:
        answer = structs.replace(plain, **changed)
        shown = abridged(structs.replace(line, answered={partition: answer}), "2")
        return shown.partition("throttled 5 ms, ")[2]

    assert abridged(line, "b\n").startswith("broker b\\n, replica 3 without a name v12: (0, 0)")
    assert " removes t-0 -> INVALID_FETCH_SESSION_EPOCH, throttled 5 ms, t-0 hw 41" in abridged(
        line, "2"
    )
    assert said() == "t-0 hw 41"
    assert said(last_stable_offset=40, log_start_offset=7) == "t-0 hw 41 lso 40 start 7"
    assert said(records_size=1024) == "t-0 hw 41 1,024 bytes"
    assert said(error_code=1, high_watermark=-1) == "t-0 OFFSET_OUT_OF_RANGE lso 41"
    assert said(error_code=4711, last_stable_offset=-1) == "t-0 error 4711 hw 41"
    assert said(preferred_read_replica=2) == "t-0 hw 41 read from 2"
    assert said(has_diverging_epoch=True) == "t-0 hw 41 diverging epoch"
    assert said(has_snapshot_id=True) == "t-0 hw 41 snapshot"
    assert said(raft=RaftAnswer(2, 5, -1, -1)) == "t-0 hw 41 epoch 5 leader 2"


@pytest.mark.parametrize(
    ("name", "rule", "lines"),
    [
        ("fb5-listed-and-removed-at-once", Rule.EPOCH_EXPECTED, [10, 11]),
        ("fb5-listed-and-removed-at-once", Rule.IMPOSSIBLE_HEAD, [16]),
        ("fb6-forgets-twice", Rule.STRANGER_REMOVED, [219, 223]),
        ("m1-one-id-two-live-sessions", Rule.ID_SHARED, [2, 3, 5]),
        ("m2-session-not-found-then-accepted", Rule.ACCEPTED_WHEN_GONE, [5, 6]),
        ("m4-isolation-level-not-looked-at", Rule.RECORDS_WITHHELD, [1, 2]),
    ],
)
def test_the_lines_on_which_an_expectation_rests(name: str, rule: Rule, lines: list[int]) -> None:
    first = next(
        finding for finding in departures(CASES / f"{name}.log.gz") if finding.remark.rule is rule
    )
    (shown,) = shown_lines([first])
    assert numbers(shown) == lines
    assert shown[-1].text == first.abridged
    assert all(line.at.file == first.remark.at.file for line in shown)


def test_a_watermark_that_another_fetcher_was_sent(tmp_path: Path) -> None:
    """The line that said it first is shown, though it is none of the session."""
    log = json_lines("m4-isolation-level-not-looked-at")
    other = log[0].replace('"highWatermark":43', '"highWatermark":44').replace("380972674", "7")
    file = tmp_path / "a.log"
    file.write_text("\n".join([other, *log]) + "\n")
    finding = next(one for one in departures(file) if one.remark.rule is Rule.RECORDS_WITHHELD)
    arguments = {**finding.remark.arguments, "watermark": 44, "now": 43}
    remark = replace(finding.remark, rule=Rule.WATERMARK_BACK, arguments=arguments)
    (shown,) = shown_lines([replace(finding, remark=remark)])
    assert numbers(shown) == [1, 2, 3]
    assert ["hw 44" in line.text for line in shown] == [True, False, True]
    (shown,) = shown_lines([finding])
    assert numbers(shown) == [2, 3]


def json_lines(name: str) -> list[str]:
    return gzip.decompress((CASES / f"{name}.log.gz").read_bytes()).decode().splitlines()


@pytest.mark.parametrize(
    ("prefix", "time"),
    [
        ("1795252000000", "09:06:40.000"),
        ("[2026-11-21 09:07:04,500]", "09:07:04.500"),
        ("2026-11-21T09:07:04.500+05:30", "03:37:04.500"),
        ("2026-11-21 09:07:04 -0800", "17:07:04.000"),
    ],
)
def test_times_are_in_utc(tmp_path: Path, prefix: str, time: str) -> None:
    file = tmp_path / "a.log"
    lines = [
        f"{prefix} Completed request:{line.partition('Completed request:')[2]}"
        for line in json_lines("m3-control")
    ]
    file.write_text("\n".join(lines) + "\n")
    (shown,) = shown_lines(departures(file)[:1])
    (line,) = shown
    assert line.time is not None
    assert line.time.tzinfo is UTC
    totals = ConformTotals()
    for finding in follow(file).all:
        totals.add(finding)
    for cause in totals.causes:
        (cause.shown,) = shown_lines([cause.first])
    blocks = conform_blocks(ConformResult("fetch_session", totals), verbose=False)
    head, own, *_ = text_of(blocks).splitlines()
    assert head.endswith(f", 2026-11-21 {time}")
    assert own.startswith(f"  line {line.at.line}: {time} ")


@pytest.mark.parametrize(
    "prefix", ["9999-12-31T23:59:59.999-23:59", "0001-01-01T00:00:00+23:59", "Sunday"]
)
def test_a_date_that_is_none(tmp_path: Path, prefix: str) -> None:
    """A line whose time is damaged is shown without it."""
    file = tmp_path / "a.log"
    text = json_lines("m3-control")[0].partition("Completed request:")[2]
    file.write_text(f"{prefix} Completed request:{text}\n")
    totals = ConformTotals()
    for finding in follow(file).all:
        totals.add(finding)
    (cause,) = totals.causes
    (cause.shown,) = shown_lines([cause.first])
    assert [line.time for line in cause.shown] == [None]
    shown = conform_blocks(ConformResult("fetch_session", totals), verbose=False)
    lines = [block.text for block in shown if isinstance(block, Paragraph)]
    assert lines[0] == (
        f"{file}:1: the broker departs (asked-not-answered-without-session): 1 session, 1 line, "
        "127.0.0.1:34069"
    )
    assert str(lines[1]).startswith("  line 1: broker 127.0.0.1:34069, client rd1 v16: (0, -1) ")


def test_what_cannot_be_read_again_is_shown_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_text("\n".join(json_lines("m2-session-not-found-then-accepted")) + "\n")
    first, *_ = departures(file)
    file.unlink()
    (shown,) = shown_lines([first])
    assert numbers(shown) == [6]
    assert (shown[0].text, shown[0].time is None) == (first.abridged, False)


def test_sessions_of_one_cause_are_one_entry(tmp_path: Path) -> None:
    """Two sessions of one software that depart alike are counted in one cause."""
    file = tmp_path / "a.log"
    lines = json_lines("m2-session-not-found-then-accepted")
    others = [line.replace("204474231", "7").replace("41312-0-2", "41313-0-3") for line in lines]
    file.write_text("\n".join([*lines, *others]) + "\n")
    totals = ConformTotals()
    for finding in follow(file).all:
        totals.add(finding)
    causes = {(cause.first.side.value, cause.who): cause for cause in totals.causes}
    client = causes["client", "kafka-python 3.0.12"]
    assert client.first.remark.rule is Rule.FULL_EXPECTED
    assert (client.sessions, client.places.count) == (2, 2)
    assert [place.line for place in client.places.items] == [6, 14]
    broker = causes["broker", "127.0.0.1:55867"]
    assert (broker.sessions, broker.places.count) == (2, 2)
