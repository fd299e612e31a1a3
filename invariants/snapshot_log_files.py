"""What must hold of files, and of what of them is on the disk (KIP-630 on one disk)."""

from invariants.snapshot_log_running import end, may_learn, runs_on
from lockstep import each, leads_to, step_invariant, when
from models.snapshot_file import Stage
from models.snapshot_id import Offset
from models.snapshot_log_running import advance_high_watermark, delete_snapshot, flush
from models.snapshot_log_state import Phase, SnapshotLog, Writer

# A snapshot that is written.


def comes_after(one, other):
    """Whether a file that is written gets to one stage from the other: header, records, footer,
    and then it is flushed."""
    return (
        (other == Stage.CREATED and one == Stage.HEADER)
        or (other == Stage.HEADER and one == Stage.RECORDS)
        or (other == Stage.RECORDS and one == Stage.FOOTER)
        or (other == Stage.FOOTER and one == Stage.FLUSHED)
    )


@step_invariant("630-5", "630-6", "630-24", "630-61")
def a_part_is_written_step_by_step(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """A .part file begins with nothing, and one step follows the other. Another file takes its
    place only when it is gone."""
    when(s.parts[w] != new.parts[w] and new.parts[w] is not None)
    return (
        new.parts[w].stage == Stage.CREATED
        if s.parts[w] is None
        else new.parts[w].id == s.parts[w].id
        and new.parts[w].records == s.parts[w].records
        and comes_after(new.parts[w].stage, s.parts[w].stage)
    )


@step_invariant("630-24", "630-27")
def a_finished_part_becomes_a_snapshot(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """A new snapshot was a .part file of that id, and is one no more."""
    when(s.snapshots[x] is None and new.snapshots[x] is not None)
    return any(
        s.parts[w] is not None
        and s.parts[w].id.end_offset == x
        and s.parts[w].id.epoch == new.snapshots[x].epoch
        and new.parts[w] is None
        for w in Writer
    )


@leads_to("630-17", weak=each(delete_snapshot, "x"))
def a_snapshot_below_the_log_start_goes(s: SnapshotLog, x: Offset):
    """A snapshot is deleted once the log starts after its end, though segments are left there."""
    is_left = s.phase == Phase.RUNNING and s.snapshots[x] is not None and x < s.log_start
    return is_left, not is_left


# A log, and what of it is on the disk.


def log_on_disk(s: SnapshotLog):
    """The records in the files, if the power fails now."""
    return s.log[: max(0, s.flushed - s.base)] if s.untruncated is None else s.untruncated.log


def base_on_disk(s: SnapshotLog):
    """The offset of the first of them."""
    return s.base if s.untruncated is None else s.untruncated.base


@step_invariant("595-26")
def the_disk_has_its_log_until_a_flush(s: SnapshotLog, new: SnapshotLog):
    """What a running process does to its log gets to the disk by a flush, all of it at once; only
    segments go without."""
    when(runs_on(s, new))
    is_flush = new.untruncated is None and new.flushed == end(new)
    return (is_flush and new.log == s.log and new.base == s.base) or (
        log_on_disk(new) == log_on_disk(s)[max(0, base_on_disk(new) - base_on_disk(s)) :]
        and (base_on_disk(new) == base_on_disk(s) or base_on_disk(new) == new.base)
    )


@step_invariant("595-21")
def what_is_no_longer_flushed_is_cut_off(s: SnapshotLog, new: SnapshotLog):
    """Less of a log is flushed only when the log ends there."""
    when(runs_on(s, new) and new.flushed < s.flushed)
    return end(new) == new.flushed


@step_invariant("595-13", "595-26")
def answers_for_what_it_has_flushed(s: SnapshotLog, new: SnapshotLog):
    """A replica answers for a record that it has flushed, when the quorum commits it or when it
    learns of that."""
    when(
        runs_on(s, new) and (s.committed != new.committed or s.high_watermark != new.high_watermark)
    )
    x = len(s.committed)
    return (
        new.high_watermark is None
        or new.high_watermark == s.high_watermark
        or new.held >= min(new.high_watermark, new.flushed)
    ) and (
        s.committed == new.committed
        or x < s.base
        or x >= s.flushed
        or s.log[max(0, x - s.base)] != new.committed[-1]
        or new.held > x
    )


@step_invariant("595-13", "595-26")
def answers_for_no_less(s: SnapshotLog, new: SnapshotLog):
    """A replica goes on answering for what it answered for, and for more only when the quorum
    commits that or when it learns of it."""
    when(s.held != new.held)
    return s.held < new.held and (
        s.committed != new.committed or s.high_watermark != new.high_watermark
    )


@leads_to("595-13", "595-24", weak=advance_high_watermark)
def flushed_records_are_known_without_another_flush(s: SnapshotLog):
    """What is committed and on the disk becomes known, though later records are in memory only."""
    is_awaited = may_learn(s) and (s.high_watermark is None or s.high_watermark < s.flushed)
    return is_awaited, not is_awaited


@leads_to("595-26", weak=flush)
def the_log_is_flushed_at_last(s: SnapshotLog):
    """A log in memory gets to the disk."""
    is_flushed = s.flushed == end(s) and s.untruncated is None
    return s.phase == Phase.RUNNING and not is_flushed, s.phase != Phase.RUNNING or is_flushed
