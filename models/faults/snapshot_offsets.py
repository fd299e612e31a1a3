"""Mistakes with KIP-630's offsets."""

from lockstep import fault, require
from models.snapshot_offsets import (
    Offset,
    SnapshotOffsets,
    advance_high_watermark,
    followed_log_start,
    generated_end,
    latest,
    may_delete,
    reset_log,
    truncate,
)


@fault(replaces=truncate, breaks="offsets_are_in_order")
def truncates_committed_records(s: SnapshotOffsets, new: SnapshotOffsets, to: Offset):
    """A follower truncates wherever its leader says."""
    require(not s.unapplied and s.log_start <= to and to < s.log_end)
    new.log_end = to


@fault(replaces=generated_end, breaks="snapshots_end_by_the_high_watermark")
def generates_up_to_the_log_end(s: SnapshotOffsets):
    """Records that are not committed are in the snapshot."""
    return s.log_end


@fault(replaces=followed_log_start, breaks="log_above_zero_has_a_snapshot")
def follows_without_a_snapshot(s: SnapshotOffsets, leaders):
    """A follower's log starts where the leader's does, as far as it may, snapshot or not."""
    return min(leaders, s.high_watermark)


@fault(replaces=reset_log, breaks="fetched_snapshot_replaces_the_log")
def resets_the_end_alone(s: SnapshotOffsets, new: SnapshotOffsets):
    """The log goes on after the snapshot, and still starts where it did."""
    require(s.unapplied)
    new.high_watermark = latest(s)
    new.log_end = latest(s)
    new.unapplied = False


@fault(replaces=may_delete, breaks="deletes_only_below_the_log_start")
def deletes_at_the_log_start(s: SnapshotOffsets, end):
    """The snapshot that the log starts from goes with the others."""
    return end <= s.log_start


@fault(replaces=advance_high_watermark, breaks="offsets_never_move_back")
def takes_any_high_watermark(s: SnapshotOffsets, new: SnapshotOffsets, to: Offset):
    """What the leader tells is taken, even if it is older than what is known."""
    require(not s.unapplied and to != s.high_watermark and to <= s.log_end)
    require(s.log_start <= to and latest(s) <= to)
    new.high_watermark = to
