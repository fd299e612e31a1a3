"""The variables of KIP-227 fetch sessions, and the messages between fetchers and leader.

Apache Kafka's names for what is here:

| here | Kafka |
|---|---|
| `sessions` | `FetchSessionCache` |
| `Session` | `FetchSession`; its `partitions` are the `partitionMap` |
| `Cached` | `CachedPartition` |
| `Request`, `Interest` | `FetchRequest`, `FetchRequest.PartitionData` |
| `Response`, `Answer` | `FetchResponse`, and its `PartitionData`; `Answers` has it by partition |
| `forgotten` | `forgotten_topics_data` |
| `Metadata` | `FetchMetadata`: `FRESH` is `FetchMetadata.INITIAL` |
| `fetching` | `FetchSessionHandler.sessionPartitions`; a request makes it `wanted` |

`stray` is a request that nobody awaits, and `via` says whether the leader serves it or the awaited
one. `filled` are the partitions of which a response has records. `answered` is what a session has
of a partition once that was answered.
"""

from enum import Enum

from lockstep import (
    Constant,
    Domain,
    Map,
    OneOf,
    Range,
    Record,
    Set,
    State,
)
from models.fetch_metadata import (
    FRESH,
    Epoch,
    Error,
    Metadata,
    OpenId,
    SessionEpoch,
    SessionId,
)
from models.fetch_partitions import (
    Answers,
    Cached,
    Interests,
    Offset,
    Partition,
    Reported,
)

FETCHERS: Constant = ("c1",)
FOLLOWERS: Constant = ()
"""Those of the fetchers that are followers: they read up to the log's end."""

ANSWERS_ANY_CHANGE: Constant = False
"""Whether a change on the fetcher's side alone has a partition answered, as one of the KIP's two
sentences has it and Apache Kafka does not (227-D3)."""

SEEKS: Constant = False
"""Whether a fetcher may ask from beyond the records that it was sent (227-D39)."""

TOPIC_IDS: Constant = False
"""Whether topics have ids (KIP-516): then one may be deleted and made again under its name, while a
session has it (227-D10), and a client may go over to ids, or back (227-D15)."""

BEGINS_AGAIN: Constant = False
"""Whether a fetcher may give its session up and begin again for reasons of its own, at any time, as
the rows of the KIP's table allow and Apache Kafka's does not (227-D43)."""

MAX_DISTURBANCES: Constant = 1
"""How often a fetcher's messages are lost, repeated or delayed, or it begins again, in one
behaviour."""

STRAYS_ARE_LOST: Constant = True
"""Whether the network may lose what it delayed or repeated. Where it may, a late request that did
nothing looks like one that was lost."""

MAX_FAILURES: Constant = 1
"""How often a partition becomes unavailable in one behaviour."""

Fetcher: Domain = OneOf(FETCHERS, interchangeable=True)
Disturbances: Domain = Range(0, MAX_DISTURBANCES)
Failures: Domain = Range(0, MAX_FAILURES)


class Via(Enum):
    """How a request reaches the leader: the one awaited, or a copy that nobody awaits."""

    AWAITED = 0
    STRAY = 1


class Request(Record):
    session_id: SessionId
    epoch: Epoch
    partitions: Interests
    forgotten: Set[Partition]


class Response(Record):
    error: Error
    session_id: SessionId
    partitions: Answers
    throttled: bool


class Session(Record):
    owner: Fetcher  # known to the reader only: the leader never looks at it
    epoch: SessionEpoch
    partitions: Map[Partition, Cached | None]


class FetchSession(State):
    # The leader's logs.
    log_start: Map[Partition, Offset] = {p: 0 for p in Partition}
    high_watermark: Map[Partition, Offset] = {p: 0 for p in Partition}
    log_end: Map[Partition, Offset] = {p: 0 for p in Partition}
    failing: Set[Partition] = set()
    failures: Failures = 0
    # The leader's session cache.
    sessions: Map[OpenId, Session | None] = {i: None for i in OpenId}
    # The network.
    request: Map[Fetcher, Request | None] = {f: None for f in Fetcher}
    stray: Map[Fetcher, Request | None] = {f: None for f in Fetcher}
    response: Map[Fetcher, Response | None] = {f: None for f in Fetcher}
    # The fetchers.
    metadata: Map[Fetcher, Metadata] = {f: FRESH for f in Fetcher}
    pending: Map[Fetcher, bool] = {f: False for f in Fetcher}
    fetching: Map[Fetcher, Interests] = {f: {p: None for p in Partition} for f in Fetcher}
    reported: Map[Fetcher, Map[Partition, Reported | None]] = {
        f: {p: None for p in Partition} for f in Fetcher
    }
    # How often a fetcher's messages were lost, repeated or delayed, or it began again.
    disturbances: Map[Fetcher, Disturbances] = {f: 0 for f in Fetcher}
