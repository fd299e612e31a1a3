"""A Fetch request and its response as Kafka's own JSON has them, read into a `FetchLine`.

Which field belongs to which version is taken from Kafka's message definitions FetchRequest.json and
FetchResponse.json. A field that a version has must be there; fields that are not part of a
`FetchLine` are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from lockstep.system.strict_json import JsonObject, shown
from models.kafka_files.fetch_line import (
    AnsweredPartition,
    FetchLine,
    RequestedPartition,
    TopicPartition,
)
from models.kafka_files.json_fields import (
    FieldRefused,
    int16,
    int32,
    int32_elements,
    int64,
    integer,
    member,
    members,
    path,
    text,
)

_OLDEST_VERSION = 4
_NEWEST_VERSION = 18
_TOPIC_ID = re.compile(r"[A-Za-z0-9_-]{22}")

_Told = TypeVar("_Told")


def fetch_line(completed: JsonObject, *, line: int, file: str, time_ms: int | None) -> FetchLine:
    """The Fetch that the object tells of, found in a line of a file.

    Raises `FieldRefused`.
    """
    at = "requestHeader"
    header = member(completed, at, "")
    version = integer(header, "requestApiVersion", at, _OLDEST_VERSION, _NEWEST_VERSION)
    correlation_id = int32(header, "correlationId", at)
    # A client need not name itself: the field is then null.
    client_id = "" if header.get("clientId", "") is None else text(header, "clientId", at)

    request = member(completed, "request", "")
    if completed.get("response") == "":
        raise FieldRefused('response is "", as when the broker closes the connection unanswered')
    response = member(completed, "response", "")
    has_sessions = version >= 7
    return FetchLine(
        line=line,
        file=file,
        time_ms=time_ms,
        version=version,
        correlation_id=correlation_id,
        client_id=client_id,
        connection=text(completed, "connection", ""),
        replica_id=_replica_id(request, version),
        session_id=int32(request, "sessionId", "request") if has_sessions else 0,
        session_epoch=int32(request, "sessionEpoch", "request") if has_sessions else -1,
        partitions=_by_partition(
            members(request, "topics", "request"),
            version,
            _requested,
            partitions="partitions",
            index="partition",
        ),
        forgotten=_forgotten(request, version) if has_sessions else (),
        max_wait_ms=int32(request, "maxWaitMs", "request"),
        min_bytes=int32(request, "minBytes", "request"),
        error_code=int16(response, "errorCode", "response") if has_sessions else 0,
        response_session_id=int32(response, "sessionId", "response") if has_sessions else 0,
        throttle_time_ms=int32(response, "throttleTimeMs", "response"),
        answered=_answered_partitions(response, version),
    )


def _replica_id(request: JsonObject, version: int) -> int:
    if version <= 14:
        return int32(request, "replicaId", "request")
    # A tagged field: left out when it has its default, as consumers do.
    if "replicaState" not in request:
        return -1
    return int32(member(request, "replicaState", "request"), "replicaId", "request.replicaState")


def _topic(of: JsonObject, where: str, version: int) -> str:
    if version <= 12:
        return text(of, "topic", where)
    topic_id = text(of, "topicId", where)
    if not _TOPIC_ID.fullmatch(topic_id):
        actual = f"{path(where, 'topicId')} is {shown(topic_id)}"
        raise FieldRefused(f"{actual}, not a topic id of 22 characters of base64url")
    return topic_id


def _by_partition(
    topics: list[tuple[JsonObject, str]],
    version: int,
    read: Callable[[JsonObject, str, int], _Told],
    *,
    partitions: str,
    index: str,
) -> dict[TopicPartition, _Told]:
    """What is told of every partition, in the order of the log; names are those of the fields."""
    partitions_by_name: dict[TopicPartition, _Told] = {}
    for topic, topic_path in topics:
        topic_name = _topic(topic, topic_path, version)
        for partition, at in members(topic, partitions, topic_path):
            which = TopicPartition(topic_name, int32(partition, index, at))
            if which in partitions_by_name:
                raise FieldRefused(f"{at} is {shown(str(which))}, which stands before it already")
            partitions_by_name[which] = read(partition, at, version)
    return partitions_by_name


def _requested(partition: JsonObject, at: str, version: int) -> RequestedPartition:
    return RequestedPartition(
        fetch_offset=int64(partition, "fetchOffset", at),
        log_start_offset=int64(partition, "logStartOffset", at) if version >= 5 else -1,
        max_bytes=int32(partition, "partitionMaxBytes", at),
        leader_epoch=int32(partition, "currentLeaderEpoch", at) if version >= 9 else -1,
        last_fetched_epoch=int32(partition, "lastFetchedEpoch", at) if version >= 12 else -1,
    )


def _forgotten(request: JsonObject, version: int) -> tuple[TopicPartition, ...]:
    forgotten: list[TopicPartition] = []
    for topic, at in members(request, "forgottenTopicsData", "request"):
        topic_name = _topic(topic, at, version)
        partitions = int32_elements(topic, "partitions", at)
        forgotten.extend(TopicPartition(topic_name, partition) for partition in partitions)
    return tuple(forgotten)


def _answered_partitions(
    response: JsonObject, version: int
) -> dict[TopicPartition, AnsweredPartition]:
    topics = members(response, "responses", "response")
    if any("partitionResponses" in topic for topic, _ in topics):
        # Kafka 2.8's names for the same fields.
        return _by_partition(
            topics, version, _answered, partitions="partitionResponses", index="partition"
        )
    return _by_partition(
        topics, version, _answered, partitions="partitions", index="partitionIndex"
    )


def _answered(partition: JsonObject, at: str, version: int) -> AnsweredPartition:
    return AnsweredPartition(
        error_code=int16(partition, "errorCode", at),
        high_watermark=int64(partition, "highWatermark", at),
        last_stable_offset=int64(partition, "lastStableOffset", at),
        log_start_offset=int64(partition, "logStartOffset", at) if version >= 5 else -1,
        records_size=_records_size(partition, at),
        preferred_read_replica=int32(partition, "preferredReadReplica", at)
        if version >= 11
        else -1,
        has_diverging_epoch=_has_diverging_epoch(partition, at, version),
    )


def _records_size(partition: JsonObject, at: str) -> int | None:
    for name in ("recordsSizeInBytes", "recordSetSizeInBytes"):  # The second: Kafka 2.8.
        if name in partition:
            return integer(partition, name, at, 0, 2**31 - 1)
    for name in ("records", "recordSet"):
        # Kafka logs the size instead of the records, except where there are none at all.
        if name in partition and partition[name] is None:
            return 0
    return None


def _has_diverging_epoch(partition: JsonObject, at: str, version: int) -> bool:
    # A tagged field: left out when it has its default, which is the epoch -1.
    if version < 12 or "divergingEpoch" not in partition:
        return False
    diverging = member(partition, "divergingEpoch", at)
    return int32(diverging, "epoch", f"{at}.divergingEpoch") >= 0
