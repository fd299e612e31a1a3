"""Elections of a real quorum of three nodes: as they were, and with damage of each kind."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep_kafka.findings import SideName, Verdict
from tests.kafka.conform.following import LOGS, follow
from tests.kafka.quorum.quorum_logs import (
    Damage,
    Document,
    answered,
    asked,
    departures,
    documents,
    follow_documents,
    of_api,
    remarks,
    shown,
)

if TYPE_CHECKING:
    from tests.conftest import KafkaOutput

CLIENT, NODE = SideName.CLIENT, SideName.BROKER
FENCED, UNKNOWN_EPOCH = 74, 75
VOTER = documents("quorum/node3.log.gz")
"""A node that never leads: it votes in epochs 2, 4 and 5, and was wiped in between."""
LEADER = documents("quorum/node2.log.gz")
"""It leads epoch 2, and serves a snapshot in epoch 5."""


def vote(log: list[Document], epoch: int) -> Document:
    """The request for votes in an epoch; not the one that asks what would come of it."""
    (found,) = (
        one
        for one in of_api(log, "VOTE")
        if asked(one)["replicaEpoch"] == epoch and not asked(one)["preVote"]
    )
    return found


def begun(log: list[Document], epoch: int) -> Document:
    """The first message of the leader of an epoch."""
    return next(
        one for one in of_api(log, "BEGIN_QUORUM_EPOCH") if asked(one)["leaderEpoch"] == epoch
    )


def served(log: list[Document], epoch: int) -> list[Document]:
    """The Fetches that a leader answered in an epoch."""
    return [
        one
        for one in of_api(log, "FETCH")
        if not answered(one)["errorCode"] and answered(one)["currentLeader"]["leaderEpoch"] == epoch
    ]


def again(log: list[Document], one: Document) -> Document:
    """A copy of a request, which its sender sends next, if at all."""
    copy = deepcopy(one)
    same = [each for each in log if each["connection"] == one["connection"]]
    copy["requestHeader"]["correlationId"] = max(
        each["requestHeader"]["correlationId"] for each in same
    )
    copy["requestHeader"]["correlationId"] += 1
    copy["at"] = log[-1]["at"] + 10
    log.append(copy)
    return copy


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_quorum_conforms(number: int, kafka_output: KafkaOutput) -> None:
    """A leader that stops, one that is killed, and followers that lost their disks."""
    findings = follow(kafka_output(f"request-log/quorum/node{number}.log.gz"))
    assert departures(findings) == set()
    assert {session.verdict for session in findings.sessions} == {Verdict.CONFORMS}
    assert findings.total.others == 0
    assert findings.total.followed == findings.total.lines


def test_the_elections_of_an_older_quorum_conform(kafka_output: KafkaOutput) -> None:
    """Kafka 3.9 calls candidates so, asks for no vote before it stands, and has ten epochs here."""
    findings = follow(kafka_output("request-log/quorum/kafka-3.9.log.gz"))
    assert departures(findings) == set()
    assert {session.verdict for session in findings.sessions} == {Verdict.CONFORMS}
    assert findings.lines == []
    assert findings.total.followed == findings.total.lines


@pytest.mark.parametrize("name", ["leader-changes-broker3", "rack-aware-broker1"])
def test_the_quorum_of_other_logs_conforms(name: str) -> None:
    findings = follow(LOGS / "fresh" / f"{name}.log.gz")
    raft = [one for one in findings.sessions if one.client.startswith("raft-client")]
    assert {one.verdict for one in raft} == {Verdict.CONFORMS}


def two_votes(log: list[Document]) -> None:
    asked(again(log, vote(log, 5)))["replicaId"] = 1


def vote_of_an_older_epoch(log: list[Document]) -> None:
    asked(vote(log, 2))["replicaEpoch"] = 1


def vote_for_a_log_of_its_own_epoch(log: list[Document]) -> None:
    asked(vote(log, 4)).update(lastOffsetEpoch=4)


def vote_with_an_error(log: list[Document]) -> None:
    answered(vote(log, 4)).update(errorCode=FENCED, leaderEpoch=5)


def fenced_in_its_epoch(log: list[Document]) -> None:
    answered(begun(log, 5)).update(errorCode=FENCED)


def does_not_take_the_epoch(log: list[Document]) -> None:
    for one in (vote(log, 5), begun(log, 5)):
        answered(one).update(leaderEpoch=4, leaderId=1)


def two_leaders_answered(log: list[Document]) -> None:
    answered(of_api(log, "END_QUORUM_EPOCH")[-1])["leaderId"] = 1


def two_leaders_claim(log: list[Document]) -> None:
    asked(of_api(log, "END_QUORUM_EPOCH")[-1])["leaderId"] = 1


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (two_votes, {(NODE, "595-5")}),
        (vote_of_an_older_epoch, {(CLIENT, "595-6"), (NODE, "595-9")}),
        (vote_for_a_log_of_its_own_epoch, {(CLIENT, "595-6")}),
        (vote_with_an_error, {(NODE, "595-10"), (NODE, "595-1")}),
        (fenced_in_its_epoch, {(NODE, "595-10")}),
        (does_not_take_the_epoch, {(NODE, "595-9")}),
        (two_leaders_answered, {(NODE, "595-4")}),
        (two_leaders_claim, {(CLIENT, "595-4"), (NODE, "595-4")}),
    ],
)
def test_damage_of_a_voter_departs(
    damage: Damage, expected: set[tuple[SideName, str]], tmp_path: Path
) -> None:
    log = deepcopy(VOTER)
    damage(log)
    assert departures(follow_documents(log, tmp_path)) == expected


def fetch_goes_back(log: list[Document]) -> None:
    asked(served(log, 5)[9])["currentLeaderEpoch"] = 4


def fetch_fenced_in_its_epoch(log: list[Document]) -> None:
    answered(served(log, 5)[9])["errorCode"] = FENCED


def fetch_of_an_unknown_epoch(log: list[Document]) -> None:
    answered(served(log, 5)[9])["errorCode"] = UNKNOWN_EPOCH


def leader_goes_back(log: list[Document]) -> None:
    fetch = served(log, 5)[9]
    answered(fetch)["currentLeader"].update(leaderEpoch=4, leaderId=1)
    answered(fetch)["errorCode"] = UNKNOWN_EPOCH


def another_leader_answered(log: list[Document]) -> None:
    answered(served(log, 5)[9])["currentLeader"]["leaderId"] = 3


def voted_for(log: list[Document], *, epoch: int, end: tuple[int, int]) -> None:
    """The node gives its vote to a follower whose log ends there, by offset and epoch."""
    given = again(log, deepcopy(vote(documents("quorum/node2.log.gz"), 1)))
    last = served(log, 5)[-1]
    given["connection"] = last["connection"]
    given["requestHeader"]["correlationId"] = last["requestHeader"]["correlationId"] + 1_000
    asked(given).update(replicaEpoch=epoch, lastOffset=end[0], lastOffsetEpoch=end[1])
    answered(given)["leaderEpoch"] = epoch


def vote_for_a_shorter_log(log: list[Document]) -> None:
    watermark = answered(served(log, 5)[-1])["highWatermark"]
    voted_for(log, epoch=6, end=(watermark - 1, 5))


def vote_for_an_older_log(log: list[Document]) -> None:
    watermark = answered(served(log, 5)[-1])["highWatermark"]
    voted_for(log, epoch=6, end=(watermark + 1_000, 4))


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (fetch_goes_back, {(CLIENT, "595-1"), (NODE, "595-18")}),
        (fetch_fenced_in_its_epoch, {(NODE, "595-18")}),
        (fetch_of_an_unknown_epoch, {(NODE, "595-18")}),
        (leader_goes_back, {(NODE, "595-1")}),
        (another_leader_answered, {(NODE, "595-4")}),
        (vote_for_a_shorter_log, {(NODE, "595-7")}),
        (vote_for_an_older_log, {(NODE, "595-7")}),
    ],
)
def test_damage_of_a_leader_departs(
    damage: Damage, expected: set[tuple[SideName, str]], tmp_path: Path
) -> None:
    log = deepcopy(LEADER)
    damage(log)
    assert departures(follow_documents(log, tmp_path)) == expected


@pytest.mark.parametrize(("more", "epoch"), [(0, 5), (1_000, 5)])
def test_a_vote_for_a_log_that_goes_as_far_conforms(more: int, epoch: int, tmp_path: Path) -> None:
    log = deepcopy(LEADER)
    watermark = answered(served(log, 5)[-1])["highWatermark"]
    voted_for(log, epoch=6, end=(watermark + more, epoch))
    assert departures(follow_documents(log, tmp_path)) == set()


@pytest.mark.parametrize(("epoch", "departs"), [(5, True), (4, False)])
def test_what_another_connection_showed_counts_once_it_surely_came_before(
    epoch: int, departs: bool, tmp_path: Path
) -> None:
    """Between two lines of one connection stands a line of another one, with a newer epoch."""
    one = served(LEADER, 5)[0]
    log = [deepcopy(one) for _ in range(4)]
    for number, fetch in enumerate(log):
        fetch["at"] += 10 * number
        fetch["totalTimeMs"] = 1.0
        fetch["requestHeader"]["correlationId"] = 100 + number
        asked(fetch)["currentLeaderEpoch"] = 4
        answered(fetch)["currentLeader"].update(leaderEpoch=4, leaderId=1)
    log[1]["connection"] += "1"
    asked(log[1])["currentLeaderEpoch"] = epoch
    answered(log[1])["currentLeader"].update(leaderEpoch=epoch, leaderId=epoch - 3)
    assert departures(follow_documents(log[:3], tmp_path)) == set()
    found = departures(follow_documents(log, tmp_path))
    assert found == ({(NODE, "595-1")} if departs else set())


def test_the_same_vote_again_conforms(tmp_path: Path) -> None:
    log = deepcopy(VOTER)
    again(log, vote(log, 5))
    assert departures(follow_documents(log, tmp_path)) == set()


def test_a_vote_from_before_a_start_is_unknown(tmp_path: Path) -> None:
    """The node may have lost its disk: a number of its connections is used again."""
    log = deepcopy(VOTER)
    two_votes(log)
    local, _, _ = log[-1]["connection"].split("-", 2)
    log[-1]["connection"] = f"{local}-127.0.0.1:50000-0-0"
    findings = follow_documents(log, tmp_path)
    assert departures(findings) == set()
    assert findings.verdict is Verdict.UNKNOWN


def error_that_no_model_has(log: list[Document]) -> None:
    answered(begun(log, 5))["errorCode"] = 42


def another_partition(log: list[Document]) -> None:
    asked(begun(log, 5))["partitionIndex"] = answered(begun(log, 5))["partitionIndex"] = 1


def nothing_answered(log: list[Document]) -> None:
    begun(log, 5)["response"].update(errorCode=104, topics=[])


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (error_that_no_model_has, {(NODE, "the models have no error 42 of BEGIN_QUORUM_EPOCH")}),
        (
            another_partition,
            {
                (side, "the request does not name __cluster_metadata-0 alone")
                for side in (CLIENT, NODE)
            },
        ),
        (nothing_answered, {(NODE, "the whole response has no partition, but error 104")}),
    ],
)
def test_what_no_model_has_is_unknown(
    damage: Damage, expected: set[tuple[SideName, str]], tmp_path: Path
) -> None:
    log = deepcopy(VOTER)
    damage(log)
    findings = follow_documents(log, tmp_path)
    assert departures(findings) == set()
    assert findings.verdict is Verdict.UNKNOWN
    assert {(one.side, one.remark.because) for one in remarks(findings)} == expected


def test_both_votes_are_shown(tmp_path: Path) -> None:
    log = deepcopy(VOTER)
    two_votes(log)
    findings = follow_documents(log, tmp_path)
    partition = "__cluster_metadata-0"
    assert shown(findings) == [
        (
            number,
            f"VOTE {partition} epoch 5 of replica {replica} log end (1078, 4) -> NONE, {partition} "
            "NONE epoch 5 leader -1 vote given",
        )
        for number, replica in ((326, 2), (329, 1))
    ]
    (vote_given,) = remarks(findings)
    assert vote_given.software == "apache-kafka-java 4.3.1"
