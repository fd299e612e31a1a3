"""What a fetcher asks of a partition, what a leader answers, and what a session remembers of both.

KIP-227, "Cached data about each partition", "Incremental Fetch Requests" and "Incremental Fetch
Responses".
"""

from lockstep import Constant, Domain, Map, OneOf, Range, Record, replace

PARTITIONS: Constant = ("p1", "p2")
EMPTY: Constant = ()
"""Those of the partitions whose logs stay empty: they do not fail, and are fetched from offset 0.
A second partition that only comes and goes in a session needs no more, and few states."""

MAX_OFFSET: Constant = 1
"""The highest offset of a log: 2**63 - 1 in Kafka."""

MAX_BYTES: Constant = 0
MAX_FETCHER_LOG_START: Constant = -1
MAX_LEADER_EPOCH: Constant = -1
MAX_FETCHED_EPOCH: Constant = -1
"""The highest values of a request's other fields. At these defaults each has one value, so that
fetch offsets alone vary; scope `fields` lets the others vary instead."""

DIVERGING_EPOCHS: Constant = ()
"""Those of the last fetched epochs that are none of the leader's logs: who has records of one
has to truncate before it can read on (KIP-595, 227-D8)."""

UNKNOWN = -1

Partition: Domain = OneOf(PARTITIONS, interchangeable=True)
Offset: Domain = Range(0, MAX_OFFSET)
KnownOffset: Domain = Range(UNKNOWN, MAX_OFFSET)
FetcherLogStart: Domain = Range(UNKNOWN, MAX_FETCHER_LOG_START)
Bytes: Domain = Range(0, MAX_BYTES)
LeaderEpoch: Domain = Range(UNKNOWN, MAX_LEADER_EPOCH)
FetchedEpoch: Domain = Range(UNKNOWN, MAX_FETCHED_EPOCH)


class Interest(Record):
    """One partition of a request, its fields as in FetchRequest (227-D6, 227-D7, 227-D42)."""

    fetch_offset: Offset
    log_start_offset: FetcherLogStart  # a consumer has none: -1
    partition_max_bytes: Bytes
    current_leader_epoch: LeaderEpoch
    last_fetched_epoch: FetchedEpoch


class Answer(Record):
    """One partition of a response. `records` says whether it carries any."""

    failed: bool
    high_watermark: KnownOffset
    log_start_offset: KnownOffset
    records: bool


class Cached(Record):
    """What a session remembers of a partition: the latest interest, and what was last answered."""

    interest: Interest
    high_watermark: KnownOffset
    log_start_offset: KnownOffset


class Reported(Record):
    """What a fetcher knows of a partition: the latest answer, and whether records came since it
    last moved its fetch offset."""

    high_watermark: KnownOffset
    log_start_offset: KnownOffset
    records: bool


Interests = Map[Partition, Interest | None]
Answers = Map[Partition, Answer | None]


def nothing():
    """No partition at all."""
    return {p: None for p in Partition}


def is_fetched(p, interest):
    """Whether a fetcher may ask this: a partition that stays empty is read from its start."""
    return interest is None or p not in EMPTY or interest.fetch_offset == 0


def changed(old, wanted):
    """The partitions that an incremental request must list: added ones and altered ones."""
    return {p: wanted[p] if wanted[p] != old[p] else None for p in Partition}


def dropped(old, wanted):
    """The partitions that an incremental request must name as removed (227-D10)."""
    return {p for p in Partition if old[p] is not None and wanted[p] is None}


def remember(interest):
    """A partition that was just added to a session: nothing has been answered yet (227-D5)."""
    return Cached(interest=interest, high_watermark=UNKNOWN, log_start_offset=UNKNOWN)


def updated_interest(cached, interest):
    """A partition that a request named again: its fields are the request's from now on."""
    return replace(cached, interest=interest)


def merged_partition(cached, requested, is_forgotten):
    """What a session has of one partition once a request is taken in. One that is both removed and
    listed is of a topic made again (227-D10)."""
    if is_forgotten:
        return None if requested is None else remember(requested)
    if requested is None:
        return cached
    if cached is None:
        return remember(requested)
    return updated_interest(cached, requested)


def merged(cached, requested, forgotten):
    """A session's partitions once a request is taken in."""
    return {p: merged_partition(cached[p], requested[p], p in forgotten) for p in Partition}


def diverges(interest):
    """Whether the answer is where to truncate, and no records (227-D8)."""
    return interest.last_fetched_epoch in DIVERGING_EPOCHS


def must_answer(cached, answer):
    """Whether an incremental response includes a partition: records, an error, a place to truncate
    to, or a change of what the leader has (227-D3, 227-D4, 227-D8)."""
    return (
        answer.records
        or answer.failed
        or diverges(cached.interest)
        or answer.high_watermark != cached.high_watermark
        or answer.log_start_offset != cached.log_start_offset
    )


def answered(cached, answer):
    """A cached partition after it was answered."""
    return replace(
        cached, high_watermark=answer.high_watermark, log_start_offset=answer.log_start_offset
    )


def learned(reported, answer):
    """What a fetcher knows after an answer. Records that it has not moved past still count."""
    return Reported(
        high_watermark=answer.high_watermark,
        log_start_offset=answer.log_start_offset,
        records=answer.records or (reported is not None and reported.records),
    )


def keeps_its_place(old, wanted, reported):
    """A fetch offset moves forward only past records that came (227-D39)."""
    return wanted.fetch_offset <= old.fetch_offset or (reported is not None and reported.records)


def still_reported(old, wanted, reported):
    """What a fetcher still knows of a partition when it sends: after a move, of no records."""
    if old is None or wanted is None or reported is None:
        return None
    if old.fetch_offset == wanted.fetch_offset:
        return reported
    return replace(reported, records=False)
