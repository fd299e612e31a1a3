"""A broker whose log is split: each of its followers finds its share of what one finds."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from lockstep.workspace import find_workspace
from lockstep_kafka.sessions import broker, shares
from lockstep_kafka.verbs.simulate import SimulateRequest, simulate
from tests.kafka.conform.following import read_log
from tests.kafka.fleet.pipeline import LOGS, ROOT, Fleet
from tests.kafka.quorum.test_spoiled_logs import (
    SPOILS,
    Spoil,
)

CAPTURES = sorted(path for path in LOGS.rglob("*.log*") if path.is_file())[::2]


@pytest.fixture(autouse=True)
def split_whatever_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_MOST_OF_ONE", 1.0)


def as_one_broker(folder: Path, logs: list[Path]) -> list[Path]:
    """The files of some logs as those of one broker, in the order of their names."""
    folder.mkdir(parents=True)
    files = []
    for number, log in enumerate(logs):
        file = folder / f"{number:03}-{log.name}"
        file.write_bytes(log.read_bytes())
        files.append(file)
    return files


def assert_split_is_whole(files: list[Path], *, split: tuple[int, ...]) -> None:
    """Files, in as many runs, are followed in so many shares as line by line in one."""
    run, whole, size = Fleet(in_columns=True), Fleet(), -(-len(files) // len(split))
    for number, count in enumerate(split):
        run.shares = count
        some = files[number * size : (number + 1) * size]
        run.run(*some)
        whole.run(*some)
        (states,) = run.states.values()
        assert len(states) == count
        for kind in ("session", "departure", "quarantined"):
            assert Counter(map(repr, run.rows[kind])) == Counter(map(repr, whole.rows[kind]))
        assert lines_counted(run) == lines_counted(whole)
    assert whole.rows["session"]


def lines_counted(run: Fleet) -> Counter[tuple[str, int, bool]]:
    counted: Counter[tuple[str, int, bool]] = Counter()
    for row in run.rows["metric"]:
        key = row["client"], row["api_version"], row["is_open"]
        counted[key] += row["lines"] + 1_000_000 * row["unknowns"]
    return counted


def test_all_captures_as_one_broker(tmp_path: Path) -> None:
    """It is split in another way each time, and what it was before is taken up."""
    assert_split_is_whole(as_one_broker(tmp_path / "all", CAPTURES), split=(3, 1, 4))


@pytest.mark.parametrize("spoil", SPOILS)
def test_spoiled_captures_among_each_other(spoil: Spoil, tmp_path: Path) -> None:
    """Lines of several clusters in one file: ids, numbers of connections and clocks clash."""
    chance = random.Random(spoil.__name__)
    names = (
        "fresh/many-clients-one-id-default-layout.log.gz",
        "fresh/leader-changes-broker3.log.gz",
        "quorum/node2.log.gz",
        "java-classic.log",
    )
    logs = [read_log(LOGS / name).text().splitlines() for name in names]
    places = [place for place, log in enumerate(logs) for _ in log]
    chance.shuffle(places)
    rests = [iter(log) for log in logs]
    file = tmp_path / "all" / "kafka-request.log"
    file.parent.mkdir()
    file.write_text("\n".join(spoil([next(rests[place]) for place in places], chance)) + "\n")
    assert_split_is_whole([file], split=(4,))


def test_a_simulated_log_with_departures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One follower forgets sessions that ended when all do."""
    monkeypatch.setattr(broker, "_ENDED_FOR", 300)
    simulate(
        SimulateRequest(
            model="fetch_session",
            log=tmp_path / "logs",
            lines=6_000,
            brokers=1,
            clients=40,
            seed=5,
            departures=0.0025,
            workspace=find_workspace(ROOT),
        )
    )
    (log,) = (tmp_path / "logs" / "broker-1").iterdir()
    lines = log.read_bytes().splitlines(keepends=True)
    files = [log.with_name(f"kafka-request.{number}.log") for number in range(3)]
    for number, file in enumerate(files):
        file.write_bytes(b"".join(lines[number * 2_000 : (number + 1) * 2_000]))
    assert_split_is_whole(files, split=(4, 3, 4))


def test_what_one_group_has_alone_is_not_split(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    run = Fleet(in_columns=True, shares=3)
    run.run(*as_one_broker(tmp_path / "one", [LOGS / "fresh" / "static-members.log.gz"]))
    (states,) = run.states.values()
    assert len(states) == 1


def test_where_too_much_is_known_nothing_is_split(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is forgotten first rests on all lines then."""
    monkeypatch.setattr(shares, "MOST_CONNECTIONS", 20)
    run = Fleet(in_columns=True, shares=3)
    run.run(*as_one_broker(tmp_path / "all", CAPTURES))
    (states,) = run.states.values()
    assert len(states) == 1
