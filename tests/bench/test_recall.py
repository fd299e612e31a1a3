"""Every kind of departure is seeded where a follower finds it, and nothing else departs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.recall import Seeded, follow
from lockstep.workspace import find_workspace
from lockstep_kafka.findings import Place, SideName, Verdict
from lockstep_kafka.verbs.simulate import SimulateRequest, departure_kinds, simulate
from tests.kafka.conform.following import ROOT

REQUEST = SimulateRequest(
    lines=9_000, clients=9, partitions=12, seed=3, departures=0.0025, workspace=find_workspace(ROOT)
)


def test_every_kind_is_found(tmp_path: Path) -> None:
    result = simulate(replace(REQUEST, log=tmp_path / "out"))
    recall = follow(result.log)
    assert recall.seeded.keys() == {kind.name for kind in departure_kinds()}
    assert recall.seeded == result.departures
    assert recall.places == []
    assert recall.false == []
    assert recall.lines == 9_000
    assert recall.sessions[Verdict.DEPARTS] >= recall.seeded.total()


def test_what_is_not_found_is_reported(tmp_path: Path) -> None:
    """The truth of one log is compared with another one."""
    request = replace(REQUEST, lines=3_000)
    seeded = simulate(replace(request, log=tmp_path / "seeded"))
    clean = simulate(replace(request, log=tmp_path / "clean", departures=0.0))
    truth = "broker-1.departures.jsonl"
    clean.log.joinpath(truth).write_text(seeded.log.joinpath(truth).read_text())
    seeded.log.joinpath(truth).write_text("")
    assert len(follow(clean.log).places) == seeded.departures.total() > 0
    assert len(follow(seeded.log).false) >= seeded.departures.total()


def test_a_line_of_the_truth() -> None:
    document = {
        "file": "broker-1/a.log",
        "line": 7,
        "kind": "log-start-back",
        "sides": ["broker"],
        "blameless": ["client"],
        "sessions": [4],
        "connection": "c",
    }
    seeded = Seeded.read(Path("out"), document)
    assert seeded.at == Place("out/broker-1/a.log", 7)
    assert seeded.sides == frozenset({SideName.BROKER})
    assert seeded.blameless == frozenset({SideName.CLIENT})
