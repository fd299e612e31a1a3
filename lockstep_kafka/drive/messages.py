"""Fetch requests and responses: Kafka's own objects, and what they say as plain values.

A partition is a topic with one partition, numbered 0, and is named by the topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lockstep_kafka.drive.jvm import Jvm

VERSION = 17
"""Of requests: the newest that all releases know."""
BEFORE_TOPIC_IDS = 12
"""The newest version whose requests name topics and have no ids."""
UNKNOWN = -1
"""An offset or epoch that a message leaves out."""

RECEIVES = (
    "receive_full",
    "receive_sessionless",
    "receive_incremental",
    "receive_session_closed",
    "receive_unknown_session",
    "receive_wrong_epoch",
)
"""The actions of `fetch_session` by which a response arrives."""


@dataclass(frozen=True)
class Interest:
    """What a request asks of a partition."""

    fetch_offset: int
    log_start_offset: int = UNKNOWN
    partition_max_bytes: int = 0
    current_leader_epoch: int = UNKNOWN
    last_fetched_epoch: int = UNKNOWN


@dataclass(frozen=True)
class Answer:
    """What a response has of a partition; `records` says whether there are any."""

    failed: bool = False
    high_watermark: int = UNKNOWN
    log_start_offset: int = UNKNOWN
    records: bool = False


@dataclass(frozen=True)
class Request:
    """A FetchRequest; `java` is Kafka's object."""

    session_id: int
    epoch: int
    partitions: Mapping[str, Interest]
    forgotten: frozenset[str]
    is_follower: bool
    java: Any = field(repr=False, compare=False)


@dataclass(frozen=True)
class Response:
    """A FetchResponse; `error` is the name of the top-level one, and `java` is Kafka's object."""

    error: str
    session_id: int
    partitions: Mapping[str, Answer]
    throttled: bool
    java: Any = field(repr=False, compare=False)


def turned(epoch: int, constants: Mapping[str, Any]) -> int:
    """The epoch of a scope, in which they begin again after the last one, for Kafka's."""
    return epoch if epoch <= 0 else (epoch - 1) % int(constants["MAX_EPOCH"]) + 1


def taken_in(
    before: Mapping[str, Interest], partitions: Mapping[str, Interest], forgotten: Iterable[str]
) -> dict[str, Interest]:
    """The partitions of a session once an incremental request is taken in."""
    stay = {p: asked for p, asked in before.items() if p not in forgotten}
    return stay | dict(partitions)


class Messages:
    """Makes and reads the messages of a release.

    A consumer's request may wait `max_wait_ms` for `min_bytes` of records.
    """

    def __init__(self, jvm: Jvm, max_wait_ms: int = 0, min_bytes: int = 0) -> None:
        self.jvm = jvm
        self._waits = max_wait_ms, min_bytes
        self.metadata = jvm.named("org.apache.kafka.common.requests.FetchMetadata")
        self.topic_partition = jvm.named("org.apache.kafka.common.TopicPartition")
        self._topic_id_partition = jvm.named("org.apache.kafka.common.TopicIdPartition")
        self.map = jvm.named("java.util.LinkedHashMap")
        self.list = jvm.named("java.util.ArrayList")
        self._uuid = jvm.named("org.apache.kafka.common.Uuid")
        requests = "org.apache.kafka.common.requests"
        self._interest = jvm.named(f"{requests}.FetchRequest$PartitionData")
        self._request = jvm.named(f"{requests}.FetchRequest")
        self._builder = jvm.named(f"{requests}.FetchRequest$Builder")
        self._response = jvm.named(f"{requests}.FetchResponse")
        self._errors = jvm.named("org.apache.kafka.common.protocol.Errors")
        data = "org.apache.kafka.common.message.FetchResponseData"
        self._answer = jvm.named(f"{data}$PartitionData")
        self._diverging = jvm.named(f"{data}$EpochEndOffset")
        self._optional = jvm.named("java.util.Optional")
        self._integer = jvm.named("java.lang.Integer")
        self._records = self._some_records()
        self._ids: dict[str, Any] = {}
        self.names = self.map()
        """The topics by their ids, as Kafka wants them."""

    def _some_records(self) -> Any:
        package = "org.apache.kafka.common.record"
        records = self.jvm.named(f"{package}.internal.MemoryRecords", f"{package}.MemoryRecords")
        record = self.jvm.named(f"{package}.internal.SimpleRecord", f"{package}.SimpleRecord")
        none = self.jvm.named("org.apache.kafka.common.compress.Compression").NONE
        return records.withRecords(none, record(b"record"))

    def make_topic_anew(self, partition: str) -> None:
        """The topic has another id from now on; the old one is still understood."""
        self.name(self._uuid.randomUuid(), partition)

    def name(self, identity: Any, partition: str) -> None:
        """The topic has this id from now on."""
        self._ids[partition] = identity
        self.names.put(identity, partition)

    def interest(self, partition: str, asked: Interest) -> Any:
        """A partition of a request, as Kafka has it."""
        if partition not in self._ids:
            self.make_topic_anew(partition)
        return self._interest(
            self._ids[partition],
            asked.fetch_offset,
            asked.log_start_offset,
            asked.partition_max_bytes,
            self._epoch(asked.current_leader_epoch),
            self._epoch(asked.last_fetched_epoch),
        )

    def _epoch(self, epoch: int) -> Any:
        if epoch == UNKNOWN:
            return self._optional.empty()
        return self._optional.of(self._integer(epoch))

    def request(
        self,
        session_id: int,
        epoch: int,
        partitions: Mapping[str, Interest],
        forgotten: Iterable[str] = (),
        *,
        is_follower: bool = False,
    ) -> Request:
        """A request that no client's class has made."""
        asked = self.map()
        for name, interest in partitions.items():
            asked.put(self.topic_partition(name, 0), self.interest(name, interest))
        metadata = self.metadata(session_id, epoch)
        removed = self.list()
        for name in forgotten:
            partition = self.topic_partition(name, 0)
            removed.add(self._topic_id_partition(self._ids[name], partition))
        return self.build(metadata, asked, removed, self.list(), is_follower=is_follower)

    def build(
        self, metadata: Any, asked: Any, removed: Any, replaced: Any, *, is_follower: bool
    ) -> Request:
        """A request of what a client's class has put together."""
        version = self.jvm.short(VERSION)
        if is_follower:
            builder = self._builder.forReplica(version, 1, 1, 0, 0, asked)
        else:
            builder = self._builder.forConsumer(version, *self._waits, asked)
        builder.metadata(metadata).removed(removed).replaced(replaced)
        return self._read_request(builder.build(version), is_follower)

    def older(self, request: Request) -> Any:
        """The request as of before topics had ids."""
        return self._request(request.java.data(), self.jvm.short(BEFORE_TOPIC_IDS))

    def _read_request(self, java: Any, is_follower: bool) -> Request:
        return Request(
            session_id=int(java.metadata().sessionId()),
            epoch=int(java.metadata().epoch()),
            partitions={
                str(entry.getKey().topic()): self.asked(entry.getValue())
                for entry in java.fetchData(self.names).entrySet()
            },
            forgotten=frozenset(str(one.topic()) for one in java.forgottenTopics(self.names)),
            is_follower=is_follower,
            java=java,
        )

    def asked(self, java: Any) -> Interest:
        """What a request, or a session, has of a partition."""
        return Interest(
            int(java.fetchOffset),
            int(java.logStartOffset),
            int(java.maxBytes),
            int(java.currentLeaderEpoch.orElse(UNKNOWN)),
            int(java.lastFetchedEpoch.orElse(UNKNOWN)),
        )

    def answer(self, partition: Any, answer: Answer, *, diverges: bool) -> Any:
        """What the logs have for a partition, as a response has it."""
        if answer.failed:
            offline = self._errors.NOT_LEADER_OR_FOLLOWER
            return self._response.partitionResponse(partition, offline)
        java = self._answer()
        java.setPartitionIndex(partition.partition())
        java.setHighWatermark(answer.high_watermark).setLogStartOffset(answer.log_start_offset)
        if answer.records:
            java.setRecords(self._records)
        if diverges:
            java.setDivergingEpoch(self._diverging().setEpoch(0).setEndOffset(0))
        return java

    def nothing_new(self, session_id: int) -> Response:
        """A response of a session that has no partition."""
        none = self._errors.NONE, 0, session_id, self.map(), self.list()
        return self.read_response(self._response.of(*none))

    def read_response(self, java: Any) -> Response:
        """What a response says."""
        return Response(
            error=str(java.error().name()),
            session_id=int(java.sessionId()),
            partitions={
                str(topic.topic()) or str(self.names.get(topic.topicId())): Answer(
                    failed=int(one.errorCode()) != 0,
                    high_watermark=int(one.highWatermark()),
                    log_start_offset=int(one.logStartOffset()),
                    records=int(self._response.recordsSize(one)) > 0,
                )
                for topic in java.data().responses()
                for one in topic.partitions()
            },
            throttled=int(java.throttleTimeMs()) > 0,
            java=java,
        )
