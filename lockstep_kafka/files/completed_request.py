"""A completed request, as the JSON of a line has it, made into what followers read."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, TypeVar
from zlib import crc32

from msgspec import UNSET, Raw, Struct
from msgspec.json import Decoder

from lockstep.system.strict_json import shown
from lockstep_kafka.files.fetch_fields import (
    NEWEST_VERSION,
    OLDEST_VERSION,
    Answered,
    FieldRefused,
    Int16,
    Int32,
    Milliseconds,
    Requested,
    Topic,
    decoded,
    request_decoder,
    response_decoder,
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
_Reported = TypeVar("_Reported", Requested, Answered)
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
    request = decoded(request_decoder(version), _raw(completed.request, "request"), "request")
    response = decoded(response_decoder(version), raw_response, "response")
    answered, answered_twice = _answered(response.responses)
    return FetchLine(
        line=place.line,
        file=place.file,
        time_ms=place.time_ms,
        version=version,
        correlation_id=header.correlation_id,
        client_id=header.client_id or "",
        connection=completed.connection,
        replica_id=request.replica,
        session_id=request.session_id,
        session_epoch=request.session_epoch,
        partitions=_requested(request.topics),
        forgotten=tuple(
            TopicPartition(topic.topic, partition)
            for topic in request.forgotten_topics_data
            for partition in topic.partitions
        )
        if request.forgotten_topics_data
        else (),
        max_wait_ms=request.max_wait_ms,
        min_bytes=request.min_bytes,
        error_code=response.error_code,
        response_session_id=response.session_id,
        throttle_time_ms=response.throttle_time_ms,
        answered=answered,
        isolation_level=request.isolation_level,
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
    request, response = quorum_bodies(api, header.request_api_version, *bodies)
    return QuorumLine(
        line=place.line,
        file=place.file,
        time_ms=place.time_ms,
        api=api,
        version=header.request_api_version,
        correlation_id=header.correlation_id,
        client_id=header.client_id or "",
        connection=completed.connection,
        max_bytes=request.max_bytes,
        partitions=request.asked(),
        error_code=response.error_code,
        answered=response.answered(),
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


def _requested(topics: list[Topic[Requested]]) -> dict[TopicPartition, RequestedPartition]:
    requested: dict[TopicPartition, RequestedPartition] = {}
    count = 0
    for topic in topics:
        name = topic.topic
        count += len(topic.partitions)
        for reported in topic.partitions:
            requested[TopicPartition(name, reported.partition)] = RequestedPartition(
                reported.fetch_offset,
                reported.log_start_offset,
                reported.partition_max_bytes,
                reported.current_leader_epoch,
                reported.last_fetched_epoch,
            )
    if len(requested) < count:
        partition = shown(str(_twice(topics)[0]))
        raise FieldRefused(f"request.topics has the partition {partition} more than once")
    return requested


def _answered(
    topics: list[Topic[Answered]],
) -> tuple[dict[TopicPartition, AnsweredPartition], tuple[TopicPartition, ...]]:
    """What is answered of each partition, the last of several answers, and which have several."""
    answered: dict[TopicPartition, AnsweredPartition] = {}
    count = 0
    for topic in topics:
        name = topic.topic
        count += len(topic.partitions)
        for reported in topic.partitions:
            diverging, snapshot = reported.diverging_epoch, reported.snapshot_id
            has_snapshot = snapshot is not UNSET and (
                snapshot.epoch >= 0 or snapshot.end_offset >= 0
            )
            has_raft = has_snapshot or reported.current_leader is not UNSET
            size = reported.records_size_in_bytes
            answered[TopicPartition(name, reported.partition)] = AnsweredPartition(
                reported.error_code,
                reported.high_watermark,
                reported.last_stable_offset,
                reported.log_start_offset,
                size if size is not UNSET else 0 if reported.records is None else None,
                reported.preferred_read_replica,
                diverging is not UNSET and diverging.epoch >= 0,
                has_snapshot,
                _raft_answer(reported) if has_raft else None,
            )
    return answered, _twice(topics) if len(answered) < count else ()


def _raft_answer(reported: Answered) -> RaftAnswer:
    leader, snapshot = reported.current_leader, reported.snapshot_id
    leads = (-1, -1) if leader is UNSET else (leader.leader_id, leader.leader_epoch)
    ends = (-1, -1) if snapshot is UNSET else (snapshot.end_offset, snapshot.epoch)
    return RaftAnswer(*leads, *ends)


def _twice(topics: list[Topic[_Reported]]) -> tuple[TopicPartition, ...]:
    counts = Counter(
        TopicPartition(topic.topic, reported.partition)
        for topic in topics
        for reported in topic.partitions
    )
    return tuple(partition for partition, count in counts.items() if count > 1)
