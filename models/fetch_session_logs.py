"""The leader's logs in KIP-227 fetch sessions: they change as they like."""

from lockstep import action, require
from models.fetch_partitions import EMPTY, Offset, Partition
from models.fetch_session_state import MAX_FAILURES, FetchSession


@action
def append(s: FetchSession, new: FetchSession, p: Partition, end: Offset):
    """Records arrive in the log; they are not committed yet."""
    require(p not in EMPTY and end > s.log_end[p])
    new.log_end[p] = end


@action
def advance_high_watermark(s: FetchSession, new: FetchSession, p: Partition, to: Offset):
    """Records become visible to consumers."""
    require(s.high_watermark[p] < to and to <= s.log_end[p])
    new.high_watermark[p] = to


@action
def advance_log_start(s: FetchSession, new: FetchSession, p: Partition, to: Offset):
    """Retention or DeleteRecords moves the log's start."""
    require(s.log_start[p] < to and to <= s.high_watermark[p])
    new.log_start[p] = to


@action
def fail_partition(s: FetchSession, new: FetchSession, p: Partition):
    """The partition can only be answered with an error: leadership moved, storage is offline."""
    require(p not in EMPTY and p not in s.failing and s.failures < MAX_FAILURES)
    new.failures = s.failures + 1
    new.failing = s.failing | {p}


@action
def recover_partition(s: FetchSession, new: FetchSession, p: Partition):
    """The partition can be answered again (227-D4)."""
    require(p in s.failing)
    new.failing = s.failing - {p}
