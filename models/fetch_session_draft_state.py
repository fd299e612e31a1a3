"""The variables of the earlier draft of KIP-227, and the messages between fetchers and leader.

Partitions, offsets and what is said of them are those of the accepted design, so that the two can
be compared (see docs/reviews/kip_227_draft.md).
"""

from enum import Enum

from lockstep import Constant, Domain, Map, OneOf, Range, Record, State
from models.fetch_partitions import Answers, Interest, Interests, Offset, Partition, Reported

FETCHERS: Constant = ("c1",)
FOLLOWERS: Constant = ()
"""Those of the fetchers that are followers: they read up to the log's end."""

SESSION_IDS: Constant = (1,)
"""The ids that a leader may draw. Names, not numbers."""

MAX_DISTURBANCES: Constant = 1
"""How often a fetcher gives up waiting, or its process restarts, in one behaviour."""

MAX_SEQUENCE: Constant = 3
"""The sequence number after which 1 follows here. The draft has 64 bits and no such end. At least
3: a request is the next one, the last one again, or neither."""

LEFT_OUT_STAYS_DIRTY: Constant = True
"""Whether a partition stays dirty while there is something to send back about it, as the draft
defines, or is marked only when it changes, as the draft says how (227d-D1)."""

NUMBERED_FULL_REQUESTS: Constant = True
"""Whether full requests in a session take part in its sequence numbers (227d-D2)."""

NO_SESSION = 0
NO_REQUEST = 0
"""The sequence number of who has sent none in a session."""

Fetcher: Domain = OneOf(FETCHERS, interchangeable=True)
Disturbances: Domain = Range(0, MAX_DISTURBANCES)
OpenId: Domain = OneOf(SESSION_IDS, interchangeable=True)
SessionId: Domain = OneOf((NO_SESSION, *SESSION_IDS))
SequenceNumber: Domain = Range(NO_REQUEST, MAX_SEQUENCE)


class Via(Enum):
    """How a request reaches the leader: the one awaited, or a copy that nobody awaits."""

    AWAITED = 0
    STRAY = 1


class FetchType(Enum):
    FULL_FETCH_REQUEST = 0
    INCREMENTAL_FETCH_REQUEST = 1


class Error(Enum):
    """The top-level error of a response."""

    NONE = 0
    INVALID_FETCH_SESSION = 1
    INCREMENTAL_FETCH_DENIED = 2


class LastDirty(Enum):
    """A partition's last dirty sequence number, where N is the session's number: nothing else is
    ever asked of it."""

    BEFORE = 0  # less than N
    LATEST = 1  # N
    UPCOMING = 2  # N + 1


class Request(Record):
    fetch_type: FetchType
    session_id: SessionId
    sequence: SequenceNumber
    partitions: Interests


class Response(Record):
    error: Error
    session_id: SessionId
    incremental: bool  # the flag INCREMENTAL_FETCH_RESPONSE
    incremental_ok: bool  # the flag INCREMENTAL_FETCH_OK
    partitions: Answers


class CachedPartition(Record):
    interest: Interest
    last_dirty: LastDirty


class Session(Record):
    client: Fetcher  # the client ID: for log messages and the cache, never compared
    sequence: SequenceNumber  # of the last request
    partitions: Map[Partition, CachedPartition | None]


class FetchSessionDraft(State):
    # The leader's logs.
    log_start: Map[Partition, Offset] = {p: 0 for p in Partition}
    high_watermark: Map[Partition, Offset] = {p: 0 for p in Partition}
    log_end: Map[Partition, Offset] = {p: 0 for p in Partition}
    # The leader's sessions.
    sessions: Map[OpenId, Session | None] = {i: None for i in OpenId}
    # The network: a stray request is a copy whose response nobody reads.
    request: Map[Fetcher, Request | None] = {f: None for f in Fetcher}
    stray: Map[Fetcher, Request | None] = {f: None for f in Fetcher}
    response: Map[Fetcher, Response | None] = {f: None for f in Fetcher}
    # The fetchers: their session, the last number sent in it, and the request not yet answered.
    session_id: Map[Fetcher, SessionId] = {f: NO_SESSION for f in Fetcher}
    sequence: Map[Fetcher, SequenceNumber] = {f: NO_REQUEST for f in Fetcher}
    unanswered: Map[Fetcher, Request | None] = {f: None for f in Fetcher}
    fetching: Map[Fetcher, Interests] = {f: {p: None for p in Partition} for f in Fetcher}
    reported: Map[Fetcher, Map[Partition, Reported | None]] = {
        f: {p: None for p in Partition} for f in Fetcher
    }
    # How often a fetcher gave up waiting, or its process restarted.
    disturbances: Map[Fetcher, Disturbances] = {f: 0 for f in Fetcher}


def next_number(sequence):
    return 1 if sequence == MAX_SEQUENCE else sequence + 1
