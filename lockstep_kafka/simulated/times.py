"""When the requests of a behaviour arrive at the broker, and when their responses are written."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from lockstep_kafka.simulated.behaviours import Exchange

_LONGEST_MS = 600
"""How long a response waits to be written: a fetcher waits for records for half a second."""

_LONGEST_QUEUED_MS = 2_000
"""How long a request waits to be served, at most."""


@dataclass(frozen=True)
class Pace:
    """How fast requests follow one another.

    Nothing arrives before `begin_ms`, in milliseconds since 1970. `between_ms` is the least and
    the most time between two requests that are served, and `waiting` the share of requests that
    wait to be served, and of responses that wait to be written.
    """

    begin_ms: int
    between_ms: tuple[int, int]
    waiting: float


@dataclass(frozen=True)
class Times:
    """When a request arrived and when its response was written, in milliseconds since 1970."""

    arrival: int
    completion: int


def times_of(exchanges: Sequence[Exchange], pace: Pace, chance: random.Random) -> list[Times]:
    """When requests arrive and responses are written.

    Each is served between the two, in the order of the exchanges. A broker reads the next request
    of a connection after it answered the last one, and requests of one fetcher arrive in the order
    in which they are served.
    """
    now = pace.begin_ms
    served = [now := now + chance.randint(*pace.between_ms) for _ in exchanges]
    latest = _latest_completions(exchanges, served)
    earliest: dict[int | str, int] = {}

    def waits() -> bool:
        return chance.random() < pace.waiting

    times = []
    for exchange, moment, last in zip(exchanges, served, latest, strict=True):
        connection, f = exchange.sent.connection, exchange.fetcher
        first = max(
            moment - _LONGEST_QUEUED_MS,
            earliest.get(connection, pace.begin_ms),
            earliest.get(f, pace.begin_ms),
        )
        arrival = chance.randint(first, moment) if waits() else moment
        completion = chance.randint(moment, last) if waits() else min(moment + 1, last)
        times.append(Times(arrival, completion))
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
