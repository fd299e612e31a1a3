"""Kafka's own quorum in step with `snapshot_election`."""

from __future__ import annotations

import pytest

from lockstep_kafka.drive.raft_differences import OF_RAFT
from lockstep_kafka.drive.releases import RAFT_JARS
from tests.kafka.drive.exercises import in_child, quorum_departing, what_came

ONE_EPOCH = {"MAX_EPOCH": 1}
CRASHES = {"MAX_OFFSET": 2, "MAX_RESTARTS": 1}
OLDEST = next(iter(RAFT_JARS))


def test_random_behaviours_of_a_quorum_conform() -> None:
    came = in_child(what_came, "snapshot_election", f"kafka-raft:{OLDEST}", {}, 8)
    assert (came.verdict, came.steps > 100) == ("holds", True), came


@pytest.mark.slow
def test_every_difference_of_a_voter_departs_and_kafka_does_not() -> None:
    assert in_child(quorum_departing) == [f"kafka-raft+{name}" for name in OF_RAFT]


@pytest.mark.verify
@pytest.mark.parametrize("release", RAFT_JARS)
def test_a_quorum_of_every_release_conforms(release: str) -> None:
    """Some steps Kafka does not offer, and others hang on what the model does not know."""
    driver = f"kafka-raft:{release}"
    came = in_child(what_came, "snapshot_election", driver, ONE_EPOCH, None)
    assert (came.departs, came.done > 0.9 * came.chosen) == ("", True), came
    came = in_child(what_came, "snapshot_election", driver, CRASHES, 300)
    assert came.verdict == "holds", came
