"""What is remembered of connections and sessions is held once; tables grow by what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.conform.logs import lines_of, of_connections
from lockstep_kafka.columns import numbers
from lockstep_kafka.columns.follower import ColumnFollower
from lockstep_kafka.columns.kernels.layout import CONNECTION, FILES, NOT_GIVEN, SESSION
from lockstep_kafka.findings import LineFinding
from lockstep_kafka.sessions import broker
from lockstep_kafka.sessions.explanations import Explanations
from tests.kafka.columns.test_agreement import agree
from tests.kafka.columns.test_saved_columns import BROKER, part_of
from tests.kafka.conform.following import LOGS
from tests.kafka_models import fetch_session

BUSY = LOGS / "fresh" / "busy.log.gz"


def test_what_tables_have_python_has_not() -> None:
    lines = lines_of(BUSY)
    follower = ColumnFollower(BROKER, Explanations(fetch_session))
    list(part_of(follower, lines, 0, len(lines)))
    exchange = follower._exchange
    tables = exchange.memory.tables
    rows = tables["connections"].reshape(-1, CONNECTION.size)
    rows = rows[rows[:, CONNECTION.is_here] != 0]
    assert rows[:, CONNECTION.others_count].any()
    assert rows[:, CONNECTION.wanted].any()
    for name in map(exchange.numbers.text, rows[:, CONNECTION.name].tolist()):
        connection = exchange.connections.kept(name)
        assert connection is not None
        assert not connection._others
    for row in rows[rows[:, CONNECTION.is_odd] == 0]:
        connection = exchange.connections.kept(exchange.numbers.text(int(row[CONNECTION.name])))
        assert connection is not None
        assert connection.fetcher is not None
        assert not connection.fetcher.fetching
    here = tables["sessions"].reshape(-1, SESSION.size)[:, SESSION.is_here].any()
    kept = [exchange.sessions.kept(number) for number in exchange.sessions]
    assert here
    assert not any(session is None or session.partitions for session in kept)
    follower.close()
    assert list(exchange.memory.tables) == ["counts"]
    assert not exchange.connections
    assert not exchange.sessions


def test_rows_of_sessions_are_given_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "MOST_SESSIONS", 20)
    lines = list(of_connections(lines_of(BUSY), 3_000, 2))
    follower = ColumnFollower(BROKER, Explanations(fetch_session))
    list(part_of(follower, lines, 0, len(lines)))
    memory = follower._memory
    assert memory["sessions_end"] // SESSION.size - 1 <= 21
    assert memory["session_mask"] < 1 << 12


def test_many_sessions(tmp_path: Path) -> None:
    """More than the tables of sessions, connections and partitions have room for at first."""
    file = tmp_path / "kafka-request.log"
    file.write_bytes(b"".join(of_connections(lines_of(BUSY), 3_000, 4)))
    assert agree([file])


def test_many_requests_are_remembered(tmp_path: Path) -> None:
    """A log that stands twice, each line of which is remembered until the second one."""
    lines = [b"1" + line[1:] for line in lines_of(BUSY)]
    moment = lines[0][:13]
    at_once = [moment + line[13:] for line in lines]
    file = tmp_path / "kafka-request.log"
    file.write_bytes(b"".join([*lines[:100], *at_once, *at_once]))
    found = agree([file])
    repeated = [one for one in found if isinstance(one, LineFinding) and one.reason == "repeated"]
    assert len(repeated) >= len(at_once) > 1 << 10


def test_more_files_than_a_request_has_bits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of other APIs in those are left to Python."""

    class Many(numbers.Files):
        def __init__(self) -> None:
            super().__init__()
            for number in range(FILES - 2):
                self.number(f"{number}.log")

    monkeypatch.setattr("lockstep_kafka.columns.exchange.Files", Many)
    assert agree(sorted(LOGS.glob("fresh/rotated/*.gz")))


@pytest.mark.parametrize(
    "other",
    [(0, 0, NOT_GIVEN, 0), (-(2**31), 2**62, 253_402_300_799_999, FILES - 1)],
)
def test_a_request_of_another_api_in_words(other: numbers.Other) -> None:
    assert numbers.other_fits(other)
    assert numbers.other_of(list(numbers.other_words(other))) == other


@pytest.mark.parametrize(
    "other", [(2**31, 0, 0, 0), (0, 0, 2**48, 0), (0, 0, -(2**48), 0), (0, 0, 0, FILES)]
)
def test_a_request_that_words_do_not_hold(other: numbers.Other) -> None:
    assert not numbers.other_fits(other)
