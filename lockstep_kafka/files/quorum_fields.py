"""Requests of the metadata quorum and their responses as Kafka's own JSON has them.

Which field belongs to which version is taken from Kafka's message definitions, VoteRequest.json and
its siblings. As with Fetch, a field that a version has must be there, and others are passed over.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Generic, TypeVar

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.json import Decoder

from lockstep.system.strict_json import shown
from lockstep_kafka.files.fetch_fields import FieldRefused, Int16, Int32, Int64, decoded
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

_Asked = TypeVar("_Asked", bound="_AskedFields")
_Given = TypeVar("_Given", bound="_GivenFields")

# What brokers before Kafka 4.0 call these fields of Vote.
_OLD_NAMES = (
    (b'"candidateEpoch":', b'"replicaEpoch":'),
    (b'"candidateId":', b'"replicaId":'),
    (b'"candidateDirectoryId":', b'"replicaDirectoryId":'),
)


class _Part(Struct, gc=False, rename="camel"):
    """An object of the JSON; fields of the protocol that it does not name are passed over."""


class _AskedFields(_Part, kw_only=True):
    partition: Int32 = field(name="partitionIndex")

    def asked(self, replica_id: int) -> QuorumAsked:
        """What is asked; `replica_id` is that of the whole request, -1 where it has none."""
        raise NotImplementedError


class _GivenFields(_Part, kw_only=True):
    partition: Int32 = field(name="partitionIndex")
    error_code: Int16

    def answer(self) -> QuorumAnswer:
        """What is answered."""
        raise NotImplementedError


class _Vote(_AskedFields, kw_only=True):
    replica_epoch: Int32
    replica_id: Int32
    replica_directory_id: str = ""
    last_offset_epoch: Int32
    last_offset: Int64
    pre_vote: bool = False

    def asked(self, replica_id: int) -> QuorumAsked:
        return QuorumAsked(
            self.replica_epoch,
            self.replica_id,
            self.replica_directory_id,
            self.last_offset,
            self.last_offset_epoch,
            is_pre_vote=self.pre_vote,
        )


class _VoteSince1(_Vote, kw_only=True):
    replica_directory_id: str


class _VoteSince2(_VoteSince1, kw_only=True):
    pre_vote: bool


class _Leads(_AskedFields, kw_only=True):
    leader_id: Int32
    leader_epoch: Int32

    def asked(self, replica_id: int) -> QuorumAsked:
        return QuorumAsked(self.leader_epoch, self.leader_id)


class _SnapshotId(_Part, kw_only=True):
    end_offset: Int64
    epoch: Int32


class _Chunk(_AskedFields, kw_only=True):
    partition: Int32
    current_leader_epoch: Int32
    snapshot_id: _SnapshotId
    position: Int64
    replica_directory_id: str = ""

    def asked(self, replica_id: int) -> QuorumAsked:
        return QuorumAsked(
            self.current_leader_epoch,
            replica_id,
            self.replica_directory_id,
            self.snapshot_id.end_offset,
            self.snapshot_id.epoch,
            self.position,
        )


class _VoterAnswer(_GivenFields, kw_only=True):
    leader_id: Int32
    leader_epoch: Int32
    vote_granted: bool = False

    def answer(self) -> QuorumAnswer:
        return QuorumAnswer(
            self.error_code, self.leader_id, self.leader_epoch, is_granted=self.vote_granted
        )


class _VoteAnswer(_VoterAnswer, kw_only=True):
    vote_granted: bool


class _Leader(_Part, kw_only=True):
    leader_id: Int32
    leader_epoch: Int32


class _ChunkAnswer(_GivenFields, kw_only=True):
    partition: Int32 = field(name="index")
    snapshot_id: _SnapshotId
    # A tagged field, left out where it says nothing.
    current_leader: _Leader | UnsetType = UNSET
    size: Int64
    position: Int64

    def answer(self) -> QuorumAnswer:
        leader = self.current_leader
        return QuorumAnswer(
            self.error_code,
            -1 if leader is UNSET else leader.leader_id,
            -1 if leader is UNSET else leader.leader_epoch,
            self.snapshot_id.end_offset,
            self.snapshot_id.epoch,
            self.size,
            self.position,
        )


class _Request(_Part, Generic[_Asked], kw_only=True):
    replica_id: Int32 = -1
    max_bytes: Int32 = -1
    topics: list[_Topic[_Asked]]

    def asked(self) -> dict[TopicPartition, QuorumAsked]:
        """What is asked of each partition; `FieldRefused` where one is named twice."""
        asked: dict[TopicPartition, QuorumAsked] = {}
        for topic in self.topics:
            for each in topic.partitions:
                partition = TopicPartition(topic.name, each.partition)
                if partition in asked:
                    name = shown(str(partition))
                    raise FieldRefused(f"request.topics has the partition {name} more than once")
                asked[partition] = each.asked(self.replica_id)
        return asked


class _ChunkRequest(_Request[_Chunk], kw_only=True):
    replica_id: Int32
    max_bytes: Int32
    topics: list[_NamedTopic[_Chunk]]  # type: ignore[assignment]


class _Response(_Part, Generic[_Given], kw_only=True):
    error_code: Int16
    topics: list[_Topic[_Given]]

    def answered(self) -> dict[TopicPartition, QuorumAnswer]:
        """What is answered of each partition, the last of several answers."""
        return {
            TopicPartition(topic.name, each.partition): each.answer()
            for topic in self.topics
            for each in topic.partitions
        }


class _ChunkResponse(_Response[_ChunkAnswer], kw_only=True):
    topics: list[_NamedTopic[_ChunkAnswer]]  # type: ignore[assignment]


_Each = TypeVar("_Each")


class _Topic(_Part, Generic[_Each], kw_only=True):
    name: str = field(name="topicName")
    partitions: list[_Each]


class _NamedTopic(_Topic[_Each], Generic[_Each], kw_only=True):
    name: str = field(name="name")


def quorum_bodies(
    api: QuorumApi, version: int, request: bytes, response: bytes
) -> tuple[_Request[Any], _Response[Any]]:
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
    return decoded(of_request, request, "request"), decoded(of_response, response, "response")


@cache
def _decoders(api: QuorumApi, version: int) -> tuple[Decoder[Any], Decoder[Any]]:
    if api is QuorumApi.FETCH_SNAPSHOT:
        return Decoder(_ChunkRequest), Decoder(_ChunkResponse)
    if api is QuorumApi.VOTE:
        vote = (_Vote, _VoteSince1, _VoteSince2)[version]
        return Decoder(_Request[vote]), Decoder(_Response[_VoteAnswer])  # type: ignore[valid-type]
    return Decoder(_Request[_Leads]), Decoder(_Response[_VoterAnswer])
