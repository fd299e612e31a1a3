"""Mistakes with KIP-630's offsets."""

from lockstep import fault, require
from models.snapshot_offsets import (
    Offset,
    Place,
    SnapshotOffsets,
    advance_high_watermark,
    allowed_log_start,
    fetch_snapshot,
    generate_snapshot,
    generated_end,
    latest,
    may_delete,
    move_log_end,
    reset_log,
)


@fault(replaces=move_log_end, breaks="offsets_are_in_order")
def truncates_committed_records(s: SnapshotOffsets, new: SnapshotOffsets, to: Offset):
    """A follower truncates wherever its leader says."""
    require(not s.unapplied and s.log_start <= to and to != s.log_end)
    new.log_end = to


@fault(replaces=generated_end, breaks="snapshots_end_by_the_high_watermark")
def generates_up_to_the_log_end(s: SnapshotOffsets):
    """Records that are not committed are in the snapshot."""
    return s.log_end


@fault(replaces=allowed_log_start, breaks="log_above_zero_has_a_snapshot")
def follows_without_a_snapshot(s: SnapshotOffsets, leaders):
    """A follower's log starts where the leader's does, as far as it may, snapshot or not."""
    return min(leaders, s.high_watermark)


@fault(replaces=reset_log, breaks="fetched_snapshot_replaces_the_log", unchanged=("log_start",))
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


@fault(replaces=generate_snapshot, breaks="snapshot_keeps_its_end")
def overwrites_an_older_snapshot(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """A new snapshot takes the place of one that is still there."""
    require(not s.unapplied and generated_end(s) > latest(s))
    new.snapshots[p] = generated_end(s)


@fault(replaces=fetch_snapshot, breaks="snapshot_keeps_its_end")
def downloads_over_an_older_snapshot(
    s: SnapshotOffsets, new: SnapshotOffsets, p: Place, end: Offset
):
    """What is downloaded takes the place of a snapshot that is still there."""
    require(not s.unapplied and end > s.log_end)
    new.snapshots[p] = end
    new.unapplied = True


@fault(replaces=move_log_end, breaks="fetched_snapshot_replaces_the_log")
def appends_while_a_snapshot_waits(s: SnapshotOffsets, new: SnapshotOffsets, to: Offset):
    """The log is fetched between the download's end and the log's reset."""
    require(s.high_watermark <= to and to != s.log_end)
    new.log_end = to


@fault(replaces=advance_high_watermark, breaks="fetched_snapshot_replaces_the_log")
def high_watermark_advances_while_a_snapshot_waits(
    s: SnapshotOffsets, new: SnapshotOffsets, to: Offset
):
    """More records are known to be committed between the download's end and the log's reset."""
    require(s.high_watermark < to and to <= s.log_end)
    new.high_watermark = to


@fault(replaces=generate_snapshot, breaks="no_two_snapshots_end_at_one_offset")
def generates_the_latest_again(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """A snapshot is generated although nothing was committed since the latest one."""
    require(not s.unapplied and s.snapshots[p] is None)
    require(latest(s) > 0 and generated_end(s) == latest(s))
    new.snapshots[p] = generated_end(s)


@fault(replaces=reset_log, breaks="fetched_snapshot_replaces_the_log")
def reset_does_not_end(s: SnapshotOffsets, new: SnapshotOffsets):
    """The log is reset, and the snapshot still waits: nothing can be fetched any more."""
    reset_log(s, new)
    new.unapplied = True


@fault(replaces=latest, breaks="snapshots_hold_a_record")
def generates_a_snapshot_of_nothing(s: SnapshotOffsets):
    """Without a snapshot even one that ends at 0 is a newer one."""
    return max((s.snapshots[p] for p in Place if s.snapshots[p] is not None), default=-1)
