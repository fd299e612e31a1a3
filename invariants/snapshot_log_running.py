"""What must hold while a replica runs, of its log and its snapshots (KIP-630 on one disk)."""

from lockstep import (
    each,
    invariant,
    leads_to,
    sometimes,
    step_invariant,
    when,
)
from models.snapshot_file import FOOTER, HEADER, content
from models.snapshot_id import Offset
from models.snapshot_log_running import (
    advance_high_watermark,
    begin_snapshot,
    flush,
    flush_directory,
    give_up,
    reset_to_snapshot,
)
from models.snapshot_log_state import (
    FOLLOWS_LEADERS_START,
    KEYS,
    MIN_CHANGED_PERCENT,
    MIN_NEW_BYTES,
    Phase,
    SnapshotLog,
    Writer,
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


def runs_on(s: SnapshotLog, new: SnapshotLog):
    """A step of the process, neither a crash nor a boot."""
    return s.phase == Phase.RUNNING and new.phase == Phase.RUNNING


# Snapshots.


@invariant("630-33")
def snapshots_never_pass_the_high_watermark(s: SnapshotLog, x: Offset):
    """Once the high watermark is known, no snapshot ends above it, but for one from the leader
    that is about to replace the log. What was committed before a boot is above no high watermark
    that a leader reports after it."""
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


def is_due(s: SnapshotLog):
    """There are enough bytes since the latest snapshot, and enough of its records have been changed
    since."""
    return (
        len(s.state) - newest(s) >= MIN_NEW_BYTES
        and newest(s) < len(s.state)
        and 100 * sum(1 for k in range(KEYS) if was_changed(k, newest(s), len(s.state)))
        >= MIN_CHANGED_PERCENT * sum(1 for k in range(KEYS) if k < newest(s))
    )


@step_invariant("630-9", "630-10", "630-11")
def generates_only_past_both_thresholds(s: SnapshotLog, new: SnapshotLog):
    """A snapshot is begun when both thresholds are reached, and not before."""
    when(s.parts[Writer.GENERATOR] is None and new.parts[Writer.GENERATOR] is not None)
    return is_due(s)


def was_changed(key, since, now):
    """A record between the two offsets is not the first of its key: keys take turns."""
    return any(since <= x and x < now and x >= KEYS and x % KEYS == key for x in Offset)


@sometimes("630-12")
def a_replica_writes_a_snapshot_of_its_own(s: SnapshotLog):
    """What is written is the state of its own state machine, though it may fetch one besides."""
    return (
        s.parts[Writer.GENERATOR] is not None
        and s.parts[Writer.GENERATOR].records == s.state
        and len(s.state) > 0
    )


# Liveness.


def may_learn(s: SnapshotLog):
    """There is no snapshot to wait for, and the log is what was committed as far as both go, which
    the replica does not know."""
    return (
        s.phase == Phase.RUNNING
        and s.parts[Writer.FETCHER] is None
        and not any_ahead(s)
        and all(
            s.log[max(0, x - s.base)] == s.committed[x]
            for x in Offset
            if s.base <= x and x < end(s) and x < len(s.committed)
        )
        and (s.high_watermark is None or s.high_watermark < min(end(s), len(s.committed)))
    )


@leads_to("595-13", "595-24", weak=(flush, advance_high_watermark))
def what_is_committed_becomes_known(s: SnapshotLog):
    """The high watermark gets to where the log and what is committed go together, unless the log
    changes first."""
    return may_learn(s), not may_learn(s)


@leads_to("630-9", "630-10", "630-11", weak=begin_snapshot)
def a_snapshot_that_is_due_is_begun(s: SnapshotLog):
    """When both thresholds are reached a snapshot is generated, unless a newer one is to be
    loaded first."""
    is_awaited = (
        s.high_watermark is not None
        and s.parts[Writer.GENERATOR] is None
        and not any_ahead(s)
        and is_due(s)
    )
    return is_awaited, not is_awaited


@leads_to("630-33", weak=each(give_up, "w"))
def an_overtaken_snapshot_is_given_up(s: SnapshotLog):
    """A snapshot that ends below the log's start is not kept waiting."""
    is_overtaken = (
        s.phase == Phase.RUNNING
        and s.parts[Writer.GENERATOR] is not None
        and s.parts[Writer.GENERATOR].id.end_offset < s.log_start
    )
    return is_overtaken, not is_overtaken


@leads_to("630-28", "630-35", weak=(flush_directory, reset_to_snapshot))
def a_newer_snapshot_replaces_the_log_at_last(s: SnapshotLog):
    """A snapshot that is newer than the log is not left beside it."""
    is_left = s.phase == Phase.RUNNING and any_ahead(s)
    return is_left, not is_left


# The log, and what takes its place.


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
    when(
        s.log != new.log
        or s.base != new.base
        or s.log_start != new.log_start
        or s.high_watermark != new.high_watermark
    )
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
    when(runs_on(s, new) and any_ahead(s))
    when(s.log != new.log or s.base != new.base)
    return not any_ahead(new)


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


@invariant("630-2", "630-18", "630-22", "595-25")
def state_is_what_was_committed(s: SnapshotLog):
    """The state machine has been given the committed records up to the high watermark; until that
    is known, those of the snapshot that was loaded."""
    when(s.phase == Phase.RUNNING)
    return s.state == s.committed[: len(s.state)] and (
        s.high_watermark is None or len(s.state) == s.high_watermark
    )


# What is reached.


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
    a replica that has booted knows none until a leader reports it."""
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
