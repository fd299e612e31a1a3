"""Lines of a log as a broker of Kafka writes them, in the layout that it ships."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from msgspec.json import encode

from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    OtherRequest,
    RequestedPartition,
    TopicPartition,
)

_FETCH, _METADATA = 1, 3
_METADATA_VERSION = 12
_FIRST_WITH_TOPIC_IDS = 13
_FIRST_WITH_REPLICA_STATE = 15

_SOFTWARE = {
    12: ("kafka-python", "2.2.15"),
    13: ("apache-kafka-java", "3.1.2"),
    16: ("confluent-kafka-python", "2.11.1-rdkafka-2.11.1"),
    17: ("apache-kafka-java", "3.9.1"),
    18: ("apache-kafka-java", "4.1.1"),
}
"""A client whose newest version of Fetch this is."""

VERSIONS = tuple(_SOFTWARE)
"""The versions of Fetch that are written."""


def text(line: FetchLine | OtherRequest, version: int) -> str:
    """One line of the log, without its end, of a fetcher whose version of Fetch is `version`."""
    assert line.time_ms is not None
    is_fetch = isinstance(line, FetchLine)
    software, software_version = _SOFTWARE[version]
    throttled = line.throttle_time_ms if isinstance(line, FetchLine) else 0
    document: dict[str, Any] = {
        "isForwarded": False,
        "requestHeader": {
            "requestApiKey": _FETCH if is_fetch else _METADATA,
            "requestApiVersion": version if is_fetch else _METADATA_VERSION,
            "correlationId": line.correlation_id,
            "clientId": line.client_id,
            "requestApiKeyName": "FETCH" if is_fetch else "METADATA",
        },
        "request": _request(line) if isinstance(line, FetchLine) else {"topics": []},
        "response": _response(line) if isinstance(line, FetchLine) else {"brokers": []},
        "connection": line.connection,
        "totalTimeMs": line.total_time_ms,
        "requestQueueTimeMs": 0.0,
        "localTimeMs": 0.0,
        "remoteTimeMs": line.total_time_ms,
        "throttleTimeMs": throttled,
        "responseQueueTimeMs": 0.0,
        "sendTimeMs": 0.0,
        "securityProtocol": "PLAINTEXT",
        "principal": "User:ANONYMOUS",
        "listener": "PLAINTEXT",
        "clientInformation": {"softwareName": software, "softwareVersion": software_version},
    }
    seconds, milliseconds = divmod(line.time_ms, 1000)
    return (
        f"[{_date(seconds)},{milliseconds:03}] DEBUG Completed request:"
        f"{encode(document).decode()} (kafka.request.logger)"
    )


@lru_cache(maxsize=64)
def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _request(line: FetchLine) -> dict[str, Any]:
    replica: dict[str, Any] = {"replicaId": line.replica_id}
    if line.version >= _FIRST_WITH_REPLICA_STATE:
        replica = {"replicaState": {**replica, "replicaEpoch": 1}} if line.is_follower else {}
    return {
        **replica,
        "maxWaitMs": line.max_wait_ms,
        "minBytes": line.min_bytes,
        "maxBytes": 10_485_760 if line.is_follower else 52_428_800,
        "isolationLevel": line.isolation_level,
        "sessionId": line.session_id,
        "sessionEpoch": line.session_epoch,
        "topics": _topics(
            line, ((name, _asked(name, wanted)) for name, wanted in line.partitions.items())
        ),
        "forgottenTopicsData": _topics(line, ((name, name.partition) for name in line.forgotten)),
        "rackId": "",
    }


def _response(line: FetchLine) -> dict[str, Any]:
    aborted: list[object] | None = [] if line.isolation_level else None
    return {
        "throttleTimeMs": line.throttle_time_ms,
        "errorCode": line.error_code,
        "sessionId": line.response_session_id,
        "responses": _topics(
            line,
            ((name, _reported(name, answer, aborted)) for name, answer in line.answered.items()),
        ),
    }


def _topics(
    line: FetchLine, partitions: Iterable[tuple[TopicPartition, object]]
) -> list[dict[str, Any]]:
    """What is reported of partitions, topic by topic."""
    key = "topicId" if line.version >= _FIRST_WITH_TOPIC_IDS else "topic"
    topics: dict[str, list[object]] = {}
    for name, reported in partitions:
        topics.setdefault(name.topic, []).append(reported)
    return [{key: topic, "partitions": parts} for topic, parts in topics.items()]


def _asked(name: TopicPartition, wanted: RequestedPartition) -> dict[str, int]:
    return {
        "partition": name.partition,
        "currentLeaderEpoch": wanted.leader_epoch,
        "fetchOffset": wanted.fetch_offset,
        "lastFetchedEpoch": wanted.last_fetched_epoch,
        "logStartOffset": wanted.log_start_offset,
        "partitionMaxBytes": wanted.max_bytes,
    }


def _reported(
    name: TopicPartition, answer: AnsweredPartition, aborted: list[object] | None
) -> dict[str, Any]:
    return {
        "partitionIndex": name.partition,
        "errorCode": answer.error_code,
        "highWatermark": answer.high_watermark,
        "lastStableOffset": answer.last_stable_offset,
        "logStartOffset": answer.log_start_offset,
        "abortedTransactions": aborted,
        "preferredReadReplica": answer.preferred_read_replica,
        "recordsSizeInBytes": answer.records_size,
    }
