"""Lines of a request log for tests, as short as a test needs them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from lockstep_kafka.simulated.damage.log import MARKER, Log
from lockstep_kafka.simulated.damage.requests import Partition

_TIMES = count(1_795_320_000_000)


def fetch(
    correlation_id: int,
    request: tuple[int, int],
    *,
    asks: Mapping[Partition, int] | None = None,
    forgets: Sequence[Partition] = (),
    session: int = 0,
    error: int = 0,
    answers: Mapping[Partition, int | None] | None = None,
    records: Sequence[Partition] = (),
    throttle: int = 0,
    connection: str = "127.0.0.1:9092-127.0.0.1:40000-0-1",
    leader_epoch: int = 0,
    version: int = 13,
) -> str:
    """A line of a consumer: what it asks from which offset, and each high watermark answered.

    A watermark None stands for an error.
    """
    name = "topicId" if version >= 13 else "topic"
    asked = [
        {name: topic, "partitions": [_interest(index, offset, leader_epoch)]}
        for (topic, index), offset in (asks or {}).items()
    ]
    answered = [
        {name: topic, "partitions": [_answer(index, watermark, (topic, index) in records)]}
        for (topic, index), watermark in (answers or {}).items()
    ]
    document: dict[str, Any] = {
        "requestHeader": {
            "requestApiKey": 1,
            "requestApiVersion": version,
            "correlationId": correlation_id,
            "clientId": "client",
            "requestApiKeyName": "FETCH",
        },
        "request": {
            "replicaId": -1,
            "maxWaitMs": 500,
            "minBytes": 1,
            "maxBytes": 52428800,
            "isolationLevel": 0,
            "sessionId": request[0],
            "sessionEpoch": request[1],
            "topics": asked,
            "forgottenTopicsData": [
                {name: topic, "partitions": [index]} for topic, index in forgets
            ],
            "rackId": "",
        },
        "response": {
            "throttleTimeMs": throttle,
            "errorCode": error,
            "sessionId": session,
            "responses": answered,
        },
        "connection": connection,
        "totalTimeMs": 0.5,
    }
    return f"{next(_TIMES)} {MARKER}{json.dumps(document)}"


def _interest(index: int, offset: int, leader_epoch: int) -> dict[str, int]:
    return {
        "partition": index,
        "currentLeaderEpoch": leader_epoch,
        "fetchOffset": offset,
        "lastFetchedEpoch": -1,
        "logStartOffset": -1,
        "partitionMaxBytes": 1048576,
    }


def _answer(index: int, watermark: int | None, has_records: bool) -> dict[str, Any]:
    offset = -1 if watermark is None else watermark
    return {
        "partitionIndex": index,
        "errorCode": 3 if watermark is None else 0,
        "highWatermark": offset,
        "lastStableOffset": offset,
        "logStartOffset": min(offset, 0),
        "abortedTransactions": None,
        "preferredReadReplica": -1,
        "recordsSizeInBytes": 70 if has_records else 0,
    }


def log(*lines: str) -> Log:
    return Log.of(lines)
