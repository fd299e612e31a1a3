"""Longer logs of brokers that did nothing wrong: nothing departs, and nearly all is judged."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

from lockstep_kafka.findings import Verdict
from tests.kafka.conform.following import (
    LOGS,
    Findings,
    follow,
    in_session,
    judged,
    lines_of_sessions,
    read_log,
)

FRESH = LOGS / "fresh"
NAMES = sorted(path.name for path in FRESH.iterdir() if path.name != "README.md")


@cache
def followed(name: str) -> Findings:
    return follow(FRESH / name)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_departs(name: str) -> None:
    findings = followed(name)
    assert [str(departure) for departure in findings.departures] == []
    assert findings.files == []
    assert findings.sessions


@pytest.mark.parametrize("name", NAMES)
def test_nine_in_ten_of_a_session_are_judged(name: str) -> None:
    findings = followed(name)
    assert judged(findings) >= 0.9 * lines_of_sessions(findings)
    assert lines_of_sessions(findings) >= in_session(read_log(FRESH / name))


@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_accounted_for(name: str) -> None:
    """A request is in a session or named as not followed, never both nor neither."""
    log, findings = read_log(FRESH / name), followed(name)
    followed_lines = sum(session.lines for session in findings.sessions)
    not_followed = [line for line in findings.lines if line.reason != "out of order"]
    assert followed_lines + len(not_followed) + findings.total.others == len(log.lines)
    assert findings.total.lines == len(log.lines)


@pytest.fixture(scope="module")
def pieces() -> list[Path]:
    return sorted((FRESH / "rotated").iterdir())


def summary(findings: Findings) -> list[tuple[int, int, int, int, Verdict]]:
    """What was found, whatever the files are called."""
    return sorted(
        (
            session.session,
            session.lines,
            session.client_side.judged,
            session.broker_side.judged,
            session.verdict,
        )
        for session in findings.sessions
    )


@pytest.mark.parametrize("order", [[6, 5, 4, 3, 2, 1, 0], [3, 0, 6, 1, 5, 2, 4]])
def test_rotated_logs_are_read_in_the_order_of_their_times(
    tmp_path: Path, pieces: list[Path], order: list[int]
) -> None:
    for place, piece in zip(order, pieces, strict=True):
        shutil.copy(piece, tmp_path / f"piece-{place}.log.gz")
    findings = follow(tmp_path)
    assert [str(departure) for departure in findings.departures] == []
    assert summary(findings) == summary(followed("rotated"))


def test_rotated_logs_may_be_named_one_by_one(pieces: list[Path]) -> None:
    assert summary(follow(*reversed(pieces))) == summary(followed("rotated"))


@pytest.mark.parametrize("number", range(7))
def test_a_piece_alone_is_judged_from_the_middle(pieces: list[Path], number: int) -> None:
    findings = follow(pieces[number])
    assert [str(departure) for departure in findings.departures] == []
    assert judged(findings) >= 0.9 * lines_of_sessions(findings)
