"""Which broker wrote a file, where its path says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.workspace import open_workspace
from lockstep_kafka.files.lines import Skipped
from lockstep_kafka.files.log_files import BrokerPaths, broker_of
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.findings import SessionFinding, Verdict
from lockstep_kafka.verbs.conform import ConformRequest, conform
from tests.kafka.conform.following import LOGS, ROOT, follow
from tests.kafka.simulated.damage.lines import fetch

PATTERN = r"(?P<broker>[^/]+)/(?P<date>[0-9-]+)\.log$"
PATH = "logs/kafka-7/2026-11-22.log"
P = ("AAAAAAAAAAAAAAAAAAAAAQ", 0)


def test_a_path_names_a_broker_and_a_date() -> None:
    paths = BrokerPaths(PATTERN)
    assert (paths.broker(PATH), paths.date(PATH)) == ("kafka-7", "2026-11-22")
    assert (paths.broker(PATH), paths.date(PATH)) == ("kafka-7", "2026-11-22")


def test_without_a_pattern_no_path_names_anything() -> None:
    paths = BrokerPaths()
    assert (paths.broker(PATH), paths.date(PATH)) == (None, None)


def test_a_pattern_need_not_have_a_date() -> None:
    assert BrokerPaths("(?P<broker>kafka-.)").date(PATH) is None


@pytest.mark.parametrize(("pattern", "problem"), [
    ("(?P<broker>", "'(?P<broker>' is no regular expression: missing ), unterminated subpattern"),
    ("[^/]+", "'[^/]+' does not say which part of a path is the broker"),
    ("(?P<date>.*)", "'(?P<date>.*)' does not say which part of a path is the broker"),
])  # fmt: skip
def test_a_pattern_that_cannot_be_used(pattern: str, problem: str) -> None:
    with pytest.raises(LockstepError, match=f"^{re.escape(problem)}"):
        BrokerPaths(pattern)


@pytest.mark.parametrize("pattern", ["broker-(?P<broker>.)", "kafka-(?P<broker>x?)"])
def test_a_path_that_does_not_match(pattern: str) -> None:
    problem = f"{PATH} has no broker in its path where {pattern!r} looks for it"
    with pytest.raises(LockstepError, match=f"^{re.escape(problem)}"):
        BrokerPaths(pattern).broker(PATH)


def sessions(folder: Path, pattern: str | None) -> dict[str, SessionFinding]:
    """The session 7 of each broker; two brokers have one address, and begin with one request."""
    for broker in ("kafka-1", "kafka-2"):
        (folder / broker).mkdir()
        lines = (
            fetch(1, (0, 0), asks={P: 5}, session=7, answers={P: 5}),
            fetch(2, (7, 1), session=7),
        )
        (folder / broker / "1.log").write_text("".join(f"{line}\n" for line in lines))
    found = follow(folder / "kafka-1" / "1.log", folder / "kafka-2" / "1.log", broker_from=pattern)
    return {session.broker: session for session in found.sessions if session.session == 7}


def test_brokers_of_one_address_are_distinguished_by_their_paths(tmp_path: Path) -> None:
    found = sessions(tmp_path, PATTERN)
    assert set(found) == {"kafka-1", "kafka-2"}
    for session in found.values():
        assert (session.lines, session.verdict) == (2, Verdict.CONFORMS)


def test_without_the_pattern_they_are_taken_for_one(tmp_path: Path) -> None:
    assert set(sessions(tmp_path, None)) == {"127.0.0.1:9092"}


def test_a_file_that_does_not_match_is_reported_before_anything_is_followed(tmp_path: Path) -> None:
    for name in ("1.log", "other.log"):
        (tmp_path / name).write_text(fetch(1, (0, 0), asks={P: 5}, session=7) + "\n")
    with pytest.raises(LockstepError, match="has no broker in its path"):
        follow(tmp_path, broker_from=PATTERN)


def test_the_broker_of_a_request(tmp_path: Path) -> None:
    file = tmp_path / "kafka-7" / "2026-11-22.log"
    file.parent.mkdir()
    file.write_text(fetch(1, (0, 0), asks={P: 5}, session=7) + "\n")
    (request,) = read_request_log(file)
    assert not isinstance(request, Skipped)
    assert broker_of(request, BrokerPaths(PATTERN)) == "kafka-7"
    assert broker_of(request, BrokerPaths()) == "127.0.0.1:9092"


@pytest.mark.parametrize("pattern", ["[", "x", "(?P<broker>x)"])
def test_a_command_that_names_no_broker(tmp_path: Path, pattern: str) -> None:
    log = tmp_path / "server.log"
    log.write_text(fetch(1, (0, 0), asks={P: 5}, session=7) + "\n")
    request = ConformRequest((log,), workspace=open_workspace(str(ROOT)), broker_from=pattern)
    with pytest.raises(LockstepError) as error:
        conform(request)
    assert error.value.exit_code is ExitCode.USAGE
    assert error.value.cure


@pytest.mark.parametrize("name", ["busy", "leader-changes-broker3", "restart"])
def test_listeners_of_one_broker_are_one(name: str) -> None:
    """Nothing departs where all of a broker's addresses are one broker."""
    log = LOGS / "fresh" / f"{name}.log.gz"
    found = follow(log, broker_from=r"fresh/(?P<broker>[^/.]+)\.log")
    assert {session.broker for session in found.sessions} == {name}
    assert [str(departure) for departure in found.departures] == []
    requests = [line for line in read_request_log(log) if not isinstance(line, Skipped)]
    assert len({broker_of(request, BrokerPaths()) for request in requests}) > 1
