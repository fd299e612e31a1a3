"""A request that arrives after its fetcher connected again, and epochs that wrap in a hole."""

from __future__ import annotations

from pathlib import Path

from tests.kafka.conform.following import Findings, follow
from tests.kafka.simulated.damage.lines import fetch

P = ("AAAAAAAAAAAAAAAAAAAAAQ", 0)
OLD = "127.0.0.1:9092-127.0.0.1:40000-0-1"
NEW = "127.0.0.1:9092-127.0.0.1:40001-0-2"
LAST_EPOCH = 2**31 - 1


def found(tmp_path: Path, *lines: str) -> Findings:
    file = tmp_path / "server.log"
    file.write_text("".join(f"{line}\n" for line in lines))
    return follow(file)


BEGINNING = (
    fetch(1, (0, 0), asks={P: 5}, session=7, answers={P: 5}, connection=OLD),
    fetch(3, (7, 0), asks={P: 5}, session=8, answers={P: 5}, connection=NEW),
)


def test_a_request_sent_before_its_fetcher_connected_again(tmp_path: Path) -> None:
    """The broker reads it from the old connection at last; nobody reads its response."""
    late = fetch(2, (7, 1), error=70, connection=OLD)
    following = fetch(4, (8, 1), session=8, connection=NEW)
    assert found(tmp_path, *BEGINNING, late, following).departures == []


def test_such_a_request_on_the_new_connection(tmp_path: Path) -> None:
    departures = found(tmp_path, *BEGINNING, fetch(4, (7, 1), error=70, connection=NEW)).departures
    assert [departure.side for departure in departures] == ["client"]


def test_epochs_that_wrap_in_a_hole(tmp_path: Path) -> None:
    log = (fetch(1, (7, LAST_EPOCH - 1), session=7), fetch(4, (7, 2), session=7))
    assert found(tmp_path, *log).departures == []


def test_a_hole_too_small_for_epochs_that_wrap(tmp_path: Path) -> None:
    log = (fetch(1, (7, LAST_EPOCH - 1), session=7), fetch(3, (7, 2), session=7))
    sides = {departure.side for departure in found(tmp_path, *log).departures}
    assert sides == {"client", "broker"}
