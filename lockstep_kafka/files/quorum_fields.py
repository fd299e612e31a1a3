"""Requests of the metadata quorum and their responses as Kafka's own JSON has them.

Which field belongs to which version is taken from Kafka's message definitions, VoteRequest.json and
its siblings. As with Fetch, a field that a version has must be there, and others are passed over.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, structs
from msgspec.json import Decoder

from lockstep.system.strict_json import shown
from lockstep_kafka.files.fetch_fields import (
    NEVER,
    Field,
    FieldRefused,
    Kind,
    Table,
    decoded,
    decoder,
)
from lockstep_kafka.files.lines import QuorumAnswer, QuorumApi, QuorumAsked, TopicPartition

QUORUM_APIS = {api.value: api for api in QuorumApi}
"""By Kafka's number."""

NEWEST_VERSIONS = {
    QuorumApi.VOTE: 2,
    QuorumApi.BEGIN_QUORUM_EPOCH: 1,
    QuorumApi.END_QUORUM_EPOCH: 1,
    QuorumApi.FETCH_SNAPSHOT: 1,
}
"""The newest version of each API that is known here; the oldest is 0."""

# What brokers before Kafka 4.0 call these fields of Vote.
_OLD_NAMES = (
    (b'"candidateEpoch":', b'"replicaEpoch":'),
    (b'"candidateId":', b'"replicaId":'),
    (b'"candidateDirectoryId":', b'"replicaDirectoryId":'),
)

_LEADER = (Field("leaderId", "leader_id"), Field("leaderEpoch", "leader_epoch"))
_GIVEN = (Field("partitionIndex", "partition"), Field("errorCode", "error_code", bits=16))
_OF_ALL: Table = {
    "request": (Field("topics", "topics", Kind.OBJECTS, "asked_topic"),),
    "asked_topic": (
        Field("topicName", "name", Kind.TEXT),
        Field("partitions", "partitions", Kind.OBJECTS, "asked"),
    ),
    "asked": (
        Field("partitionIndex", "partition"),
        Field("leaderId", "replica_id"),
        Field("leaderEpoch", "epoch"),
    ),
    "response": (
        Field("errorCode", "error_code", bits=16),
        Field("topics", "topics", Kind.OBJECTS, "given_topic"),
    ),
    "given_topic": (
        Field("topicName", "name", Kind.TEXT),
        Field("partitions", "partitions", Kind.OBJECTS, "given"),
    ),
    "given": (*_GIVEN, *_LEADER),
}
_TABLES: dict[QuorumApi, Table] = {
    QuorumApi.VOTE: {
        **_OF_ALL,
        "asked": (
            Field("partitionIndex", "partition"),
            Field("replicaEpoch", "epoch"),
            Field("replicaId", "replica_id"),
            Field("replicaDirectoryId", "directory_id", Kind.TEXT, first=1, default=""),
            Field("lastOffsetEpoch", "end_epoch"),
            Field("lastOffset", "end_offset", bits=64),
            Field("preVote", "is_pre_vote", Kind.BOOLEAN, first=2, default=False),
        ),
        "given": (*_GIVEN, *_LEADER, Field("voteGranted", "is_granted", Kind.BOOLEAN)),
    },
    QuorumApi.BEGIN_QUORUM_EPOCH: _OF_ALL,
    QuorumApi.END_QUORUM_EPOCH: _OF_ALL,
    QuorumApi.FETCH_SNAPSHOT: {
        "request": (
            Field("replicaId", "replica_id"),
            Field("maxBytes", "max_bytes"),
            *_OF_ALL["request"],
        ),
        "asked_topic": (Field("name", "name", Kind.TEXT), _OF_ALL["asked_topic"][1]),
        "asked": (
            Field("partition", "partition"),
            Field("currentLeaderEpoch", "epoch"),
            Field("snapshotId", "snapshot", Kind.OBJECT, "snapshot"),
            Field("position", "position", bits=64),
            Field("replicaDirectoryId", "directory_id", Kind.TEXT, first=NEVER, default=""),
        ),
        "response": _OF_ALL["response"],
        "given_topic": (Field("name", "name", Kind.TEXT), _OF_ALL["given_topic"][1]),
        "given": (
            Field("index", "partition"),
            Field("errorCode", "error_code", bits=16),
            Field("snapshotId", "snapshot", Kind.OBJECT, "snapshot"),
            Field("currentLeader", "leader", Kind.OBJECT, "leader", default=UNSET),
            Field("size", "size", bits=64),
            Field("position", "position", bits=64),
        ),
        "snapshot": (Field("endOffset", "end_offset", bits=64), Field("epoch", "end_epoch")),
        "leader": _LEADER,
    },
}
"""What a `QuorumAsked` and a `QuorumAnswer` say of a partition has their names."""


_NOBODY = {"leader_id": -1, "leader_epoch": -1}


class QuorumBodies(NamedTuple):
    """What a request and its response say, as a `QuorumLine` has it."""

    max_bytes: int
    partitions: dict[TopicPartition, QuorumAsked]
    error_code: int
    answered: dict[TopicPartition, QuorumAnswer]


def quorum_bodies(api: QuorumApi, version: int, request: bytes, response: bytes) -> QuorumBodies:
    """A request and its response. Raises as `decoded` does, and for a version not known here."""
    newest = NEWEST_VERSIONS[api]
    if not 0 <= version <= newest:
        raise FieldRefused(
            f"requestHeader.requestApiVersion: expected `int` from 0 to {newest} for {api.name}"
        )
    if api is QuorumApi.VOTE and b'"candidateEpoch":' in request:
        for old, new in _OLD_NAMES:
            request = request.replace(old, new)
    of_request, of_response = _decoders(api, version)
    asks = decoded(of_request, request, "request")
    answers = decoded(of_response, response, "response")
    sender: dict[str, Any] = {"replica_id": getattr(asks, "replica_id", -1)}
    asked: dict[TopicPartition, QuorumAsked] = {}
    for topic in asks.topics:
        for one in topic.partitions:
            partition = TopicPartition(topic.name, one.partition)
            if partition in asked:
                name = shown(str(partition))
                raise FieldRefused(f"request.topics has the partition {name} more than once")
            asked[partition] = QuorumAsked(**sender | _said(one))
    answered = {
        TopicPartition(topic.name, one.partition): QuorumAnswer(**_NOBODY | _said(one))
        for topic in answers.topics
        for one in topic.partitions
    }
    return QuorumBodies(getattr(asks, "max_bytes", -1), asked, answers.error_code, answered)


@cache
def _decoders(api: QuorumApi, version: int) -> tuple[Decoder[Any], Decoder[Any]]:
    table = _TABLES[api]
    return decoder(table, "request", version), decoder(table, "response", version)


def _said(one: Struct) -> dict[str, Any]:
    """What is said of a partition, with what stands in objects of it."""
    said = structs.asdict(one)
    del said["partition"]
    for name in ("snapshot", "leader"):
        within = said.pop(name, UNSET)
        if within is not UNSET:
            said |= structs.asdict(within)
    return said
