from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.conform.logs import (
    fetches,
    lengthened,
    lines_of,
    of_connections,
    of_partitions,
    write_captured,
)
from lockstep_kafka.findings import SessionFinding, Verdict
from tests.kafka.conform.following import ROOT, follow

LOGS = ROOT / "tests" / "data" / "request-log" / "fresh"


@pytest.fixture(scope="module")
def busy() -> list[bytes]:
    return lines_of(LOGS / "busy.log.gz")


def _sessions(folder: Path, lines: Iterable[bytes]) -> list[SessionFinding]:
    log = folder / "made.log"
    log.write_bytes(b"".join(lines))
    findings = follow(log)
    assert findings.verdict is Verdict.CONFORMS
    return findings.sessions


def test_a_lengthened_log_has_each_session_so_many_times(tmp_path: Path, busy: list[bytes]) -> None:
    once = _sessions(tmp_path, busy)
    thrice = _sessions(tmp_path, lengthened(busy, 3))
    assert sorted((session.session, session.lines) for session in thrice) == sorted(
        (session.session, session.lines) for session in once * 3
    )


def test_fetch_lines_alone_conform(tmp_path: Path, busy: list[bytes]) -> None:
    alone = _sessions(tmp_path, fetches(busy))
    assert sum(session.lines for session in alone) == len(list(fetches(busy)))


def test_each_connection_has_a_session_and_a_client(tmp_path: Path, busy: list[bytes]) -> None:
    sessions = _sessions(tmp_path, of_connections(busy, 300, 5))
    assert [session.lines for session in sessions] == [5] * 300
    assert len({(session.session, session.client) for session in sessions}) == 300
    assert len({session.connection for session in sessions}) == 300


def test_a_session_of_partitions_is_judged_as_a_whole(tmp_path: Path, busy: list[bytes]) -> None:
    lines = list(of_partitions(busy, 7, 30))
    (session,) = _sessions(tmp_path, lines)
    assert (session.is_whole, session.lines, session.broker_side.judged) == (True, 30, 30)
    assert lines[0].count(b'"partitionIndex"') == 7
    assert {line.count(b'"partitionIndex"') for line in lines[1:]} == {1}


def test_captured_brokers_have_addresses_of_their_own(tmp_path: Path) -> None:
    write_captured(ROOT, tmp_path, 8_000, 2)
    files = sorted(tmp_path.rglob("*.log"))
    findings = follow(*files)
    assert findings.verdict is Verdict.CONFORMS
    hosts = {session.broker.partition(":")[0] for session in findings.sessions}
    assert hosts == {"10.9.0.1", "10.9.0.2"}
    assert [len(file.read_bytes().splitlines()) for file in files] == [4_000, 4_000]
