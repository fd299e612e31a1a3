"""Logs of behaviours as tests have them: read already, with numbers, of any clients and topics."""

from __future__ import annotations

import random
from collections.abc import Sequence
from zlib import crc32

from msgspec import structs

from lockstep_kafka.files.lines import FetchLine, TopicPartition
from lockstep_kafka.simulated.arguments import Scope
from lockstep_kafka.simulated.behaviours import Exchange
from lockstep_kafka.simulated.lines import WITH_IDS, WITH_NAMES, Line, Names, Writing, lines_of
from lockstep_kafka.simulated.times import Pace

FILE = "server.log"
BEGIN_MS = 1_795_320_000_000

_TOPICS = {WITH_NAMES: "orders", WITH_IDS: "AAAAAAAAAAAAAAAAAAAAAQ"}


def names(scope: Scope, version: int) -> Names:
    """Names for the parts of a scope."""
    return Names(
        "10.0.0.1:9092",
        {p: TopicPartition(_TOPICS[version], place) for place, p in enumerate(scope.partitions)},
        {f: f for f in scope.fetchers},
        dict.fromkeys(scope.followers, 2),
    )


def some_writing(scope: Scope, exchanges: Sequence[Exchange], chance: random.Random) -> Writing:
    """Any that fits some exchanges."""
    sessions = max(
        (max(exchange.session, exchange.response_session) for exchange in exchanges), default=0
    )
    version = chance.choice((WITH_NAMES, WITH_IDS))
    return Writing(
        version=version,
        offsets=_offsets(scope.max_offset + 1, chance),
        sessions=chance.sample(range(1, 2**31), sessions),
        correlations={
            f: chance.choice((0, 1_000, 2**31 - chance.randint(1, 30))) for f in scope.fetchers
        },
        pace=Pace(BEGIN_MS, (0, chance.choice((2, 20, 400))), 0.3),
        names=names(scope, version),
    )


def _offsets(count: int, chance: random.Random) -> tuple[int, ...]:
    width = chance.choice((count, 2 * count, 2**40, 2**62))
    first = chance.choice((0, 0, chance.randrange(2**63 - width), 2**63 - width))
    return tuple(first + offset for offset in sorted(chance.sample(range(width), count)))


def write(exchanges: Sequence[Exchange], writing: Writing, chance: random.Random) -> list[Line]:
    """The log of some exchanges, in the order in which its lines stand; they count from 1."""
    return [
        structs.replace(
            line,
            line=number,
            file=FILE,
            fingerprint=crc32(repr(line).encode())
            if isinstance(line, FetchLine)
            else line.fingerprint,
        )
        for number, line in enumerate(lines_of(exchanges, writing, chance), start=1)
    ]
