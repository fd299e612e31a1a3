"""Mistakes with KIP-630's offsets."""

from lockstep import edit, fault, require
from models import snapshot_offsets as offsets
from models.snapshot_offsets import Offset, Place, SnapshotOffsets, latest


@fault(breaks="offsets_are_in_order")
@edit(offsets.move_log_end, "s.high_watermark", "s.log_start")
def truncates_committed_records():
    """A follower truncates wherever its leader says."""


@fault(breaks="snapshots_end_by_the_high_watermark")
@edit(offsets.generate_snapshot, "s.high_watermark > latest(s)", "s.log_end > latest(s)")
@edit(offsets.generate_snapshot, "new.snapshots[p] = ...", "new.snapshots[p] = s.log_end")
def generates_up_to_the_log_end():
    """Records that are not committed are in the snapshot."""


@fault(breaks="log_above_zero_has_a_snapshot")
@edit(offsets.allowed_log_start, "latest(s)", "s.high_watermark")
def follows_without_a_snapshot():
    """A follower's log starts where the leader's does, as far as it may, snapshot or not."""


@fault(breaks="fetched_snapshot_replaces_the_log", unchanged=("log_start",))
@edit(offsets.reset_log, "new.log_start = ...", "")
def resets_the_end_alone():
    """The log goes on after the snapshot, and still starts where it did."""


@fault(breaks="deletes_only_below_the_log_start")
@edit(offsets.delete_snapshot, "s.snapshots[p] < s.log_start", "s.snapshots[p] <= s.log_start")
def deletes_at_the_log_start():
    """The snapshot that the log starts from goes with the others."""


@fault(replaces=offsets.advance_high_watermark, breaks="offsets_never_move_back")
def takes_any_high_watermark(s: SnapshotOffsets, new: SnapshotOffsets, to: Offset):
    """What the leader reports is taken, even if it is older than what is known."""
    require(not s.unapplied and to != s.high_watermark and to <= s.log_end)
    require(s.log_start <= to and latest(s) <= to)
    new.high_watermark = to


@fault(replaces=offsets.generate_snapshot, breaks="snapshot_keeps_its_end")
def overwrites_an_older_snapshot(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """A new snapshot takes the place of one that is still there."""
    require(not s.unapplied and s.high_watermark > latest(s))
    new.snapshots[p] = s.high_watermark


@fault(breaks="snapshot_keeps_its_end")
@edit(offsets.fetch_snapshot, "s.snapshots[p] is None", "True")
def downloads_over_an_older_snapshot():
    """What is downloaded takes the place of a snapshot that is still there."""


@fault(breaks="fetched_snapshot_replaces_the_log")
@edit(offsets.move_log_end, "not s.unapplied", "True")
def appends_while_a_snapshot_waits():
    """The log is fetched between the download's end and the log's reset."""


@fault(breaks="fetched_snapshot_replaces_the_log")
@edit(offsets.advance_high_watermark, "not s.unapplied", "True")
def high_watermark_advances_while_a_snapshot_waits():
    """More records are known to be committed between the download's end and the log's reset."""


@fault(replaces=offsets.generate_snapshot, breaks="no_two_snapshots_end_at_one_offset")
def generates_the_latest_again(s: SnapshotOffsets, new: SnapshotOffsets, p: Place):
    """A snapshot is generated although nothing was committed since the latest one."""
    require(not s.unapplied and s.snapshots[p] is None)
    require(latest(s) > 0 and s.high_watermark == latest(s))
    new.snapshots[p] = s.high_watermark


@fault(breaks="fetched_snapshot_replaces_the_log")
@edit(offsets.reset_log, "False", "True")
def reset_does_not_end():
    """The log is reset, and the snapshot still waits: nothing can be fetched any more."""


@fault(breaks="snapshots_hold_a_record")
@edit(offsets.latest, "0", "-1")
def generates_a_snapshot_of_nothing():
    """Without a snapshot even one that ends at 0 is a newer one."""
