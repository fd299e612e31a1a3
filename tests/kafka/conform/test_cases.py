"""Short logs, each with the verdict that is right for it, by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep_kafka.findings import SideName, Verdict
from tests.kafka.conform.following import LOGS, Findings, follow

CASES = LOGS / "cases"

CONFORMS = [
    "fa2-records-beyond-reported-hw",
    "fa2b-second-capture",
    "fa3-out-of-range-reset",
    "fa4-seek-forward",
    "fa7-close-without-session",
    "fa11-line-twice",
    "fa13-empty-full-request",
    "fb1-clock-step-parked-poll",
    "fb2-clock-step-1s-made",
]
DEPARTS_NOT = [
    "fa1-raft-snapshot-id",
    "fa5-raft-hw-minus-one",
    "fa8-preferred-read-replica",
    "fa8b-diverging-epoch-synthetic",
    "fa12-raced-long-poll",
    "u1-106-then-full",
    "ca-version-changes-in-a-session",
    "ca-error-with-a-watermark",
    "ca-later-request-sent-first",
    "ca-hole-before-another-request",
    "fb3-old-leader-as-follower",
]
UNKNOWN = {
    "fa6-restart-lost-lines": 1233550848,
    "fa9-two-lines-run-together": 204474231,
    "fa10-line-lost-correlation-gap": 204474231,
}
BROKER_DEPARTS = [
    ("m1-one-id-two-live-sessions", 685957690, 5, "227-3"),
    ("m2-session-not-found-then-accepted", 204474231, 6, "227-27"),
    ("m3-control", 0, 1, "227-34"),
    ("m3-unknown-hides-later-departure", 0, 44, "227-34"),
    ("m4-isolation-level-not-looked-at", 380972674, 2, "227-56"),
]
CLIENT_DEPARTS = {
    "fb4-epoch-minus-2": {6: "227-30"},
    "fb6-forgets-twice": {223: "227-67"},
    "fb5-listed-and-removed-at-once": {11: "227-31", 14: "227-29", 15: "227-41", 16: "227-30"},
}


def case(name: str) -> Findings:
    findings = follow(CASES / f"{name}.log.gz")
    assert findings.files == []
    return findings


def test_what_a_conjunct_reads_is_the_same_in_every_process() -> None:
    """A set is written in one order, not as it happens to be stored."""
    remark = case("m4-isolation-level-not-looked-at").departures[0].remark
    (candidate,) = remark.candidates
    assert candidate.values["filled"] == "{}"
    values = [
        value
        for log in ("m2-session-not-found-then-accepted", "m3-control", "fb6-forgets-twice")
        for departure in case(log).departures
        for candidate in departure.remark.candidates
        for value in candidate.values.values()
    ]
    assert values
    assert not any("set(" in value or "{'" in value for value in values)


def test_every_case_has_its_verdict() -> None:
    named = {*CONFORMS, *DEPARTS_NOT, *UNKNOWN, *(name for name, *_ in BROKER_DEPARTS)}
    named |= set(CLIENT_DEPARTS)
    files = {path.name.removesuffix(".log.gz") for path in CASES.glob("*.log.gz")}
    assert files - named == {"m5-session-from-nowhere", "v1-conforms-with-0-lines"}
    assert named < files


@pytest.mark.parametrize("name", CONFORMS)
def test_conforms(name: str) -> None:
    findings = case(name)
    assert [str(departure) for departure in findings.departures] == []
    assert findings.verdict is Verdict.CONFORMS


@pytest.mark.parametrize("name", DEPARTS_NOT)
def test_does_not_depart(name: str) -> None:
    findings = case(name)
    assert [str(departure) for departure in findings.departures] == []
    assert findings.sessions


@pytest.mark.parametrize("name", UNKNOWN)
def test_is_unknown(name: str) -> None:
    findings = case(name)
    assert [str(departure) for departure in findings.departures] == []
    assert findings.of(UNKNOWN[name]).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(("name", "session", "line", "requirement"), BROKER_DEPARTS)
def test_the_broker_departs(name: str, session: int, line: int, requirement: str) -> None:
    findings = case(name)
    departures = [
        departure for departure in findings.departures if departure.side is SideName.BROKER
    ]
    assert {departure.session for departure in departures} == {session}
    first = min(departures, key=lambda departure: departure.remark.at.line)
    assert first.remark.at.line == line, first
    assert requirement in first.remark.requirements
    assert first.remark.candidates


@pytest.mark.parametrize("name", CLIENT_DEPARTS)
def test_only_the_client_departs(name: str) -> None:
    departures = {departure.remark.at.line: departure for departure in case(name).departures}
    assert {departure.side for departure in departures.values()} == {SideName.CLIENT}
    for line, requirement in CLIENT_DEPARTS[name].items():
        assert requirement in departures[line].remark.requirements
    assert departures.keys() == CLIENT_DEPARTS[name].keys()


def test_a_withheld_record_is_not_the_clients_doing() -> None:
    findings = case("m4-isolation-level-not-looked-at")
    assert findings.of(380972674).client_side.verdict is Verdict.CONFORMS


def test_the_broker_of_a_raced_long_poll_conforms() -> None:
    assert case("fa12-raced-long-poll").of(128490060).broker_side.verdict is Verdict.CONFORMS


def test_a_repeated_line_is_counted() -> None:
    findings = case("fa11-line-twice")
    assert [line.at.line for line in findings.lines] == [5]
    assert findings.of(204474231).lines == 8


def test_a_swallowed_request_is_a_loss() -> None:
    findings = case("fa9-two-lines-run-together")
    assert [(line.at.line, line.is_loss) for line in findings.lines] == [(5, True)]


def test_a_session_is_followed_from_its_full_request_on() -> None:
    """Line 95 opens it after FETCH_SESSION_TOPIC_ID_ERROR, line 125 closes it."""
    session = case("u1-106-then-full").of(604553566)
    assert session.is_whole
    assert (session.first.line, session.last.line) == (95, 125)
    assert session.verdict is Verdict.CONFORMS
    assert min(session.client_side.judged, session.broker_side.judged) >= 29


def test_a_session_from_nowhere_is_not_passed() -> None:
    session = case("m5-session-from-nowhere").of(204474231)
    assert session.verdict is not Verdict.CONFORMS
    reasons = [
        side.worst.because for side in (session.client_side, session.broker_side) if side.worst
    ]
    assert reasons
    assert not any("before the log begins" in because for because in reasons)


def test_what_was_not_followed_does_not_conform() -> None:
    findings = case("v1-conforms-with-0-lines")
    assert all(departure.side is SideName.CLIENT for departure in findings.departures)
    opened = findings.of(161381679)
    assert opened.broker_side.verdict is not Verdict.DEPARTS
    assert findings.verdict is not Verdict.CONFORMS
    others = [session for session in findings.sessions if session.session != 161381679]
    assert others
    assert all(session.verdict is not Verdict.CONFORMS for session in others)


def test_a_damaged_file_does_not_silence_the_others(tmp_path: Path) -> None:
    broken = tmp_path / "broken.log.gz"
    broken.write_bytes((CASES / "m3-control.log.gz").read_bytes()[:200])
    findings = follow(broken, CASES / "m3-control.log.gz")
    assert [(line.at.file, line.is_loss) for line in findings.lines] == [(str(broken), True)]
    assert [departure.session for departure in findings.departures] == [0]
