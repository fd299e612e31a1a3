"""What lines of a request log say: requests, and lines that are none."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from lockstep_kafka.findings import LATE, UNFINISHED, FileFinding, LineFinding, Place


class TopicPartition(NamedTuple):
    """A partition of a topic; its text is `name-0`."""

    topic: str
    """The topic's name up to Fetch version 12, its id (22 characters of base64url) from 13 on."""
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class RequestedPartition(Struct, frozen=True, gc=False, array_like=True):
    """What a fetcher asks of one partition; -1 where the fetcher, or the version, says nothing."""

    fetch_offset: int
    log_start_offset: int
    """The first offset that the follower holds; consumers send -1. Since version 5."""
    max_bytes: int
    leader_epoch: int
    """The leader epoch that the fetcher believes in. Since version 9."""
    last_fetched_epoch: int
    """The leader epoch of the last record that the fetcher holds. Since version 12."""


class RaftAnswer(Struct, frozen=True, gc=False, array_like=True):
    """What a replica of the metadata quorum adds to its answer to a Fetch. Since version 12."""

    leader_id: int
    """Who leads, as far as the replica knows; -1 for nobody."""
    leader_epoch: int
    """The replica's epoch; -1 where it is not there."""
    end_offset: int
    end_epoch: int
    """The snapshot to fetch instead; -1 and -1 for none."""


class AnsweredPartition(Struct, frozen=True, gc=False, array_like=True):
    """What the leader reports of one partition; offsets are -1 where it reports nothing."""

    error_code: int
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    """The first offset that the leader holds. Since version 5."""
    records_size: int | None
    """Bytes of records sent, 0 when none were; None when the log does not say."""
    preferred_read_replica: int
    """The broker to fetch from next, or -1. Since version 11."""
    has_diverging_epoch: bool
    """Whether the leader asks the fetcher to truncate its log. Since version 12."""
    has_snapshot_id: bool = False
    """Whether the leader asks the fetcher to fetch a snapshot instead. Since version 12."""
    raft: RaftAnswer | None = None
    """None where the answer names neither a leader nor a snapshot."""


class FetchLine(Struct, frozen=True, gc=False, array_like=True, tag="fetch"):
    """A Fetch request that was answered: one line of the request log.

    Integers are as wide as in the protocol: ids, epochs and sizes 32 bits, offsets 64, error
    codes 16.
    """

    line: int
    """Counted from 1."""
    file: str
    time_ms: int | None
    """When the line was written, in milliseconds since 1970; None when its prefix has no time.

    A date without a time zone is taken for UTC, so such times are right relative to one another,
    except across a change to or from summer time.
    """
    version: int
    """The version of the Fetch API, 4 to 18."""
    correlation_id: int
    client_id: str
    """Empty when the client gave none."""
    connection: str
    """The broker's name for the connection: both addresses and a running number."""
    replica_id: int
    """The broker or controller that fetches; -1 for a consumer."""
    session_id: int
    """The session that the request names; 0 for none, and below version 7."""
    session_epoch: int
    """The request's place in its session; 0 and -1 ask for a full fetch. -1 below version 7."""
    partitions: dict[TopicPartition, RequestedPartition]
    """In the order of the request."""
    forgotten: tuple[TopicPartition, ...]
    """The partitions to drop from the session. Since version 7."""
    max_wait_ms: int
    min_bytes: int
    error_code: int
    """Of the whole response. Since version 7."""
    response_session_id: int
    """The session that the response belongs to; 0 for none, and below version 7."""
    throttle_time_ms: int
    answered: dict[TopicPartition, AnsweredPartition]
    """In the order of the response."""
    isolation_level: int = 0
    """0 reads uncommitted records, 1 only those of committed transactions."""
    total_time_ms: float = 0.0
    """From the request's arrival to the end of its response; 0.0 when the log does not say."""
    fingerprint: int = 0
    """A check sum of the line's JSON; 0 when it is not known."""
    moved: bool = False
    """Whether a later followed request of its connection stands before it in the log."""
    answered_twice: tuple[TopicPartition, ...] = ()
    """The partitions that the response has more than once; `answered` has the last answer."""
    software_name: str = ""
    """What the client calls itself (KIP-511); `unknown`, or empty, where it did not say."""
    software_version: str = ""

    @property
    def software(self) -> str:
        """The client's software and its version; empty where the client did not say."""
        return software(self.software_name, self.software_version)

    @property
    def is_follower(self) -> bool:
        """Whether a replica sent the request; consumers have negative replica ids."""
        return self.replica_id >= 0

    @property
    def asks_for_all(self) -> bool:
        """Whether it is a full request; one with any other epoch is taken for incremental."""
        return self.session_epoch in (0, -1)

    @property
    def arrival_ms(self) -> float | None:
        """When the broker received the request; None when the line has no time."""
        return None if self.time_ms is None else self.time_ms - self.total_time_ms


def software(name: str, version: str) -> str:
    """A client's software and its version; empty where the client did not say."""
    return "" if name in ("", "unknown") else f"{name} {version}"


class Reason(Enum):
    """Why a line is not used."""

    TRUNCATED = "truncated"
    """The line ends before it is complete, or another request's line begins within it."""
    UNFINISHED = UNFINISHED
    """The same of the last line of a file, with which a file ends that is still written."""
    FOREIGN = "foreign"
    """Not a line of the request log."""
    MALFORMED = "malformed"
    """A completed request, but not as Kafka writes it, or of a version that is not known here."""
    REPEATED = "repeated"
    """The same request with the same JSON stands shortly before: the log was delivered twice."""
    LATE = LATE
    """A later request of its connection was given out already, so its place has passed."""
    UNREADABLE = "unreadable"
    """The file cannot be opened, or cannot be read on from here."""


class OtherRequest(Struct, frozen=True, gc=False, array_like=True, tag="other"):
    """A completed request of an API that is not followed."""

    line: int
    """Counted from 1."""
    file: str
    api: str
    """Kafka's name for the API, such as `PRODUCE`; printable."""
    connection: str
    correlation_id: int
    client_id: str
    """Empty when the client gave none."""
    time_ms: int | None
    """When the line was written, as in a `FetchLine`."""
    total_time_ms: float
    """From the request's arrival to the end of its response; 0.0 when the log does not say."""
    fingerprint: int = 0
    """A check sum of the line's JSON; 0 when it is not known."""


class QuorumAsked(Struct, frozen=True, gc=False, array_like=True):
    """What a request of the metadata quorum says of a partition; -1 where its API says nothing."""

    epoch: int
    """The sender's; a candidate's is that in which it asks for votes."""
    replica_id: int
    """Who asks for a snapshot or a vote, or who leads."""
    directory_id: str = ""
    """That of this replica; empty where it is not there."""
    end_offset: int = -1
    end_epoch: int = -1
    """The id of the snapshot that is wanted, or how far the log of a candidate goes."""
    position: int = -1
    """Of the first byte that is wanted, from 0."""
    is_pre_vote: bool = False
    """Whether the vote would count for nothing yet (KIP-996). Since version 2 of Vote."""


class QuorumAnswer(Struct, frozen=True, gc=False, array_like=True):
    """What is answered of a partition; -1 where the API says nothing."""

    error_code: int
    leader_id: int
    """Who leads, as far as the receiver knows; -1 for nobody."""
    leader_epoch: int
    """The receiver's; -1 where it is not there."""
    end_offset: int = -1
    end_epoch: int = -1
    """The id of the snapshot that the bytes are of."""
    size: int = -1
    """Of the whole snapshot, in bytes."""
    position: int = -1
    """Of the first byte that is sent. How many are sent is not in the log."""
    is_granted: bool = False
    """Whether a candidate is given the vote."""


class QuorumApi(Enum):
    """The requests by which replicas elect leaders and fetch snapshots, with Kafka's numbers."""

    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    FETCH_SNAPSHOT = 59


class QuorumLine(Struct, frozen=True, gc=False, array_like=True, tag="quorum"):
    """A request of the metadata quorum other than Fetch, and its answer."""

    line: int
    """Counted from 1."""
    file: str
    time_ms: int | None
    """When the line was written, as in a `FetchLine`."""
    api: QuorumApi
    version: int
    correlation_id: int
    client_id: str
    """Empty when the client gave none."""
    connection: str
    max_bytes: int
    """The most bytes that FetchSnapshot wants of all partitions; -1 for the other APIs."""
    partitions: dict[TopicPartition, QuorumAsked]
    """In the order of the request. Topics have names."""
    error_code: int
    """Of the whole response."""
    answered: dict[TopicPartition, QuorumAnswer]
    """In the order of the response; of a partition that is answered twice, the last answer."""
    total_time_ms: float = 0.0
    """From the request's arrival to the end of its response; 0.0 when the log does not say."""
    fingerprint: int = 0
    """A check sum of the line's JSON; 0 when it is not known."""
    moved: bool = False
    """Whether a later followed request of its connection stands before it in the log."""
    software_name: str = ""
    software_version: str = ""

    @property
    def software(self) -> str:
        """As of a `FetchLine`."""
        return software(self.software_name, self.software_version)


class Skipped(Struct, frozen=True, gc=False):
    """A line that is not used."""

    line: int
    """Counted from 1."""
    file: str
    reason: Reason
    detail: str
    """Printable. For MALFORMED the path of the field and its value, or what is wrong with the
    JSON."""
    connection: str = ""
    """Of the request, for REPEATED and LATE; empty otherwise."""
    correlation_id: int | None = None
    """Of the request, for REPEATED and LATE; None otherwise."""


FollowedLine: TypeAlias = FetchLine | QuorumLine
"""A request that is followed; those of one connection come in the order of their ids."""

Request: TypeAlias = FetchLine | QuorumLine | OtherRequest
"""A completed request."""

LogLine: TypeAlias = FetchLine | QuorumLine | OtherRequest | Skipped
"""What a line of a request log gives."""


_LOSSES = (Reason.TRUNCATED, Reason.UNFINISHED, Reason.MALFORMED, Reason.LATE)


def finding_of(line: Skipped) -> LineFinding | FileFinding:
    """The finding of a line, or of its file where that cannot be read on."""
    if line.reason is Reason.UNREADABLE:
        return FileFinding(line.file, line.detail)
    return LineFinding(
        Place(line.file, line.line),
        line.reason.value,
        line.detail,
        is_loss=line.reason in _LOSSES,
    )
