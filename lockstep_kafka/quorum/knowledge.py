"""What the log of a node has shown so far of its metadata quorum."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from msgspec import Struct, field

from lockstep_kafka.files.lines import TopicPartition
from lockstep_kafka.files.snapshot_name import SnapshotId
from lockstep_kafka.findings import Place
from lockstep_kafka.quorum.snapshot_cases import Chunk

_MOST_CONNECTIONS, _MOST_DOWNLOADS, _MOST_SIZES, _MOST_EPOCHS = 10_000, 1_000, 1_000, 1_000

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Fetching(NamedTuple):
    """Who fetches a snapshot of a partition: a replica, and its directory where that is known."""

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
    """The size that an answer gave a snapshot, and where."""

    size: int
    at: Place
    run: int


class Line(Struct, array_like=True):
    """A line of the log, and when it was written."""

    at: Place
    time_ms: int | None

    def is_before(self, other: Line) -> bool:
        """Whether it stands before another one of its file, and no time says otherwise."""
        return (
            self.at.file == other.at.file
            and self.at.line < other.at.line
            and (self.time_ms is None or other.time_ms is None or self.time_ms <= other.time_ms)
        )


class Seen(Struct, array_like=True):
    """An epoch, and the line that shows it."""

    epoch: int
    line: Line

    @property
    def at(self) -> Place:
        """Where that line stands."""
        return self.line.at


class Held(Struct, array_like=True):
    """Who leads an epoch, or is given a vote in it, and the line that shows it."""

    replica_id: int
    at: Place
    run: int
    directory_id: str = ""

    def is_of(self, replica_id: int, directory_id: str) -> bool:
        """Whether it is this replica; one with another directory is another (KIP-853)."""
        return (self.replica_id, self.directory_id) == (replica_id, directory_id)


class QuorumConnection(Struct, array_like=True):
    """A connection that brought a request of the quorum."""

    first: Line
    last: Line
    """Its first and its last line that was followed here."""
    correlation_id: int
    """That of its last request, of whichever API."""
    has_hole: bool = False
    """Whether ids are missing since its last request that was followed here. A client that counts
    the requests on all of its connections leaves out some; so lines may be missing, or not."""
    named: SnapshotId | None = None
    """The snapshot that its last Fetch was answered with."""
    download: Asked | None = None
    """Its last request, where that asked for a part of a snapshot."""
    asked: Seen | None = None
    """The epoch of its sender, by its last request."""
    answered: Seen | None = None
    """The epoch of the node, by its last answer here."""


class Quorum(Struct, array_like=True):
    """What is known of a node. All of it is bounded: what is oldest is forgotten first."""

    run: int = 0
    """How often the node was seen to start again. What it knew before may have been lost with its
    disk."""
    connections: dict[str, QuorumConnection] = field(default_factory=dict)
    downloads: dict[Fetching, Asked] = field(default_factory=dict)
    sizes: dict[SizeOf, Size] = field(default_factory=dict)
    newest: Seen | None = None
    """The greatest epoch that the node was in since it started."""
    log_end: SnapshotId | None = None
    """How far the node's log goes at least, as it showed when it led: by epoch, then by offset."""
    leaders: dict[int, Held] = field(default_factory=dict)
    """Whom the node took for the leader of an epoch."""
    claims: dict[int, Held] = field(default_factory=dict)
    """Who said that it leads an epoch."""
    votes: dict[int, Held] = field(default_factory=dict)
    """To whom the node gave its vote in an epoch."""
    unordered: tuple[str, ...] = ()
    """The last files that were seen not to be in the order of their writing."""

    def start_again(self) -> None:
        """The node was seen to start again."""
        self.run += 1
        self.newest = self.log_end = None

    def connection(self, name: str, correlation_id: int, line: Line) -> QuorumConnection:
        """The connection of a request that is followed; `passed` has taken those before it."""
        connection = self.connections.get(name)
        if connection is None:
            connection = QuorumConnection(line, line, correlation_id - 1)
            keep(self.connections, name, connection, _MOST_CONNECTIONS)
        self.passed(name, correlation_id)
        return connection

    def passed(self, name: str, correlation_id: int) -> None:
        """A request went by, which may be none of the quorum."""
        connection = self.connections.get(name)
        if connection is not None:
            connection.has_hole |= correlation_id != connection.correlation_id + 1
            connection.correlation_id = correlation_id

    def asked(self, fetching: Fetching, asked: Asked) -> None:
        """A follower has asked for a part of a snapshot."""
        keep(self.downloads, fetching, asked, _MOST_DOWNLOADS)

    def hold(
        self, known: dict[int, Held], epoch: int, replica_id: int, at: Place, directory_id: str = ""
    ) -> None:
        """Know among `leaders`, `claims` or `votes` who leads an epoch, or is given the vote."""
        keep(known, epoch, Held(replica_id, at, self.run, directory_id), _MOST_EPOCHS)

    def has_size(self, of: SizeOf, size: int, at: Place) -> None:
        """An answer gave a snapshot a size."""
        keep(self.sizes, of, Size(size, at, self.run), _MOST_SIZES)


def keep(known: dict[_Key, _Value], key: _Key, value: _Value, most: int) -> None:
    """Know one thing more, and the oldest one no longer where that is too much."""
    known.pop(key, None)
    known[key] = value
    if len(known) > most:
        del known[next(iter(known))]
