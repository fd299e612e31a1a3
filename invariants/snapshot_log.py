"""What must hold of one replica's log and snapshots (KIP-630)."""

from lockstep import invariant, sometimes, step_invariant, when
from models.snapshot_file import FOOTER, HEADER, content
from models.snapshot_id import Offset
from models.snapshot_log_state import (
    FOLLOWS_LEADERS_START,
    KEYS,
    MIN_CHANGED_PERCENT,
    MIN_NEW_BYTES,
    Phase,
    SnapshotLog,
    Writer,
    must_reset,
)


def is_complete(s: SnapshotLog, x):
    """A file is there, with a header first and a footer last."""
    return (
        s.snapshots[x] is not None
        and len(s.snapshots[x].batches) > 1
        and s.snapshots[x].batches[0] == HEADER
        and s.snapshots[x].batches[-1] == FOOTER
    )


def end(s: SnapshotLog):
    return s.base + len(s.log)


def newest(s: SnapshotLog):
    """The latest snapshot that can be loaded and from which the log goes on, 0 without one."""
    return max(x for x in Offset if x == 0 or (is_complete(s, x) and x >= s.base))


def epoch_at_end(s: SnapshotLog):
    if len(s.log) > 0:
        return s.log[-1]
    if s.snapshots[s.base] is not None:
        return s.snapshots[s.base].epoch
    return 0


def is_ahead(s: SnapshotLog, x):
    """The snapshot that ends there is newer than the end of the log."""
    return s.snapshots[x] is not None and (
        s.snapshots[x].epoch > epoch_at_end(s)
        or (s.snapshots[x].epoch == epoch_at_end(s) and x > end(s))
    )


def any_ahead(s: SnapshotLog):
    return any(is_ahead(s, x) for x in Offset)


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


def runs_on(s: SnapshotLog, new: SnapshotLog):
    """A step of the process, neither a crash nor a boot."""
    return s.phase == Phase.RUNNING and new.phase == Phase.RUNNING


def boots(s: SnapshotLog, new: SnapshotLog):
    return s.phase != Phase.RUNNING and new.phase == Phase.RUNNING


@invariant("630-5", "630-6", "630-27")
def a_named_file_is_complete(s: SnapshotLog, x: Offset):
    """A file under its final name begins with a header and ends with a footer, on any disk that
    keeps what was flushed."""
    when(s.snapshots[x] is not None and s.damages == 0)
    return is_complete(s, x)


@invariant("630-33")
def snapshots_never_pass_the_high_watermark(s: SnapshotLog, x: Offset):
    """Once the high watermark is known, no snapshot ends above it, but for one from the leader
    that is about to replace the log. What was committed before a boot is above no high watermark
    that a leader tells after it."""
    when(s.phase == Phase.RUNNING and s.high_watermark is not None and not any_ahead(s))
    when(s.snapshots[x] is not None)
    return x <= s.high_watermark


@invariant("630-1", "630-2", "630-19")
def snapshot_is_the_log_that_it_replaces(s: SnapshotLog, x: Offset):
    """A snapshot has the committed records below its end offset, all of them and no other, and
    its epoch is that of the last."""
    when(is_complete(s, x))
    return (
        x > 0
        and content(s.snapshots[x]) == s.committed[:x]
        and s.snapshots[x].epoch == s.committed[:x][-1]
    )


@step_invariant("630-9", "630-10", "630-11")
def generates_only_past_both_thresholds(s: SnapshotLog, new: SnapshotLog):
    """A snapshot is begun when there are enough bytes since the latest one, and when enough of its
    records have been changed since."""
    when(s.parts[Writer.GENERATOR] is None and new.parts[Writer.GENERATOR] is not None)
    return (
        len(s.state) - newest(s) >= MIN_NEW_BYTES
        and newest(s) < len(s.state)
        and 100 * sum(1 for k in range(KEYS) if was_changed(k, newest(s), len(s.state)))
        >= MIN_CHANGED_PERCENT * sum(1 for k in range(KEYS) if k < newest(s))
    )


def was_changed(key, since, now):
    """A record between the two offsets is not the first of its key: keys take turns."""
    return any(since <= x and x < now and x >= KEYS and x % KEYS == key for x in Offset)


@invariant("630-34")
def log_above_zero_has_a_snapshot(s: SnapshotLog):
    """A log that starts above 0 has a snapshot that ends at its start or after, and no further
    than it goes."""
    when(s.phase == Phase.RUNNING and s.log_start > 0)
    return any(
        is_complete(s, x)
        and x >= s.log_start
        and (x <= end(s) if s.high_watermark is None else x <= s.high_watermark)
        for x in Offset
    ) or any_ahead(s)


@step_invariant("630-13", "630-15")
def log_starts_where_a_snapshot_ends(s: SnapshotLog, new: SnapshotLog):
    """The log start offset moves to the end of a snapshot, or for a follower to below it."""
    when(runs_on(s, new) and s.log_start != new.log_start)
    return any(
        is_complete(s, x) and (x == new.log_start or (FOLLOWS_LEADERS_START and x > new.log_start))
        for x in Offset
    )


@step_invariant("630-17")
def deletes_only_below_log_start(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """A snapshot is deleted only if it ends below the log start offset; the one that ends there
    stays."""
    when(s.phase == Phase.RUNNING and s.snapshots[x] is not None and new.snapshots[x] is None)
    return x < s.log_start


@step_invariant("630-33", "630-34")
def no_snapshot_arrives_below_log_start(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """No snapshot gets its name once the log starts above its end."""
    when(s.snapshots[x] is None and new.snapshots[x] is not None)
    return x >= s.log_start


@step_invariant("630-28", "630-35")
def newer_snapshot_replaces_the_log(s: SnapshotLog, new: SnapshotLog):
    """While the latest snapshot is newer than the end of the log, nothing becomes of the log but
    that it starts and ends where the snapshot does."""
    when(runs_on(s, new) and any_ahead(s))
    when(s.log != new.log or s.base != new.base or s.high_watermark != new.high_watermark)
    return (
        is_ahead(s, new.log_start)
        and new.base == new.log_start
        and end(new) == new.log_start
        and new.high_watermark == new.log_start
    )


@step_invariant("630-28")
def reset_comes_to_an_end(s: SnapshotLog, new: SnapshotLog):
    """Once a newer snapshot has replaced the log, the replica does not find it newer any more:
    that would have no end."""
    when(runs_on(s, new) and must_reset(s))
    when(s.log != new.log or s.base != new.base)
    return not must_reset(new)


@invariant("630-33")
def offsets_are_in_order(s: SnapshotLog):
    """Base offset, log start offset, high watermark, end of the log."""
    when(s.phase == Phase.RUNNING)
    return (
        s.base <= s.log_start
        and s.log_start <= end(s)
        and (
            s.high_watermark is None
            or (s.log_start <= s.high_watermark and s.high_watermark <= end(s))
        )
    )


@step_invariant("595-15")
def offsets_never_move_back(s: SnapshotLog, new: SnapshotLog):
    """Neither log start offset nor high watermark, until the process ends."""
    when(runs_on(s, new))
    return s.log_start <= new.log_start and (
        s.high_watermark is None
        or (new.high_watermark is not None and s.high_watermark <= new.high_watermark)
    )


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


@invariant("630-2", "630-18", "630-22", "595-25")
def state_is_what_was_committed(s: SnapshotLog):
    """The state machine has been given the committed records up to the high watermark; until that
    is known, those of the snapshot that was loaded."""
    when(s.phase == Phase.RUNNING)
    return s.state == s.committed[: len(s.state)] and (
        s.high_watermark is None or len(s.state) == s.high_watermark
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


@sometimes("630-33")
def a_snapshot_is_overtaken(s: SnapshotLog):
    """The log was reset past the end of a snapshot that is still being written."""
    return (
        s.parts[Writer.GENERATOR] is not None
        and s.parts[Writer.GENERATOR].id.end_offset < s.log_start
    )


@sometimes("630-33")
def a_snapshot_ends_beyond_the_high_watermark(s: SnapshotLog):
    """A log that starts at 0 is shorter than the snapshot that was just fetched."""
    return (
        s.phase == Phase.RUNNING
        and s.log_start == 0
        and s.high_watermark is not None
        and any(s.snapshots[x] is not None and x > s.high_watermark for x in Offset)
    )


@sometimes("630-34")
def no_snapshot_ends_at_the_high_watermark_or_below(s: SnapshotLog):
    """A log starts above 0, and none of its snapshots ends between there and the high watermark:
    a replica that has booted knows none until a leader tells it."""
    return (
        s.phase == Phase.RUNNING
        and s.log_start > 0
        and not any(
            s.snapshots[x] is not None
            and x >= s.log_start
            and s.high_watermark is not None
            and x <= s.high_watermark
            for x in Offset
        )
    )


@sometimes("630-12")
def a_replica_writes_a_snapshot_of_its_own(s: SnapshotLog):
    """What is written is the state of its own state machine, though it may fetch one besides."""
    return (
        s.parts[Writer.GENERATOR] is not None
        and s.parts[Writer.GENERATOR].records == s.state
        and len(s.state) > 0
    )
