"""What a replica has, in the words of the claims: none of this asks the model (KIP-630)."""

from models.snapshot_fetch_state import SnapshotFetch
from models.snapshot_id import Epoch, Offset


def end_of(s: SnapshotFetch, r):
    """Where a log ends."""
    return s.log_start[r] + len(s.log[r])


def newest_snapshot(s: SnapshotFetch, r):
    """Where the last of a replica's snapshots ends; 0 without any."""
    return max((x for x in Offset if s.snapshots[r][x] is not None), default=0)


def everything(s: SnapshotFetch, r):
    """The epochs of all records: those of the newest snapshot up to where the log starts, and then
    those of the log."""
    newest = s.snapshots[r][newest_snapshot(s, r)]
    return s.log[r] if newest is None else newest[: s.log_start[r]] + s.log[r]


def last_epoch(s: SnapshotFetch, r):
    """The epoch of the last record, in the log or below; 0 without any."""
    return everything(s, r)[-1] if len(everything(s, r)) > 0 else 0


def is_in_the_newest_epoch(s: SnapshotFetch, r):
    """Nobody was elected in a later epoch than the one that a replica knows."""
    return all(s.elected[e] is None for e in Epoch if e > s.epoch[r])


def is_prefix(one, other):
    return one == other[: len(one)]


def lost_its_disk(s: SnapshotFetch, new: SnapshotFetch, r):
    return r in new.wiped and r not in s.wiped


def something_failed(s: SnapshotFetch, new: SnapshotFetch):
    return new.disturbances != s.disturbances or new.wiped != s.wiped


def raised_its_log_start(s: SnapshotFetch, new: SnapshotFetch, r):
    return new.log_start[r] > s.log_start[r]


def was_truncated(s: SnapshotFetch, new: SnapshotFetch, r):
    """A replica lost the end of its log, and neither its disk nor the log to a snapshot."""
    return (
        not lost_its_disk(s, new, r)
        and new.log_start[r] == s.log_start[r]
        and end_of(new, r) < end_of(s, r)
    )
