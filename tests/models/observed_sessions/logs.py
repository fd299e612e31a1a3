"""Behaviours of the model, written as the lines that a broker's log has of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from msgspec import structs

from models.kafka_files.request_log import (
    AnsweredPartition,
    FetchLine,
    OtherRequest,
    RequestedPartition,
    TopicPartition,
)
from tests.models.observed_sessions.behaviours import Exchange, Scope

FILE = "server.log"
BEGIN_MS = 1_795_320_000_000

WITH_NAMES, WITH_IDS = 12, 18
_TOPICS = {WITH_NAMES: "orders", WITH_IDS: "AAAAAAAAAAAAAAAAAAAAAQ"}
_ERRORS = (1, 3, 6, 56, 75)
_LONGEST_MS = 600

Line = FetchLine | OtherRequest


@dataclass(frozen=True)
class Writing:
    """How a broker, its clients and its topics happen to be.

    `offsets` stand for the model's, in the same order; `sessions` are the ids drawn, one after the
    other; `correlations` has the correlation id after which each fetcher begins. `pace_ms` is the
    least and the most time between two requests, and `waiting` the share of requests that wait for
    an answer, or responses that wait to be written.
    """

    version: int
    offsets: tuple[int, ...]
    sessions: tuple[int, ...]
    correlations: Mapping[str, int]
    pace_ms: tuple[int, int]
    waiting: float

    @staticmethod
    def draw(scope: Scope, exchanges: Sequence[Exchange], chance: random.Random) -> Writing:
        """Any that fits some exchanges."""
        sessions = max(
            (max(exchange.session, exchange.response_session) for exchange in exchanges), default=0
        )
        return Writing(
            version=chance.choice((WITH_NAMES, WITH_IDS)),
            offsets=_offsets(scope.max_offset + 1, chance),
            sessions=tuple(chance.sample(range(1, 2**31), sessions)),
            correlations={
                f: chance.choice((0, 1_000, 2**31 - chance.randint(1, 30))) for f in scope.fetchers
            },
            pace_ms=(0, chance.choice((2, 20, 400))),
            waiting=0.3,
        )


def _offsets(count: int, chance: random.Random) -> tuple[int, ...]:
    width = chance.choice((count, 2 * count, 2**40, 2**62))
    first = chance.choice((0, 0, chance.randrange(2**63 - width), 2**63 - width))
    return tuple(first + offset for offset in sorted(chance.sample(range(width), count)))


@dataclass(frozen=True)
class _Times:
    arrival: int
    completion: int


def _times(exchanges: Sequence[Exchange], writing: Writing, chance: random.Random) -> list[_Times]:
    """When requests arrive and responses are written.

    Each is served between the two, in the order of the exchanges. A broker reads the next request
    of a connection after it answered the last one, and requests of one fetcher arrive in the order
    in which they are served.
    """
    now = BEGIN_MS
    served = [now := now + chance.randint(*writing.pace_ms) for _ in exchanges]
    latest = _latest_completions(exchanges, served)
    earliest: dict[int | str, int] = {}

    def waits() -> bool:
        return chance.random() < writing.waiting

    times = []
    for exchange, moment, last in zip(exchanges, served, latest, strict=True):
        connection, f = exchange.sent.connection, exchange.fetcher
        first = max(earliest.get(connection, BEGIN_MS), earliest.get(f, BEGIN_MS))
        arrival = chance.randint(first, moment) if waits() else moment
        completion = chance.randint(moment, last) if waits() else min(moment + 1, last)
        times.append(_Times(arrival, completion))
        earliest[connection] = completion
        earliest[f] = completion if exchange.is_read else moment
    return times


def _latest_completions(exchanges: Sequence[Exchange], served: Sequence[int]) -> list[int]:
    following: dict[int | str, int] = {}
    latest = []
    for exchange, moment in reversed(list(zip(exchanges, served, strict=True))):
        connection, f = exchange.sent.connection, exchange.fetcher
        last = min(moment + _LONGEST_MS, following.get(connection, moment + _LONGEST_MS))
        if exchange.is_read:
            last = min(last, following.get(f, last))
        latest.append(last)
        following[connection] = following[f] = moment
    return latest[::-1]


def write(
    scope: Scope, exchanges: Sequence[Exchange], writing: Writing, chance: random.Random
) -> list[Line]:
    """The log of some exchanges, in the order in which its lines stand; they count from 1."""
    lines: list[Line] = []
    for exchange, times in zip(exchanges, _times(exchanges, writing, chance), strict=True):
        lines += _others(exchange, times, writing)
        lines.append(_fetch(scope, exchange, times, writing, chance))
    lines.sort(key=lambda line: (line.time_ms, isinstance(line, FetchLine)))
    return [structs.replace(line, line=number) for number, line in enumerate(lines, start=1)]


def _others(exchange: Exchange, times: _Times, writing: Writing) -> Iterator[OtherRequest]:
    """Requests of other APIs, sent just before a Fetch."""
    first = exchange.sent.number - exchange.sent.others
    for number in range(first, exchange.sent.number):
        yield OtherRequest(
            line=1,
            file=FILE,
            api="METADATA",
            connection=_connection(exchange),
            correlation_id=_correlation(exchange.fetcher, number, writing),
            client_id=exchange.fetcher,
            time_ms=times.arrival,
            total_time_ms=0.0,
            fingerprint=number,
        )


def _connection(exchange: Exchange) -> str:
    number = exchange.sent.connection
    return f"10.0.0.1:9092-10.0.0.2:{40_000 + number}-0-{1 + number}"


def _correlation(f: str, number: int, writing: Writing) -> int:
    return (writing.correlations[f] + number + 2**31) % 2**32 - 2**31


def _fetch(
    scope: Scope, exchange: Exchange, times: _Times, writing: Writing, chance: random.Random
) -> FetchLine:
    request, response = exchange.request, exchange.response
    is_follower = exchange.fetcher in scope.followers
    names = {
        p: TopicPartition(_TOPICS[writing.version], place)
        for place, p in enumerate(scope.partitions)
    }
    sessions = (0, *writing.sessions)
    # A quota on requests delays any response, and takes nothing from it.
    is_delayed = response.throttled or chance.random() < writing.waiting / 10
    line = FetchLine(
        line=1,
        file=FILE,
        time_ms=times.completion,
        version=writing.version,
        correlation_id=_correlation(exchange.fetcher, exchange.sent.number, writing),
        client_id=exchange.fetcher,
        connection=_connection(exchange),
        replica_id=2 if is_follower else -1,
        session_id=sessions[exchange.session],
        session_epoch=request.epoch,
        partitions={
            name: _requested(interest, is_follower, writing)
            for p, name in names.items()
            if (interest := request.partitions[p]) is not None
        },
        forgotten=tuple(name for p, name in names.items() if p in request.forgotten),
        max_wait_ms=500,
        min_bytes=1,
        error_code=response.error.value,
        response_session_id=sessions[exchange.response_session],
        throttle_time_ms=chance.randint(1, 50) if is_delayed else 0,
        answered={
            name: _answered(answer, writing, chance)
            for p, name in names.items()
            if (answer := response.partitions[p]) is not None
        },
        # No transaction is open, so the last stable offset is the high watermark.
        isolation_level=0 if is_follower else chance.choice((0, 1)),
        total_time_ms=float(times.completion - times.arrival),
    )
    return structs.replace(line, fingerprint=crc32(repr(line).encode()))


def _requested(interest: Any, is_follower: bool, writing: Writing) -> RequestedPartition:
    return RequestedPartition(
        fetch_offset=writing.offsets[interest.fetch_offset],
        log_start_offset=0 if is_follower else -1,
        max_bytes=1_000 + interest.partition_max_bytes,
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
