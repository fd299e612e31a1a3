"""The drivers that are named on the command line: `kafka-...[:RELEASE][+DIFFERENCE]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, TypeVar

from lockstep.drive.driver import Driver
from lockstep.errors import unknown
from lockstep_kafka.drive.clients import client_of
from lockstep_kafka.drive.differences import OF_SESSIONS, OF_THE_CACHE
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.kafka_broker import KafkaBroker, KafkaBrokerAsItIs, KafkaBrokers
from lockstep_kafka.drive.kafka_client import USUAL, KafkaClient
from lockstep_kafka.drive.kafka_session_cache import KafkaSessionCache
from lockstep_kafka.drive.kafka_sessions import KafkaSessions
from lockstep_kafka.drive.leader import Leader
from lockstep_kafka.drive.raft_classes import Classes
from lockstep_kafka.drive.raft_differences import VOTERS
from lockstep_kafka.drive.raft_election import ElectingQuorum
from lockstep_kafka.drive.raft_fetch import FetchingQuorum
from lockstep_kafka.drive.raft_node import RaftNode
from lockstep_kafka.drive.raft_quorum import Quorum
from lockstep_kafka.drive.wire import codec
from lockstep_kafka.jars import NEWEST, NEWEST_BROKER, NEWEST_RAFT, RAFT_JARS

T = TypeVar("T")

_OPTIONS = re.compile(r"(:(?P<release>[^+]*))?(\+(?P<difference>.*))?")


class KafkaRaft(Driver):
    """What drives `snapshot_election` and `snapshot_fetch`, each by a class of its own.

    `make_node` makes a replica, or one that differs.
    """

    models: ClassVar = ("snapshot_election", "snapshot_fetch")

    def __init__(self, release: str, make_node: type[RaftNode] = RaftNode) -> None:
        self._classes = Classes(Jvm(release, RAFT_JARS))
        self._make_node = make_node

    def for_model(self, name: str) -> Driver:
        kind: type[Quorum] = ElectingQuorum if name == "snapshot_election" else FetchingQuorum
        return kind(self._classes, self._make_node)


def kafka_sessions(options: str) -> Driver:
    """The driver of `fetch_session`; `options` are `[:RELEASE][+DIFFERENCE]`.

    The release is the newest one where none is named. `LockstepError` where there is no such
    release or difference, and where Java, JPype or a jar cannot be had.
    """
    return _made(KafkaSessions, options, Leader, OF_SESSIONS, NEWEST)


def kafka_session_cache(options: str) -> Driver:
    """The driver of `session_cache`, with the same options."""
    return _made(KafkaSessionCache, options, Leader, OF_THE_CACHE, NEWEST)


def kafka_raft(options: str) -> Driver:
    """The driver of `snapshot_election`, with the same options, and `+as-it-is`."""
    return _made(KafkaRaft, options, RaftNode, VOTERS, NEWEST_RAFT)


def kafka_broker(options: str) -> Driver:
    """The driver of a whole broker; `options` are `[:RELEASE][+as-it-is]`.

    Instead of a release there may be `kfake`.
    """
    kinds = {"as-it-is": KafkaBrokerAsItIs}
    return _made(KafkaBrokers, options, KafkaBroker, kinds, NEWEST_BROKER)


def kafka_client(options: str) -> Driver:
    """The driver of a client in `fetch_session`; `options` are `:CLIENT[:RELEASE][+USER]`.

    `LockstepError` where there is no such client or release, or what it needs is not installed.
    """
    codec()
    client, _, user = options.partition("+")
    return KafkaClient(client_of(client), user or USUAL)


def _made(
    driver: Callable[[str, type[T]], Driver],
    options: str,
    plain: type[T],
    differences: Mapping[str, type[T]],
    newest: str,
) -> Driver:
    found = _OPTIONS.fullmatch(options)
    assert found is not None
    release, difference = found["release"] or newest, found["difference"]
    if difference is None:
        return driver(release, plain)
    if difference not in differences:
        problem = f"this driver knows no difference {difference!r}"
        raise unknown(problem, difference, differences, "there is")
    return driver(release, differences[difference])
