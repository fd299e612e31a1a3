"""Every damage that a log shows is found, and nothing else is."""

from __future__ import annotations

import pytest

from lockstep_kafka.simulated.damage.kind import Damage
from lockstep_kafka.simulated.episodes import KINDS
from tests.kafka.conform.following import LOGS
from tests.kafka.conform.recall import FRESH, SAMPLES, damage_log, measure

FEW = [
    LOGS / "follower-fetch.log",
    LOGS / "java-classic.log",
    LOGS / "kafka-python.log",
    *(
        LOGS / "fresh" / f"{name}.log.gz"
        for name in ("leader-changes-broker3", "quota", "retention-delete-records")
    ),
]


@pytest.mark.daily(4)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_damage_is_found(kind: Damage) -> None:
    outcomes = [outcome for log in FEW for outcome in damage_log(log, kind, 2, seed=1)]
    assert outcomes
    assert [str(outcome) for outcome in outcomes if outcome.missing or outcome.false] == []


@pytest.mark.verify
def test_every_kind_at_many_places() -> None:
    recall = measure([*FRESH, *SAMPLES], places=20, seed=227, jobs=1)
    print(recall.table())
    assert recall.departures == 0
    assert recall.judged >= 0.9 * recall.lines
    assert all(tally.shown for tally in recall.tallies.values())
    assert not any(tally.failures for tally in recall.tallies.values()), recall.table()
