"""A completed request, as the JSON of a line has it, made into what followers read."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple
from zlib import crc32

from msgspec import UNSET, Raw, Struct
from msgspec.json import Decoder

from lockstep.system.strict_json import shown
from lockstep_kafka.files.fetch_fields import (
    FIRST_WITH_REPLICA_STATE,
    FIRST_WITH_TOPIC_IDS,
    NEWEST_VERSION,
    OLDEST_VERSION,
    FieldRefused,
    Int16,
    Int32,
    Milliseconds,
    decoded,
    decoders,
)
from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    OtherRequest,
    QuorumLine,
    RaftAnswer,
    Request,
    RequestedPartition,
    TopicPartition,
)
from lockstep_kafka.files.quorum_fields import QUORUM_APIS, quorum_bodies

_FETCH_API_KEY = 1
_VERSIONS = range(OLDEST_VERSION, NEWEST_VERSION + 1)
_NOT_THERE = Raw()
# What Kafka 2.8 called these fields. A key cannot stand within a text: its quotes would be escaped.
_NAMES_OF_2_8 = (
    (b'"partitionResponses":', b'"partitions":'),
    (b'"partition":', b'"partitionIndex":'),
    (b'"recordSetSizeInBytes":', b'"recordsSizeInBytes":'),
    (b'"recordSet":', b'"records":'),
)


class Place(NamedTuple):
    """Where and when a line was written."""

    line: int
    file: str
    time_ms: int | None


class _Header(Struct, frozen=True, gc=False, rename="camel"):
    request_api_key: Int16
    request_api_version: Int16
    correlation_id: Int32
    request_api_key_name: str
    client_id: str | None
    """A client need not name itself: the field is then null."""


class _Software(Struct, frozen=True, gc=False, rename="camel"):
    software_name: str = ""
    software_version: str = ""


class _Completed(Struct, frozen=True, gc=False, rename="camel"):
    request_header: _Header
    connection: str
    request: Raw = _NOT_THERE
    response: Raw = _NOT_THERE
    total_time_ms: Milliseconds = 0.0
    client_information: _Software = _Software()


_COMPLETED = Decoder(_Completed)


def completed_request(encoded: bytes, place: Place) -> Request:
    """The request that a JSON object holds. The bodies of APIs not followed are not read.

    Raises as `decoded` does.
    """
    completed = decoded(_COMPLETED, encoded)
    header = completed.request_header
    if header.request_api_key == _FETCH_API_KEY:
        return _fetch(completed, place, crc32(encoded))
    if header.request_api_key in QUORUM_APIS:
        return _quorum(completed, place, crc32(encoded))
    api = header.request_api_key_name
    return OtherRequest(
        place.line,
        place.file,
        api if api.isprintable() else shown(api),
        completed.connection,
        header.correlation_id,
        header.client_id or "",
        place.time_ms,
        completed.total_time_ms,
        crc32(encoded),
    )


def _fetch(completed: _Completed, place: Place, fingerprint: int) -> FetchLine:
    header = completed.request_header
    version = header.request_api_version
    if version not in _VERSIONS:
        raise FieldRefused(
            "requestHeader.requestApiVersion: expected `int` from "
            f"{OLDEST_VERSION} to {NEWEST_VERSION}"
        )
    raw_response = _raw(completed.response, "response")
    if raw_response == b'""':
        raise FieldRefused('response is "", as when the broker closes the connection unanswered')
    if b'"partitionResponses":' in raw_response:
        for old, new in _NAMES_OF_2_8:
            raw_response = raw_response.replace(old, new)
    of_request, of_response = decoders(version)
    request = decoded(of_request, _raw(completed.request, "request"), "request")
    response = decoded(of_response, raw_response, "response")
    replica_id = -1  # a consumer leaves it out
    if version < FIRST_WITH_REPLICA_STATE:
        replica_id = request.old_replica
    elif request.state is not UNSET:
        replica_id = request.state.replica
    topic_name = "topic_id" if version >= FIRST_WITH_TOPIC_IDS else "topic_name"
    answered, answered_twice = _answered(_partitions(response.topics, topic_name))
    return FetchLine(
        line=place.line,
        file=place.file,
        time_ms=place.time_ms,
        version=version,
        correlation_id=header.correlation_id,
        client_id=header.client_id or "",
        connection=completed.connection,
        replica_id=replica_id,
        session_id=request.session,
        session_epoch=request.epoch,
        partitions=_requested(_partitions(request.topics, topic_name)),
        forgotten=tuple(
            TopicPartition(getattr(topic, topic_name), partition)
            for topic in request.forgotten
            for partition in topic.partitions
        )
        if request.forgotten
        else (),
        max_wait_ms=request.max_wait,
        min_bytes=request.min_bytes,
        error_code=response.error,
        response_session_id=response.response_session,
        throttle_time_ms=response.throttle,
        answered=answered,
        isolation_level=request.isolation,
        total_time_ms=completed.total_time_ms,
        fingerprint=fingerprint,
        answered_twice=answered_twice,
        software_name=completed.client_information.software_name,
        software_version=completed.client_information.software_version,
    )


def _quorum(completed: _Completed, place: Place, fingerprint: int) -> QuorumLine:
    header = completed.request_header
    api = QUORUM_APIS[header.request_api_key]
    bodies = _raw(completed.request, "request"), _raw(completed.response, "response")
    said = quorum_bodies(api, header.request_api_version, *bodies)
    return QuorumLine(
        line=place.line,
        file=place.file,
        time_ms=place.time_ms,
        api=api,
        version=header.request_api_version,
        correlation_id=header.correlation_id,
        client_id=header.client_id or "",
        connection=completed.connection,
        max_bytes=said.max_bytes,
        partitions=said.partitions,
        error_code=said.error_code,
        answered=said.answered,
        total_time_ms=completed.total_time_ms,
        fingerprint=fingerprint,
        software_name=completed.client_information.software_name,
        software_version=completed.client_information.software_version,
    )


def _raw(body: Raw, name: str) -> bytes:
    encoded = bytes(body)
    if not encoded:
        raise FieldRefused(f"{name} is missing")
    return encoded


def _partitions(topics: list[Any], topic_name: str) -> list[tuple[TopicPartition, Any]]:
    """What is reported of each partition."""
    return [
        (TopicPartition(name, reported.partition), reported)
        for topic in topics
        for name in [getattr(topic, topic_name)]
        for reported in topic.partitions
    ]


def _requested(asked: list[tuple[TopicPartition, Any]]) -> dict[TopicPartition, RequestedPartition]:
    requested = {
        partition: RequestedPartition(
            one.fetch_offset, one.log_start, one.max_bytes, one.leader_epoch, one.last_fetched
        )
        for partition, one in asked
    }
    if len(requested) < len(asked):
        partition = shown(str(_twice(asked)[0]))
        raise FieldRefused(f"request.topics has the partition {partition} more than once")
    return requested


def _answered(
    given: list[tuple[TopicPartition, Any]],
) -> tuple[dict[TopicPartition, AnsweredPartition], tuple[TopicPartition, ...]]:
    """What is answered of each partition, the last of several answers, and which have several."""
    answered: dict[TopicPartition, AnsweredPartition] = {}
    for partition, one in given:
        divergence, snapshot, size = one.divergence, one.snapshot, one.records_size
        has_snapshot = snapshot is not UNSET and (snapshot.epoch >= 0 or snapshot.end >= 0)
        has_raft = has_snapshot or one.leader is not UNSET
        answered[partition] = AnsweredPartition(
            one.partition_error,
            one.high_watermark,
            one.stable,
            one.log_start,
            size if size is not UNSET else 0 if one.no_records is None else None,
            one.preferred,
            divergence is not UNSET and divergence.diverging >= 0,
            has_snapshot,
            _raft_answer(one) if has_raft else None,
        )
    return answered, _twice(given) if len(answered) < len(given) else ()


def _raft_answer(answered: Any) -> RaftAnswer:
    leader, snapshot = answered.leader, answered.snapshot
    leads = (-1, -1) if leader is UNSET else (leader.id, leader.epoch)
    ends = (-1, -1) if snapshot is UNSET else (snapshot.end, snapshot.epoch)
    return RaftAnswer(*leads, *ends)


def _twice(named: list[tuple[TopicPartition, Any]]) -> tuple[TopicPartition, ...]:
    counts = Counter(partition for partition, _ in named)
    return tuple(partition for partition, count in counts.items() if count > 1)
