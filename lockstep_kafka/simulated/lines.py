"""Behaviours of the model, written as the lines that a broker's log has of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    OtherRequest,
    RequestedPartition,
    TopicPartition,
)
from lockstep_kafka.simulated.behaviours import Exchange
from lockstep_kafka.simulated.times import Pace, Times, times_of

WITH_NAMES, WITH_IDS = 12, 18
"""The last version of Fetch that names topics, and the newest one."""

_ERRORS = (1, 3, 6, 56, 75)
_SHARE_DELAYED = 0.1
"""How many of the responses that wait do so for a quota on requests."""

_PARTITION_MAX_BYTES = 2**20

Line = FetchLine | OtherRequest


@dataclass(frozen=True)
class Names:
    """What a log calls the parts of a behaviour.

    `broker` is the address that clients connect to, `clients` the client id of each fetcher, and
    `replicas` the broker id of each follower. Connections are numbered from `first_connection` on.
    """

    broker: str
    partitions: Mapping[str, TopicPartition]
    clients: Mapping[str, str]
    replicas: Mapping[str, int]
    first_connection: int = 1

    def connection(self, number: int) -> str:
        """The name of a connection."""
        count = self.first_connection + number
        host, port = count // 50_000 % 250, 10_000 + count % 50_000
        return f"{self.broker}-10.1.{host}.2:{port}-0-{count}"


@dataclass(frozen=True)
class Writing:
    """How a broker, its clients and its topics happen to be.

    `version` is that of Fetch. `offsets` stand for the model's, in the same order; `sessions` are
    the ids drawn, one after the other; `correlations` has the correlation id after which each
    fetcher begins.
    """

    version: int
    offsets: Sequence[int]
    sessions: Sequence[int]
    correlations: Mapping[str, int]
    pace: Pace
    names: Names


def lines_of(exchanges: Sequence[Exchange], writing: Writing, chance: random.Random) -> list[Line]:
    """The lines of some exchanges in the order in which a log has them, without numbers."""
    lines: list[Line] = []
    for exchange, times in zip(exchanges, times_of(exchanges, writing.pace, chance), strict=True):
        lines += _others(exchange, times, writing)
        lines.append(_fetch(exchange, times, writing, chance))
    lines.sort(key=lambda line: (line.time_ms, isinstance(line, FetchLine)))
    return lines


def _others(exchange: Exchange, times: Times, writing: Writing) -> Iterator[OtherRequest]:
    """Requests of other APIs, sent just before a Fetch."""
    first = exchange.sent.number - exchange.sent.others
    for number in range(first, exchange.sent.number):
        yield OtherRequest(
            line=1,
            file="",
            api="METADATA",
            connection=writing.names.connection(exchange.sent.connection),
            correlation_id=_correlation(exchange.fetcher, number, writing),
            client_id=writing.names.clients[exchange.fetcher],
            time_ms=times.arrival,
            total_time_ms=0.0,
            fingerprint=number,
        )


def _correlation(f: str, number: int, writing: Writing) -> int:
    return (writing.correlations[f] + number + 2**31) % 2**32 - 2**31


def _fetch(exchange: Exchange, times: Times, writing: Writing, chance: random.Random) -> FetchLine:
    request, response, names = exchange.request, exchange.response, writing.names
    replica = names.replicas.get(exchange.fetcher, -1)
    is_follower = replica >= 0
    sessions = writing.sessions
    # A quota on requests delays any response, and takes nothing from it.
    is_delayed = response.throttled or chance.random() < writing.pace.waiting * _SHARE_DELAYED
    return FetchLine(
        line=1,
        file="",
        time_ms=times.completion,
        version=writing.version,
        correlation_id=_correlation(exchange.fetcher, exchange.sent.number, writing),
        client_id=names.clients[exchange.fetcher],
        connection=names.connection(exchange.sent.connection),
        replica_id=replica,
        session_id=sessions[exchange.session - 1] if exchange.session else 0,
        session_epoch=request.epoch,
        partitions={
            name: _requested(interest, is_follower, writing)
            for p, name in names.partitions.items()
            if (interest := request.partitions[p]) is not None
        },
        forgotten=tuple(name for p, name in names.partitions.items() if p in request.forgotten),
        max_wait_ms=500,
        min_bytes=1,
        error_code=response.error.value,
        response_session_id=sessions[exchange.response_session - 1]
        if exchange.response_session
        else 0,
        throttle_time_ms=chance.randint(1, 50) if is_delayed else 0,
        answered={
            name: _answered(answer, writing, chance)
            for p, name in names.partitions.items()
            if (answer := response.partitions[p]) is not None
        },
        # No transaction is open, so the last stable offset is the high watermark.
        isolation_level=0 if is_follower else chance.choice((0, 1)),
        total_time_ms=float(times.completion - times.arrival),
    )


def _requested(interest: Any, is_follower: bool, writing: Writing) -> RequestedPartition:
    return RequestedPartition(
        fetch_offset=writing.offsets[interest.fetch_offset],
        log_start_offset=0 if is_follower else -1,
        max_bytes=_PARTITION_MAX_BYTES + interest.partition_max_bytes,
        leader_epoch=0,
        last_fetched_epoch=-1,
    )


def _answered(answer: Any, writing: Writing, chance: random.Random) -> AnsweredPartition:
    if answer.failed:
        return AnsweredPartition(chance.choice(_ERRORS), -1, -1, -1, 0, -1, False)
    high_watermark = writing.offsets[answer.high_watermark]
    return AnsweredPartition(
        error_code=0,
        high_watermark=high_watermark,
        last_stable_offset=high_watermark,
        log_start_offset=writing.offsets[answer.log_start_offset],
        records_size=chance.randint(1, 900) if answer.records else 0,
        preferred_read_replica=-1,
        has_diverging_epoch=False,
    )
