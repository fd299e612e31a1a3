"""`kafka-raft`: the driver of Kafka's own quorum, along either model of one."""

from __future__ import annotations

from typing import ClassVar

from lockstep.drive.driver import Driver
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.raft_classes import Classes
from lockstep_kafka.drive.raft_election import ElectingQuorum
from lockstep_kafka.drive.raft_fetch import FetchingQuorum
from lockstep_kafka.drive.raft_node import RaftNode
from lockstep_kafka.drive.raft_quorum import Quorum
from lockstep_kafka.jars import RAFT_JARS


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
