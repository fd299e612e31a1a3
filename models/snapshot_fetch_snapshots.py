"""Snapshots come, and the log before them goes (KIP-630, Changes to Log Start Offset)."""

from lockstep import action, require
from models.snapshot_fetch_state import (
    CLEANS_BY_RETENTION,
    FOOTER,
    GENERATORS,
    LAGGING_STATE_MACHINES,
    Replica,
    SnapshotFetch,
    kept,
    latest,
    log_end,
    records,
)
from models.snapshot_id import Offset


@action
def generate_snapshot(s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset):
    """The state machine has written down the state after some committed records."""
    require(r in GENERATORS and latest(s, r) < end and end <= s.high_watermark[r])
    require(s.log_start[r] <= end)
    require(LAGGING_STATE_MACHINES or end == s.high_watermark[r])
    new.snapshots[r][end] = records(s, r)[:end] + (FOOTER,)


@action
def age(s: SnapshotFetch, new: SnapshotFetch, end: Offset):
    """The lag time has passed since some snapshot was generated; those before it are older."""
    require(not CLEANS_BY_RETENTION and s.aged < end)
    require(any(s.snapshots[r][end] is not None for r in Replica))
    new.aged = end


def reached(s: SnapshotFetch, leader, r):
    """How far a leader knows that a replica has come."""
    if r == leader:
        return log_end(s, leader)
    if s.fetched[r].leader_epoch == s.epoch[leader]:
        return s.fetched[r].offset
    return 0


def is_live(s: SnapshotFetch, leader, r):
    """Whether a leader has heard of a replica: it has fetched in the leader's epoch (630-D11)."""
    return s.fetched[r].leader_epoch == s.epoch[leader]


def all_have(s: SnapshotFetch, leader, end):
    """Whether all live replicas have what is before an offset, as far as a leader knows."""
    return all(reached(s, leader, r) >= end or not is_live(s, leader, r) for r in Replica)


def ends_second(s: SnapshotFetch, r, end):
    """Only one of a replica's snapshots ends before another: it is the one that is cleaned away as
    soon as it is too old, or there is too much (630-D10)."""
    return sum(1 for x in Offset if x < end and s.snapshots[r][x] is not None) == 1


def may_start_at(s: SnapshotFetch, r, end):
    """When the records before a snapshot's end may go (630-D11)."""
    if CLEANS_BY_RETENTION:
        return ends_second(s, r, end)
    return r in s.leading and (end <= s.aged or all_have(s, r, end))


@action
def advance_log_start(s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset):
    """A replica drops the records that a snapshot stands for, and the snapshots before it: a leader
    once others have them or they are old; with retention, any replica that has too much."""
    require(s.log_start[r] < end and s.snapshots[r][end] is not None)
    require(may_start_at(s, r, end))
    new.log_start[r] = end
    new.log[r] = s.log[r][max(0, end - s.log_start[r]) :]
    new.snapshots[r] = kept(s.snapshots[r], end)
