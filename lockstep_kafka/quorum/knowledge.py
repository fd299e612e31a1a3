"""What the log of a node has shown so far of its metadata quorum."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from msgspec import Struct, field

from lockstep_kafka.files.lines import TopicPartition
from lockstep_kafka.findings import Place
from lockstep_kafka.quorum.snapshot_cases import Chunk

_MOST_CONNECTIONS, _MOST_DOWNLOADS, _MOST_SIZES = 10_000, 1_000, 1_000

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class SnapshotId(NamedTuple):
    """A snapshot, or how far a log goes; its text is that of Kafka's tools."""

    end_offset: int
    epoch: int

    def __str__(self) -> str:
        return f"({self.end_offset}, {self.epoch})"


class Fetching(NamedTuple):
    """Who fetches a snapshot of a partition: a replica, and its directory where that is told."""

    partition: TopicPartition
    replica_id: int
    directory_id: str


class SizeOf(NamedTuple):
    """What has one size: a snapshot that a leader has in one of its epochs."""

    partition: TopicPartition
    leader_epoch: int
    id: SnapshotId


class Asked(Struct, array_like=True):
    """The last request of a download."""

    connection: str
    at: Place
    id: SnapshotId
    chunk: Chunk


class Size(Struct, array_like=True):
    """The size that a snapshot was told to have, and where."""

    size: int
    at: Place
    run: int


class QuorumConnection(Struct, array_like=True):
    """A connection that brought a request of the quorum."""

    correlation_id: int
    """That of its last request, of whichever API."""
    has_hole: bool = False
    """Whether ids are missing since its last request that was followed here. A client that counts
    the requests on all of its connections leaves out some; so lines may be missing, or not."""
    named: SnapshotId | None = None
    """The snapshot that its last Fetch was answered with."""


class Quorum(Struct, array_like=True):
    """What is known of a node. All of it is bounded: what is oldest is forgotten first."""

    run: int = 0
    """How often the node was seen to start anew. What it knew before may have been lost with its
    disk."""
    connections: dict[str, QuorumConnection] = field(default_factory=dict)
    downloads: dict[Fetching, Asked] = field(default_factory=dict)
    sizes: dict[SizeOf, Size] = field(default_factory=dict)

    def connection(self, name: str, correlation_id: int) -> QuorumConnection:
        """The connection of a request that is followed; `passed` was told of those before it."""
        connection = self.connections.get(name)
        if connection is None:
            connection = QuorumConnection(correlation_id - 1)
            keep(self.connections, name, connection, _MOST_CONNECTIONS)
        connection.has_hole |= correlation_id != connection.correlation_id + 1
        connection.correlation_id = correlation_id
        return connection

    def passed(self, name: str, correlation_id: int) -> None:
        """A request went by that is none of the quorum."""
        if name in self.connections:
            self.connection(name, correlation_id)

    def asked(self, fetching: Fetching, asked: Asked) -> None:
        """A follower has asked for a part of a snapshot."""
        keep(self.downloads, fetching, asked, _MOST_DOWNLOADS)

    def has_size(self, of: SizeOf, size: int, at: Place) -> None:
        """A snapshot was told to have a size."""
        keep(self.sizes, of, Size(size, at, self.run), _MOST_SIZES)


def keep(known: dict[_Key, _Value], key: _Key, value: _Value, most: int) -> None:
    """Know one thing more, and the oldest one no longer where that is too much."""
    known.pop(key, None)
    known[key] = value
    if len(known) > most:
        del known[next(iter(known))]
