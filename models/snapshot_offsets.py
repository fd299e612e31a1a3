"""KIP-630's offsets alone: where a replica's log starts and ends, and where its snapshots do.

What records and files hold, epochs and crashes are in snapshot_log and snapshot_fetch. Here is only
what offsets say of each other, so that it can be proved for all that 64 bits can hold.
"""

from lockstep import Constant, Domain, Map, OneOf, Range, State, action, require

PLACES: Constant = ("one", "two")
"""As many snapshots as a replica keeps at most."""

MAX_OFFSET: Constant = 4

Place: Domain = OneOf(PLACES, interchangeable=True)
Offset: Domain = Range(0, MAX_OFFSET)


class SnapshotOffsets(State):
    log_start: Offset = 0
    high_watermark: Offset = 0
    log_end: Offset = 0
    snapshots: Map[Place, Offset | None] = {p: None for p in Place}
    # A snapshot was fetched that ends beyond the log, and the log is not reset to it yet.
    unapplied: bool = False


def latest(s: SnapshotOffsets):
    """Where the latest snapshot ends; 0 without one."""
    return max((s.snapshots[p] for p in Place if s.snapshots[p] is not None), default=0)


@action
def move_log_end(s: SnapshotOffsets, new: SnapshotOffsets, to: Offset):
    """Records arrive; or those go that a new leader does not have. Committed ones it has."""
    require(not s.unapplied and s.high_watermark <= to and to != s.log_end)
    new.log_end = to


@action
def advance_high_watermark(s: SnapshotOffsets, new: SnapshotOffsets, to: Offset):
    """Records are known to be committed."""
    require(not s.unapplied and s.high_watermark < to and to <= s.log_end)
    new.high_watermark = to


@action
def generate_snapshot(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """The state machine writes its state down."""
    require(not s.unapplied and s.snapshots[p] is None and s.high_watermark > latest(s))
    new.snapshots[p] = s.high_watermark


@action
def fetch_snapshot(s: SnapshotOffsets, new: SnapshotOffsets, p: Place, end: Offset):
    """The leader's log starts beyond this one's end: its snapshot is here instead."""
    require(not s.unapplied and s.snapshots[p] is None and end > s.log_end)
    new.snapshots[p] = end
    new.unapplied = True


@action
def reset_log(s: SnapshotOffsets, new: SnapshotOffsets):
    """The log begins again where the fetched snapshot ends."""
    require(s.unapplied)
    new.log_start = latest(s)
    new.high_watermark = latest(s)
    new.log_end = latest(s)
    new.unapplied = False


def allowed_log_start(s: SnapshotOffsets, leaders):
    """The lesser of the leader's log start offset and the end of the latest own snapshot."""
    return min(leaders, latest(s))


@action
def advance_log_start(s: SnapshotOffsets, new: SnapshotOffsets, leaders: Offset):
    """A follower hears where its leader's log starts; or a leader's log starts where one of its
    snapshots ends, which is no later than its latest one."""
    require(not s.unapplied and allowed_log_start(s, leaders) > s.log_start)
    new.log_start = allowed_log_start(s, leaders)


@action
def delete_snapshot(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """A snapshot that ends below the log's start goes."""
    require(s.snapshots[p] is not None and s.snapshots[p] < s.log_start)
    new.snapshots[p] = None
