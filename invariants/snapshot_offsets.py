"""What must hold of KIP-630's offsets. Ids such as 630-34 are rows of
specs/kip_630.toml, 595-15 is one of specs/kip_595.toml."""

from lockstep import invariant, sometimes, step_invariant, when
from models.snapshot_offsets import Place, SnapshotOffsets


@invariant("630-33", "630-34")
def offsets_are_in_order(s: SnapshotOffsets):
    """The log starts before it ends, and the high watermark is between."""
    return s.log_start <= s.high_watermark and s.high_watermark <= s.log_end


@invariant("630-33", "630-34")
def snapshots_end_by_the_high_watermark(s: SnapshotOffsets, p: Place):
    """No snapshot goes beyond what is known to be committed, but one that the log is to be reset
    to."""
    when(s.snapshots[p] is not None and not s.unapplied)
    return s.snapshots[p] <= s.high_watermark


@invariant("630-1")
def snapshots_hold_a_record(s: SnapshotOffsets, p: Place):
    """There is no snapshot of nothing: its id would name no record's epoch."""
    when(s.snapshots[p] is not None)
    return s.snapshots[p] > 0


@invariant("630-1")
def no_two_snapshots_end_at_one_offset(s: SnapshotOffsets, p: Place, q: Place):
    """The end offset of a snapshot names it."""
    when(p != q and s.snapshots[p] is not None)
    return s.snapshots[p] != s.snapshots[q]


@invariant("630-34")
def log_above_zero_has_a_snapshot(s: SnapshotOffsets):
    """What is below the log's start is in a snapshot."""
    when(s.log_start > 0)
    return any(s.snapshots[p] is not None and s.snapshots[p] >= s.log_start for p in Place)


@step_invariant("630-28", "630-35")
def fetched_snapshot_replaces_the_log(s: SnapshotOffsets, new: SnapshotOffsets):
    """Nothing becomes of a log that a snapshot goes beyond, but that it starts and ends, and is
    committed, where the furthest snapshot ends."""
    when(s.unapplied)
    return (
        new.unapplied
        and new.log_start == s.log_start
        and new.high_watermark == s.high_watermark
        and new.log_end == s.log_end
    ) or (
        not new.unapplied
        and new.log_start == new.log_end
        and new.high_watermark == new.log_end
        and any(s.snapshots[p] == new.log_end for p in Place)
        and all(s.snapshots[p] is None or s.snapshots[p] <= new.log_end for p in Place)
    )


@step_invariant("630-1", "630-17")
def snapshot_keeps_its_end(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """No snapshot is written over one that is still there."""
    when(s.snapshots[p] is not None and new.snapshots[p] is not None)
    return new.snapshots[p] == s.snapshots[p]


@step_invariant("630-17")
def deletes_only_below_the_log_start(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """The snapshot that the log starts from stays."""
    when(s.snapshots[p] is not None and new.snapshots[p] is None)
    return s.snapshots[p] < s.log_start


@step_invariant("595-15")
def offsets_never_move_back(s: SnapshotOffsets, new: SnapshotOffsets):
    """Neither the log's start nor the high watermark is ever less than it was."""
    return new.log_start >= s.log_start and new.high_watermark >= s.high_watermark


@sometimes("630-15")
def log_starts_between_two_snapshots(s: SnapshotOffsets):
    """A follower's log starts where its leader's does, though no snapshot of its own ends there."""
    return s.log_start > 0 and all(s.snapshots[p] != s.log_start for p in Place)
