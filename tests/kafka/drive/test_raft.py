"""Kafka's own quorum in step with `snapshot_election` and `snapshot_fetch`."""

from __future__ import annotations

import pytest

from lockstep_kafka.drive.raft_differences import OF_DOWNLOADS, OF_RAFT
from lockstep_kafka.jars import NEWEST_RAFT, RAFT_JARS
from tests.kafka.drive.downloads import downloads_departing, downloads_deviating
from tests.kafka.drive.exercises import in_child, what_came
from tests.kafka.drive.quorum import DEVIATIONS, deviating, halting, left_out, quorum_departing

ONE_EPOCH = {"MAX_EPOCH": 1}
CRASHES = {"MAX_OFFSET": 2, "MAX_RESTARTS": 1}
OLDEST = next(iter(RAFT_JARS))


def test_random_behaviours_of_a_quorum_conform() -> None:
    came = in_child(what_came, "snapshot_election", f"kafka-raft:{OLDEST}", {}, 8)
    assert (came.verdict, came.steps > 100) == ("holds", True), came


def test_random_downloads_conform_and_what_deviates_is_left_out() -> None:
    came = in_child(what_came, "snapshot_fetch", f"kafka-raft:{OLDEST}", {}, 8)
    assert (came.verdict, came.steps > 100) == ("holds", True), came
    deviating = in_child(downloads_deviating)
    assert set(deviating.values()) == {("Departed", "NotOffered")}, deviating


def test_what_a_voter_throws_departs_and_a_failure_of_the_run_is_an_error() -> None:
    kafkas, ours = in_child(halting).values()
    assert (kafkas[:9], "IllegalStateException: no more" in kafkas) == ("Departed:", True), kafkas
    assert (ours[:12], "voter 1 threw java.lang.OutOf" in ours) == ("DriverError:", True), ours


@pytest.mark.slow
def test_every_difference_of_a_voter_departs_and_kafka_does_not() -> None:
    assert in_child(quorum_departing) == [f"kafka-raft+{name}" for name in OF_RAFT]


@pytest.mark.slow
def test_every_difference_of_a_download_departs_and_kafka_does_not() -> None:
    assert in_child(downloads_departing) == [f"kafka-raft+{name}" for name in OF_DOWNLOADS]


@pytest.mark.slow
def test_deviations_depart_as_kafka_is_and_are_left_out_otherwise() -> None:
    newest, oldest = in_child(deviating, NEWEST_RAFT), in_child(deviating, OLDEST)
    assert all(newest.values()), newest
    assert "IllegalStateException" in newest["595-D7, with a record"]
    assert [name for name in DEVIATIONS if oldest[name]] == ["630-D21", "630-D42"]
    assert in_child(left_out) == list(DEVIATIONS)


@pytest.mark.verify
@pytest.mark.parametrize("release", RAFT_JARS)
def test_a_quorum_of_every_release_conforms(release: str) -> None:
    """Some steps Kafka does not offer, and others hang on what the model does not know."""
    driver = f"kafka-raft:{release}"
    came = in_child(what_came, "snapshot_election", driver, ONE_EPOCH, None)
    assert (came.departs, came.done > 0.9 * came.chosen) == ("", True), came
    came = in_child(what_came, "snapshot_election", driver, CRASHES, 300)
    assert came.verdict == "holds", came


@pytest.mark.verify
@pytest.mark.parametrize("release", RAFT_JARS)
def test_downloads_of_every_release_conform(release: str) -> None:
    """All of `small` is done but where Kafka deviates, and where no leader has written yet."""
    driver = f"kafka-raft:{release}"
    came = in_child(what_came, "snapshot_fetch", driver, {}, None)
    assert (came.verdict, came.done > 0.85 * came.chosen) == ("holds", True), came
    for scope in ("default", "disks", "retention"):
        came = in_child(what_came, "snapshot_fetch", driver, {}, 100, scope)
        assert came.verdict == "holds", (scope, came)
