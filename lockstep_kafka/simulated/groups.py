"""Which fetchers of a broker fetch which of its partitions.

Fetchers that share a partition share what its leader reports, so a behaviour has all of them. A
broker's fetchers are therefore put into groups with partitions of their own: behaviours of the
groups, side by side, are a behaviour of the broker.
"""

from __future__ import annotations

import random
from base64 import urlsafe_b64encode
from dataclasses import dataclass

from lockstep_kafka.files.lines import TopicPartition
from lockstep_kafka.simulated.arguments import Scope
from lockstep_kafka.simulated.kafka_json import VERSIONS
from lockstep_kafka.simulated.lines import WITH_NAMES
from lockstep_kafka.simulated.simulation import Simulation

_CLIENTS, _PARTITIONS = 3, 4
"""How many fetchers and partitions a group has, where there are enough."""

_EVERY_FOLLOWER = 4
"""Of so many fetchers one is a follower, where there are other brokers to follow."""

_TOPICS = ("orders", "payments", "clicks", "invoices", "audit", "stock")
_CONSUMERS = ("billing", "shipping", "search", "reports", "fraud", "mail")

MAX_OFFSET = 2**20
"""More records than arrive within a behaviour."""

_MANY = 2**20
"""Disturbances and failures that no behaviour reaches."""


@dataclass(frozen=True)
class Group:
    """Some fetchers of a broker, and the partitions that they share.

    `clients` are the client ids of the fetchers in `scope`, `replicas` the broker ids of the
    followers among them.
    """

    number: int
    scope: Scope
    version: int
    partitions: dict[str, TopicPartition]
    clients: dict[str, str]
    replicas: dict[str, int]


def groups_of(simulation: Simulation) -> list[Group]:
    """The groups of a broker; every fetcher and partition is in one of them."""
    clients, partitions = simulation.clients, simulation.partitions
    count = max(1, min(clients // _CLIENTS, partitions // _PARTITIONS))
    return [
        _group(
            simulation,
            number,
            range(number, clients, count),
            len(range(number, partitions, count)),
        )
        for number in range(count)
    ]


def _group(simulation: Simulation, number: int, clients: range, partitions: int) -> Group:
    chance = random.Random(f"{simulation.seed} {simulation.broker} group {number}")
    broker, brokers = simulation.broker, simulation.brokers
    version = chance.choice(VERSIONS)
    topic = f"{_TOPICS[number % len(_TOPICS)]}-{broker}-{number}"
    if version > WITH_NAMES:
        topic = urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")
    names, replicas = dict[str, str](), dict[str, int]()
    for place, client in enumerate(clients):
        if brokers > 1 and client % _EVERY_FOLLOWER == _EVERY_FOLLOWER - 1:
            replica = (broker + client // _EVERY_FOLLOWER % (brokers - 1)) % brokers + 1
            replicas[f"f{place}"] = replica
            names[f"f{place}"] = f"broker-{replica}-fetcher-{client // _EVERY_FOLLOWER}"
        else:
            names[f"f{place}"] = f"{_CONSUMERS[client % len(_CONSUMERS)]}-{broker}-{client}"
    scope = Scope(
        partitions=tuple(f"p{place}" for place in range(partitions)),
        fetchers=tuple(names),
        followers=tuple(replicas),
        max_offset=MAX_OFFSET,
        disturbances=_MANY,
        failures=_MANY,
        session_ids=tuple(range(1, 2 * len(names) + 3)),
        # They would leave a few sessions unknown.
        has_nameless_strays=False,
    )
    named = {p: TopicPartition(topic, place) for place, p in enumerate(scope.partitions)}
    return Group(number, scope, version, named, names, replicas)
