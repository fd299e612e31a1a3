"""A leader that answers a fetch at once whose sender knows less to be committed than itself.

So KIP-1166 has it, and Apache Kafka from 4.1 on: the request names the high watermark that the
replica knows, and what waits is looked at again when the leader's moves.
"""

from lockstep import present, replaces, require
from models.snapshot_fetch_replication import (
    agrees,
    fetch_nothing,
    follow,
    known_high_watermark,
    may_fetch,
    wait_for_records,
)
from models.snapshot_fetch_state import (
    FETCHES_WAIT,
    Replica,
    SnapshotFetch,
    leader_of,
    log_end,
    log_end_id,
)


def knows_less(s: SnapshotFetch, r, leader):
    """A replica knows less to be committed than its leader, once that has taken in its fetch."""
    return s.high_watermark[r] < known_high_watermark(s, leader, r)


@replaces(fetch_nothing)
def fetch_high_watermark(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The fetcher has all that the leader has, but does not know how much of it is committed."""
    require(may_fetch(s, r))
    leader = present(leader_of(s, r))
    require(not FETCHES_WAIT or knows_less(s, r, leader))
    require(agrees(s, leader, log_end_id(s, r)) and log_end(s, r) == log_end(s, leader))
    follow(s, new, leader, r, s.log[r])


@replaces(wait_for_records)
def wait_for_news(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The fetcher has all that the leader has, and knows as much to be committed."""
    leader = present(leader_of(s, r))
    require(not knows_less(s, r, leader))
    wait_for_records(s, new, r)
