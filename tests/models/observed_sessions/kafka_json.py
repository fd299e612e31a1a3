"""Lines of a log as Kafka writes them, for Fetch versions 12 and 18."""

from __future__ import annotations

import json
from typing import Any

from models.kafka_files.request_log import (
    AnsweredPartition,
    FetchLine,
    RequestedPartition,
    TopicPartition,
)
from tests.models.observed_sessions.logs import WITH_IDS, Line

_FETCH, _METADATA = 1, 3


def text(line: Line) -> str:
    """One line of the log, without its end."""
    is_fetch = isinstance(line, FetchLine)
    document: dict[str, Any] = {
        "requestHeader": {
            "requestApiKey": _FETCH if is_fetch else _METADATA,
            "requestApiVersion": line.version if isinstance(line, FetchLine) else 12,
            "correlationId": line.correlation_id,
            "clientId": line.client_id,
            "requestApiKeyName": "FETCH" if is_fetch else "METADATA",
        },
        "request": _request(line) if isinstance(line, FetchLine) else {},
        "response": _response(line) if isinstance(line, FetchLine) else {},
        "connection": line.connection,
        "totalTimeMs": line.total_time_ms,
    }
    return f"{line.time_ms} Completed request:{json.dumps(document)}"


def _request(line: FetchLine) -> dict[str, Any]:
    replica: dict[str, Any] = {"replicaId": line.replica_id}
    if line.version == WITH_IDS:
        replica = {"replicaState": {**replica, "replicaEpoch": 1}} if line.is_follower else {}
    return {
        **replica,
        "maxWaitMs": line.max_wait_ms,
        "minBytes": line.min_bytes,
        "isolationLevel": line.isolation_level,
        "sessionId": line.session_id,
        "sessionEpoch": line.session_epoch,
        "topics": [
            _topic(line, name, _asked(name, wanted)) for name, wanted in line.partitions.items()
        ],
        "forgottenTopicsData": [_topic(line, name, name.partition) for name in line.forgotten],
    }


def _response(line: FetchLine) -> dict[str, Any]:
    return {
        "throttleTimeMs": line.throttle_time_ms,
        "errorCode": line.error_code,
        "sessionId": line.response_session_id,
        "responses": [
            _topic(line, name, _told(name, answer)) for name, answer in line.answered.items()
        ],
    }


def _topic(line: FetchLine, name: TopicPartition, partition: object) -> dict[str, Any]:
    key = "topicId" if line.version == WITH_IDS else "topic"
    return {key: name.topic, "partitions": [partition]}


def _asked(name: TopicPartition, wanted: RequestedPartition) -> dict[str, int]:
    return {
        "partition": name.partition,
        "currentLeaderEpoch": wanted.leader_epoch,
        "fetchOffset": wanted.fetch_offset,
        "lastFetchedEpoch": wanted.last_fetched_epoch,
        "logStartOffset": wanted.log_start_offset,
        "partitionMaxBytes": wanted.max_bytes,
    }


def _told(name: TopicPartition, answer: AnsweredPartition) -> dict[str, Any]:
    return {
        "partitionIndex": name.partition,
        "errorCode": answer.error_code,
        "highWatermark": answer.high_watermark,
        "lastStableOffset": answer.last_stable_offset,
        "logStartOffset": answer.log_start_offset,
        "preferredReadReplica": answer.preferred_read_replica,
        "recordsSizeInBytes": answer.records_size,
    }
