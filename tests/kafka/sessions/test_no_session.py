"""Requests with an epoch of sessions and the id of none."""

from __future__ import annotations

from pathlib import Path

from lockstep_kafka.findings import SideName
from tests.kafka.conform.following import follow
from tests.kafka.simulated.damage.lines import fetch

P = ("a topic", 0)


def connection(number: int, *, error: int = 0) -> list[str]:
    """Its third request has lost the session's id; the response names the session, or an error."""
    name = f"127.0.0.1:9092-127.0.0.1:4000{number}-0-{number}"
    session = 100 + number
    answered = 0 if error else session
    return [
        fetch(1, (0, 0), asks={P: 5}, answers={P: 5}, session=session, connection=name),
        fetch(2, (session, 1), session=session, connection=name),
        fetch(3, (0, 2), session=answered, error=error, connection=name),
    ]


def departures(path: Path, lines: list[str]) -> list[tuple[int, int, SideName]]:
    path.write_text("".join(f"{line}\n" for line in lines))
    return sorted(
        (departure.remark.at.line, departure.session, departure.side)
        for departure in follow(path).departures
    )


def test_each_connection_departs_by_itself(tmp_path: Path) -> None:
    lines = [line for number in (1, 2, 3) for line in connection(number)]
    assert departures(tmp_path / "a.log", lines) == [
        (line, 0, side) for line in (3, 6, 9) for side in (SideName.BROKER, SideName.CLIENT)
    ]


def test_a_broker_that_knows_no_such_session_conforms(tmp_path: Path) -> None:
    assert departures(tmp_path / "a.log", connection(1, error=70)) == [(3, 0, SideName.CLIENT)]
