"""The fields of requests of the metadata quorum: which version has which."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import msgpack

from lockstep_kafka.files.completed_request import Place, completed_request
from lockstep_kafka.files.fetch_fields import FieldRefused
from lockstep_kafka.files.lines import (
    QuorumAnswer,
    QuorumApi,
    QuorumAsked,
    QuorumLine,
    TopicPartition,
)
from tests.kafka.files.test_fetch_fields import ABSENT, changed, sample_line

DIRECTORY = "FvvWOGO6CT-OlVMs5OYqDg"
VOTE = {
    "partitionIndex": 0,
    "replicaEpoch": 7,
    "replicaId": 2,
    "replicaDirectoryId": DIRECTORY,
    "lastOffsetEpoch": 6,
    "lastOffset": 2**40,
    "preVote": True,
}
LEADS = {"partitionIndex": 0, "leaderId": 2, "leaderEpoch": 7}
GIVEN = {"partitionIndex": 0, "errorCode": 0, "leaderId": 3, "leaderEpoch": 8}
TO_REQUEST = "request.topics[0].partitions[0]."
TO_RESPONSE = "response.topics[0].partitions[0]."


def completed(api: QuorumApi, version: int) -> dict[str, Any]:
    """A request of an API and its response, with all fields of the newest version."""
    if api is QuorumApi.FETCH_SNAPSHOT:
        line = sample_line("fetch-snapshot-chunks")
    else:
        asked, given = (
            (VOTE, GIVEN | {"voteGranted": True}) if api is QuorumApi.VOTE else (LEADS, GIVEN)
        )
        line = sample_line("fetch-snapshot-chunks") | {
            "request": {"topics": [{"topicName": "__cluster_metadata", "partitions": [asked]}]},
            "response": {
                "errorCode": 0,
                "topics": [{"topicName": "__cluster_metadata", "partitions": [given]}],
            },
        }
    line["requestHeader"] |= {"requestApiKey": api.value, "requestApiVersion": version}
    return line


def read(line: dict[str, Any]) -> QuorumLine:
    request = completed_request(json.dumps(line).encode(), Place(1, "kafka-request.log", None))
    assert isinstance(request, QuorumLine)
    assert msgpack.decode(msgpack.encode(request), type=QuorumLine) == request
    return request


def test_a_chunk() -> None:
    line = read(sample_line("fetch-snapshot-chunks"))
    partition = TopicPartition("__cluster_metadata", 0)
    assert (line.api, line.version, line.max_bytes) == (QuorumApi.FETCH_SNAPSHOT, 1, 1000)
    assert line.correlation_id == 3
    asked = QuorumAsked(2, 2, "pSH5COYF7Q5wfAHT8hXdxg", 104, 1, 0)
    assert line.partitions == {partition: asked}
    assert line.answered == {partition: QuorumAnswer(0, 1, 2, 104, 1, 5897, 0)}


def test_a_vote() -> None:
    line = read(completed(QuorumApi.VOTE, 2))
    (asked,), (answer,) = line.partitions.values(), line.answered.values()
    assert asked == QuorumAsked(7, 2, DIRECTORY, 2**40, 6, is_pre_vote=True)
    assert answer == QuorumAnswer(0, 3, 8, is_granted=True)


@pytest.mark.parametrize("api", [QuorumApi.BEGIN_QUORUM_EPOCH, QuorumApi.END_QUORUM_EPOCH])
def test_a_leader(api: QuorumApi) -> None:
    line = read(completed(api, 1))
    assert line.api is api
    assert list(line.partitions.values()) == [QuorumAsked(7, 2)]
    assert list(line.answered.values()) == [QuorumAnswer(0, 3, 8)]


def test_names_of_before_kafka_4() -> None:
    line = completed(QuorumApi.VOTE, 1)
    text = json.dumps(line)
    for name in ("Epoch", "Id", "DirectoryId"):
        text = text.replace(f'"replica{name}"', f'"candidate{name}"')
    assert "replica" not in text
    assert read(json.loads(text)).partitions == read(line).partitions


FIELDS_SINCE = [
    *[(QuorumApi.VOTE, TO_REQUEST + name, 0) for name in [*VOTE][:3] + [*VOTE][4:6]],
    (QuorumApi.VOTE, TO_REQUEST + "replicaDirectoryId", 1),
    (QuorumApi.VOTE, TO_REQUEST + "preVote", 2),
    (QuorumApi.VOTE, TO_RESPONSE + "voteGranted", 0),
    *[(QuorumApi.VOTE, TO_RESPONSE + name, 0) for name in GIVEN],
    *[(QuorumApi.BEGIN_QUORUM_EPOCH, TO_REQUEST + name, 0) for name in LEADS],
    *[(QuorumApi.END_QUORUM_EPOCH, TO_RESPONSE + name, 0) for name in GIVEN],
    (QuorumApi.END_QUORUM_EPOCH, "response.errorCode", 0),
    (QuorumApi.FETCH_SNAPSHOT, "request.replicaId", 0),
    (QuorumApi.FETCH_SNAPSHOT, "request.maxBytes", 0),
    (QuorumApi.FETCH_SNAPSHOT, "request.topics[0].name", 0),
    (QuorumApi.FETCH_SNAPSHOT, TO_REQUEST + "currentLeaderEpoch", 0),
    (QuorumApi.FETCH_SNAPSHOT, TO_REQUEST + "snapshotId", 0),
    (QuorumApi.FETCH_SNAPSHOT, TO_REQUEST + "position", 0),
    (QuorumApi.FETCH_SNAPSHOT, TO_RESPONSE + "index", 0),
    (QuorumApi.FETCH_SNAPSHOT, TO_RESPONSE + "snapshotId.endOffset", 0),
    (QuorumApi.FETCH_SNAPSHOT, TO_RESPONSE + "size", 0),
    (QuorumApi.FETCH_SNAPSHOT, TO_RESPONSE + "position", 0),
]


@pytest.mark.parametrize(("api", "path", "since"), FIELDS_SINCE)
def test_a_field_that_its_version_has_must_be_there(api: QuorumApi, path: str, since: int) -> None:
    with pytest.raises(FieldRefused, match=r" is missing$"):
        read(changed(completed(api, since), path, ABSENT))
    if since:
        read(changed(completed(api, since - 1), path, ABSENT))


@pytest.mark.parametrize("path", ["replicaDirectoryId", "snapshotId.more"])
def test_other_fields_need_not_be_there(path: str) -> None:
    line = completed(QuorumApi.FETCH_SNAPSHOT, 1)
    assert read(line).partitions
    if path == "replicaDirectoryId":
        (asked,) = read(changed(line, TO_REQUEST + path, ABSENT)).partitions.values()
        assert asked.directory_id == ""
    else:
        assert read(changed(line, TO_REQUEST + path, 1)).partitions == read(line).partitions


def test_a_leader_that_is_not_there() -> None:
    line = completed(QuorumApi.FETCH_SNAPSHOT, 1)
    (answer,) = read(changed(line, TO_RESPONSE + "currentLeader", ABSENT)).answered.values()
    assert (answer.leader_id, answer.leader_epoch) == (-1, -1)


@pytest.mark.parametrize("api", QuorumApi)
@pytest.mark.parametrize("version", [-1, 3])
def test_versions_that_are_not_known(api: QuorumApi, version: int) -> None:
    with pytest.raises(FieldRefused, match=r"requestApiVersion: expected `int` from 0 to [12] for"):
        read(completed(api, version))


def test_a_partition_that_is_asked_for_twice() -> None:
    line = completed(QuorumApi.FETCH_SNAPSHOT, 1)
    partitions = line["request"]["topics"][0]["partitions"]
    partitions.append(partitions[0])
    with pytest.raises(FieldRefused, match=r"\"__cluster_metadata-0\" more than once"):
        read(line)


def test_offsets_are_of_64_bits() -> None:
    line = completed(QuorumApi.VOTE, 2)
    with pytest.raises(FieldRefused, match=r"^request.topics\[0\].partitions\[0\].lastOffset: "):
        read(changed(line, TO_REQUEST + "lastOffset", 2**63))
