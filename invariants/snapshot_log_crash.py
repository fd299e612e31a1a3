"""What must hold of a disk when its process ends and boots again (KIP-630 on one disk)."""

from invariants.snapshot_log_running import any_ahead, end, is_ahead, is_complete, newest
from lockstep import (
    invariant,
    leads_to,
    sometimes,
    step_invariant,
    when,
)
from models.snapshot_file import content
from models.snapshot_id import Offset
from models.snapshot_log_crash import boot, refuse_to_boot
from models.snapshot_log_state import Phase, SnapshotLog, Writer


def is_only_a_name(s: SnapshotLog, x):
    """The file is no snapshot, but was one of more than can be read elsewhere."""
    return is_ahead(s, x) and not any(is_complete(s, y) and y >= x for y in Offset)


def nothing_is_missing(s: SnapshotLog):
    """Every record from offset 0 on is in the log, or in a snapshot from which the log goes on."""
    return (s.base == 0 or any(is_complete(s, x) and x >= s.base for x in Offset)) and not any(
        is_only_a_name(s, x) for x in Offset
    )


def recovered(s: SnapshotLog):
    """What a boot would come to know: the latest snapshot, and the log after it."""
    return content(s.snapshots[newest(s)]) + (
        () if any_ahead(s) else s.log[max(0, newest(s) - s.base) :]
    )


def boots(s: SnapshotLog, new: SnapshotLog):
    return s.phase != Phase.RUNNING and new.phase == Phase.RUNNING


# What the disk has.


@invariant("630-5", "630-6", "630-27")
def a_named_file_is_complete(s: SnapshotLog, x: Offset):
    """A file under its final name begins with a header and ends with a footer, on any disk that
    keeps what was flushed."""
    when(s.snapshots[x] is not None and s.damages == 0)
    return is_complete(s, x)


@invariant("630-2", "630-20", "630-22", "595-26")
def everything_held_is_found(s: SnapshotLog):
    """Whatever the crash, as long as the replica boots: committed records for which it answers
    are in its latest snapshot and in its log after that."""
    when(nothing_is_missing(s))
    return len(recovered(s)) >= s.held and recovered(s)[: s.held] == s.committed[: s.held]


@invariant("630-34")
def every_crash_leaves_enough_to_boot(s: SnapshotLog):
    """On a disk that keeps what was flushed, no record from offset 0 on is ever missing."""
    when(s.damages == 0)
    return nothing_is_missing(s) and s.phase != Phase.REFUSING


@invariant("630-34")
def refuses_only_what_is_missing(s: SnapshotLog):
    """A process does not end with an error when an older snapshot would do."""
    when(s.phase == Phase.REFUSING)
    return not nothing_is_missing(s)


def is_cut_from(one, other):
    return one == other[: len(one)]


@step_invariant("630-34")
def nothing_grows_on_a_disk_without_a_process(s: SnapshotLog, new: SnapshotLog):
    """Once a process has ended there are files and no memory. Nobody writes; if the power failed,
    records, names and ends of files may go, and a truncation may be undone. What is left is on the
    disk."""
    when(new.phase != Phase.RUNNING)
    return (
        new.high_watermark is None
        and new.log_start == 0
        and new.state == ()
        and new.parts == s.parts
        and new.held == s.held
        and (s.phase != Phase.KILLED or (new.flushed == s.flushed and new.log == s.log))
        and (
            (new.flushed == s.flushed and new.log == s.log and new.untruncated == s.untruncated)
            or (new.flushed == end(new) and new.untruncated is None)
        )
        and (
            (new.base == s.base and is_cut_from(new.log, s.log))
            or (
                s.untruncated is not None
                and new.base == s.untruncated.base
                and new.log == s.untruncated.log
            )
        )
        and all(
            new.snapshots[x] is None
            or (
                s.snapshots[x] is not None
                and new.snapshots[x].epoch == s.snapshots[x].epoch
                and new.snapshots[x].named == s.snapshots[x].named
                and is_cut_from(new.snapshots[x].batches, s.snapshots[x].batches)
            )
            for x in Offset
        )
    )


# Booting.


@leads_to("630-34", weak=(boot, refuse_to_boot))
def a_process_that_has_ended_boots_or_refuses(s: SnapshotLog):
    """No crash is the end of it, but for a disk that lost records."""
    is_down = s.phase == Phase.KILLED or s.phase == Phase.DARK
    return is_down, not is_down


@step_invariant("630-20", "595-26")
def boot_knows_what_is_on_the_disk(s: SnapshotLog, new: SnapshotLog):
    """What outlasted a power failure is on the disk. What a killed process had not flushed is not:
    that the next one finds it says nothing."""
    when(boots(s, new))
    is_dark = s.phase == Phase.DARK
    return (
        new.flushed == (end(new) if is_dark else s.flushed)
        and new.untruncated == (None if is_dark else s.untruncated)
        and all(
            new.snapshots[x].named == (is_dark or s.snapshots[x].named)
            and new.snapshots[x].flushed == (is_dark or s.snapshots[x].flushed)
            for x in Offset
            if new.snapshots[x] is not None and s.snapshots[x] is not None
        )
    )


@step_invariant("630-20")
def boot_loads_the_latest_snapshot(s: SnapshotLog, new: SnapshotLog):
    """Of the snapshots that are whole the latest is loaded."""
    when(boots(s, new) and newest(s) > 0)
    return new.state == content(s.snapshots[newest(s)])


@step_invariant("630-24")
def boot_takes_no_part_for_a_snapshot(s: SnapshotLog, new: SnapshotLog):
    """A .part file is gone after the boot, and no snapshot has come of it."""
    when(boots(s, new) and any(s.parts[w] is not None for w in Writer))
    return all(new.parts[w] is None for w in Writer) and all(
        s.snapshots[x] is not None for x in Offset if new.snapshots[x] is not None
    )


# What is reached.


@sometimes("630-35")
def boot_finds_a_snapshot_ahead_of_the_log(s: SnapshotLog):
    """A crash after the move and before the reset."""
    return s.phase == Phase.RUNNING and s.high_watermark is None and any_ahead(s)


@sometimes("630-22")
def boot_finds_a_log_ahead_of_the_snapshot(s: SnapshotLog):
    """There are records to apply after the snapshot."""
    return (
        s.phase == Phase.RUNNING
        and s.high_watermark is None
        and newest(s) > 0
        and end(s) > newest(s)
        and not any_ahead(s)
    )


@sometimes("630-34")
def boot_finds_a_start_where_no_snapshot_ends(s: SnapshotLog):
    """Segments go one by one: the first one left may begin between the ends of two snapshots."""
    return s.phase == Phase.RUNNING and s.log_start > 0 and s.snapshots[s.log_start] is None
