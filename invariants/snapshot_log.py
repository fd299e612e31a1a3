"""What must hold of one replica's log and snapshots (KIP-630)."""

from lockstep import invariant, lemma, sometimes, step_invariant, when
from models.snapshot_file import FOOTER, HEADER, Length, content
from models.snapshot_id import MAX_OFFSET, Offset, is_newer
from models.snapshot_log import (
    FLUSHES_FIRST,
    FOLLOWS_LEADERS_START,
    KEYS,
    MIN_CHANGED_PERCENT,
    MIN_NEW_BYTES,
    Phase,
    Writer,
    end_of_log,
    goes_with,
    latest,
    must_reset,
)


def is_complete(s, x):
    """A file is there, with a header first and a footer last."""
    return (
        s.snapshots[x] is not None
        and len(s.snapshots[x].batches) > 1
        and s.snapshots[x].batches[0] == HEADER
        and s.snapshots[x].batches[-1] == FOOTER
    )


def end(s):
    return s.base + len(s.log)


def newest(s):
    """The latest snapshot that can be loaded and from which the log goes on, 0 without one."""
    return max(x for x in Offset if x == 0 or (is_complete(s, x) and x >= s.base))


def epoch_at_end(s):
    return (
        s.log[-1]
        if len(s.log) > 0
        else s.snapshots[s.base].epoch
        if s.snapshots[s.base] is not None
        else 0
    )


def is_ahead(s, x):
    """The snapshot that ends there is newer than the end of the log."""
    return s.snapshots[x] is not None and (
        s.snapshots[x].epoch > epoch_at_end(s)
        or (s.snapshots[x].epoch == epoch_at_end(s) and x > end(s))
    )


def any_ahead(s):
    return any(is_ahead(s, x) for x in Offset)


def is_only_a_name(s, x):
    """The file is no snapshot, but was one of more than can be read elsewhere."""
    return is_ahead(s, x) and not any(is_complete(s, y) and y >= x for y in Offset)


def nothing_is_missing(s):
    """Every record from offset 0 on is in the log, or in a snapshot from which the log goes on."""
    return (s.base == 0 or any(is_complete(s, x) and x >= s.base for x in Offset)) and not any(
        is_only_a_name(s, x) for x in Offset
    )


def found(s):
    """What a boot would come to know: the latest snapshot, and the log after it."""
    return content(s.snapshots[newest(s)]) + (
        () if any_ahead(s) else s.log[max(0, newest(s) - s.base) :]
    )


def runs_on(s, new):
    """A step of the process, neither a crash nor a boot."""
    return s.phase == Phase.RUNNING and new.phase == Phase.RUNNING


def boots(s, new):
    return s.phase != Phase.RUNNING and new.phase == Phase.RUNNING


@invariant("630-5", "630-6", "630-27")
def a_named_file_is_complete(s, x: Offset):
    """A file under its final name begins with a header and ends with a footer, on any disk that
    keeps what was flushed."""
    when(s.snapshots[x] is not None and s.damages == 0)
    return is_complete(s, x)


@invariant("630-33")
def snapshots_never_pass_the_high_watermark(s, x: Offset):
    """Once the high watermark is known, no snapshot ends above it, but for one from the leader
    that is about to replace the log. What was committed before a boot is above no high watermark
    that a leader tells after it."""
    when(s.phase == Phase.RUNNING and s.high_watermark is not None and not any_ahead(s))
    when(s.snapshots[x] is not None)
    return x <= s.high_watermark


@invariant("630-1", "630-2")
def snapshot_is_the_log_that_it_replaces(s, x: Offset):
    """A snapshot has the committed records below its end offset, all of them and no other, and
    its epoch is that of the last."""
    when(is_complete(s, x))
    return (
        x > 0
        and content(s.snapshots[x]) == s.committed[:x]
        and s.snapshots[x].epoch == s.committed[:x][-1]
    )


@step_invariant("630-9", "630-10", "630-11")
def generates_only_past_both_thresholds(s, new):
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
def log_above_zero_has_a_snapshot(s):
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
def log_starts_where_a_snapshot_ends(s, new):
    """The log start offset moves to the end of a snapshot, or for a follower to below it."""
    when(runs_on(s, new) and s.log_start != new.log_start)
    return any(
        is_complete(s, x) and (x == new.log_start or (FOLLOWS_LEADERS_START and x > new.log_start))
        for x in Offset
    )


@step_invariant("630-17")
def deletes_only_below_log_start(s, new, x: Offset):
    """A snapshot is deleted only if it ends below the log start offset; the one that ends there
    stays."""
    when(s.phase == Phase.RUNNING and s.snapshots[x] is not None and new.snapshots[x] is None)
    return x < s.log_start


@step_invariant("630-33", "630-34")
def no_snapshot_arrives_below_log_start(s, new, x: Offset):
    """No snapshot gets its name once the log starts above its end."""
    when(s.snapshots[x] is None and new.snapshots[x] is not None)
    return x >= s.log_start


@step_invariant("630-28", "630-35")
def newer_snapshot_replaces_the_log(s, new):
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
def reset_comes_to_an_end(s, new):
    """Once a newer snapshot has replaced the log, the replica does not find it newer any more:
    that would have no end."""
    when(runs_on(s, new) and must_reset(s))
    when(s.log != new.log or s.base != new.base)
    return not must_reset(new)


@invariant("630-33")
def offsets_are_in_order(s):
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


@step_invariant("630-35")
def offsets_never_move_back(s, new):
    """Neither log start offset nor high watermark, until the process ends."""
    when(runs_on(s, new))
    return s.log_start <= new.log_start and (
        s.high_watermark is None
        or (new.high_watermark is not None and s.high_watermark <= new.high_watermark)
    )


@invariant("630-2", "630-20", "630-22")
def everything_held_is_found(s):
    """Whatever the crash, as long as the replica boots: committed records for which it answers
    are in its latest snapshot and in its log after that."""
    when(nothing_is_missing(s))
    return len(found(s)) >= s.held and found(s)[: s.held] == s.committed[: s.held]


@invariant("630-34")
def every_crash_leaves_enough_to_boot(s):
    """On a disk that keeps what was flushed, no record from offset 0 on is ever missing."""
    when(s.damages == 0)
    return nothing_is_missing(s) and s.phase != Phase.REFUSING


@invariant("630-34")
def refuses_only_what_is_missing(s):
    """A process does not end with an error when an older snapshot would do."""
    when(s.phase == Phase.REFUSING)
    return not nothing_is_missing(s)


@invariant("630-2", "630-22")
def state_is_what_was_committed(s):
    """The state machine has been given the committed records up to the high watermark; until that
    is known, those of the snapshot that was loaded."""
    when(s.phase == Phase.RUNNING)
    return s.state == s.committed[: len(s.state)] and (
        s.high_watermark is None or len(s.state) == s.high_watermark
    )


@step_invariant("630-20")
def boot_loads_the_latest_snapshot(s, new):
    """Of the snapshots that are whole the latest is loaded."""
    when(boots(s, new) and newest(s) > 0)
    return new.state == content(s.snapshots[newest(s)])


@step_invariant("630-24")
def boot_takes_no_part_for_a_snapshot(s, new):
    """A .part file is gone after the boot, and no snapshot has come of it."""
    when(boots(s, new) and any(s.parts[w] is not None for w in Writer))
    return all(new.parts[w] is None for w in Writer) and all(
        s.snapshots[x] is not None for x in Offset if new.snapshots[x] is not None
    )


@sometimes("630-35")
def boot_finds_a_snapshot_ahead_of_the_log(s):
    """A crash after the move and before the reset."""
    return s.phase == Phase.RUNNING and s.high_watermark is None and any_ahead(s)


@sometimes("630-22")
def boot_finds_a_log_ahead_of_the_snapshot(s):
    """There are records to apply after the snapshot."""
    return (
        s.phase == Phase.RUNNING
        and s.high_watermark is None
        and newest(s) > 0
        and end(s) > newest(s)
        and not any_ahead(s)
    )


@sometimes("630-34")
def boot_finds_a_start_where_no_snapshot_ends(s):
    """Segments go one by one: the first one left may begin between the ends of two snapshots."""
    return s.phase == Phase.RUNNING and s.log_start > 0 and s.snapshots[s.log_start] is None


@sometimes("630-33")
def a_snapshot_is_overtaken(s):
    """The log was reset past the end of a snapshot that is still being written."""
    return (
        s.parts[Writer.GENERATOR] is not None
        and s.parts[Writer.GENERATOR].id.end_offset < s.log_start
    )


# What proofs need besides: the log beside what is committed.


def never_falls(records):
    return all(records[x] <= records[x + 1] for x in Offset if x + 1 < len(records))


@lemma
def epochs_of_records_never_fall(s):
    """The later of two records is of no earlier epoch, also in what a truncation cut off."""
    return (
        never_falls(s.committed)
        and never_falls(s.log)
        and (s.untruncated is None or never_falls(s.untruncated.log))
    )


def goes_on(base, records, committed):
    """Whether a log's first record is of no earlier epoch than the committed one before it."""
    return base == 0 or len(records) == 0 or records[0] >= committed[:base][-1]


@lemma
def logs_go_on_from_what_is_committed(s):
    """What is missing below a log is committed, and the log's epochs go on from there. So it was
    before a truncation that is not flushed; the log began no later then."""
    return (
        s.base <= len(s.committed)
        and goes_on(s.base, s.log, s.committed)
        and (
            s.untruncated is None
            or (
                s.untruncated.base <= s.base
                and goes_on(s.untruncated.base, s.untruncated.log, s.committed)
            )
        )
    )


@lemma
def logs_end_by_the_last_offset(s):
    """A log has no more records than there may be, and is flushed up to some place in it."""
    return (
        s.base <= s.flushed
        and s.flushed <= end(s)
        and end(s) <= MAX_OFFSET
        and (s.untruncated is None or s.untruncated.base + len(s.untruncated.log) <= MAX_OFFSET)
    )


def has(base, records, x, e):
    """Whether a log has the record of an epoch at an offset."""
    return base <= x and x < base + len(records) and records[max(0, x - base)] == e


@lemma
def what_was_committed_instead_is_newer(s, x: Offset):
    """Where the log has another record than was committed, that one's leader came after all who
    wrote the log. So a log that has a committed record has all before it."""
    when(x < len(s.committed))
    e = s.committed[x]
    return (x < s.base or goes_with(s.base, s.log, x, e)) and (
        s.untruncated is None
        or x < s.untruncated.base
        or goes_with(s.untruncated.base, s.untruncated.log, x, e)
    )


@lemma
def high_watermark_is_committed(s):
    """Only what is committed is below the high watermark, and if the replica flushes first, only
    what is on the disk."""
    when(s.high_watermark is not None)
    return s.high_watermark <= len(s.committed) and (
        not FLUSHES_FIRST or s.high_watermark <= s.flushed
    )


@lemma
def log_has_what_is_below_high_watermark(s, x: Offset):
    """Below the high watermark, the log's records are the committed ones."""
    when(s.high_watermark is not None and s.base <= x and x < s.high_watermark)
    return has(s.base, s.log, x, s.committed[x])


# What proofs need besides: the memory of the process.


@lemma
def only_a_running_process_has_memory(s):
    """High watermark, log start offset and state are in no file."""
    when(s.phase != Phase.RUNNING)
    return s.high_watermark is None and s.log_start == 0 and s.state == ()


@lemma
def boot_gives_the_state_machine_the_latest_snapshot(s):
    """And it is given no record of the log until there is a high watermark."""
    when(s.phase == Phase.RUNNING and s.high_watermark is None and not any_ahead(s))
    return len(s.state) == latest(s)


@lemma
def generated_snapshots_end_by_the_high_watermark(s):
    """The state machine writes what it was given, and while it does the high watermark grows."""
    when(s.phase == Phase.RUNNING and s.parts[Writer.GENERATOR] is not None)
    return (
        s.high_watermark is not None and s.parts[Writer.GENERATOR].id.end_offset <= s.high_watermark
    )


@lemma
def fetched_snapshots_are_newer_than_the_log(s):
    """The log has not changed since the download began, and no other snapshot waits to replace
    it."""
    when(s.phase == Phase.RUNNING and s.parts[Writer.FETCHER] is not None)
    return is_newer(s.parts[Writer.FETCHER].id, end_of_log(s)) and not any_ahead(s)


# What proofs need besides: what is in a file.


@lemma
def parts_are_of_committed_records(s, w: Writer):
    """What is to be written to a file are the committed records of which its id speaks."""
    when(s.parts[w] is not None)
    offset = s.parts[w].id.end_offset
    return (
        0 < offset
        and offset <= len(s.committed)
        and s.parts[w].id.epoch == s.committed[:offset][-1]
        and s.parts[w].records == s.committed[:offset]
    )


@lemma
def names_are_of_committed_records(s, x: Offset):
    """The name of a file speaks of committed records, whatever became of the file. It got that name
    after it was flushed."""
    when(s.snapshots[x] is not None)
    return (
        0 < x
        and x <= len(s.committed)
        and s.snapshots[x].epoch == s.committed[:x][-1]
        and s.snapshots[x].flushed
    )


@lemma
def files_are_written_from_their_beginning(s, x: Offset, place: Length):
    """A file has a header, the committed records and a footer, in that order, as far as it goes."""
    when(s.snapshots[x] is not None and place < len(s.snapshots[x].batches))
    return place < x + 2 and s.snapshots[x].batches[place] == (
        HEADER if place == 0 else s.committed[:place][-1] if place <= x else FOOTER
    )


@lemma
def only_a_power_failure_cuts_files_short(s, x: Offset):
    """While a process runs, and after it was killed, files have all their batches: boot has deleted
    the others."""
    when(s.snapshots[x] is not None)
    when(s.phase == Phase.RUNNING or s.phase == Phase.KILLED or s.damages == 0)
    return len(s.snapshots[x].batches) == x + 2


# What proofs need besides: which records are on the disk.


def is_below_a_snapshot(s, x):
    """Whether a snapshot ends at x or after, the name of which is on the disk."""
    return any(y >= x and s.snapshots[y] is not None and s.snapshots[y].named for y in Offset)


@lemma
def what_is_below_the_log_is_below_a_snapshot(s):
    """Records are deleted from a log when they are in a snapshot that outlasts a power failure."""
    return (s.base == 0 or is_below_a_snapshot(s, s.base)) and (
        s.log_start == 0 or is_below_a_snapshot(s, s.log_start)
    )


@lemma
def snapshots_are_of_flushed_records_or_ahead(s, x: Offset):
    """A snapshot that is not newer than the log ends where the log is flushed; or just where there
    is a log, if the high watermark does not wait for that."""
    when(s.snapshots[x] is not None)
    return is_ahead(s, x) or x <= (s.flushed if FLUSHES_FIRST else end(s))


@lemma
def what_is_held_is_on_the_disk(s, x: Offset):
    """A record for which the replica answers is committed; and it is flushed, or in a snapshot that
    outlasts a power failure."""
    when(x < s.held)
    return x < len(s.committed) and (
        is_below_a_snapshot(s, x + 1) or (x < s.flushed and has(s.base, s.log, x, s.committed[x]))
    )


@lemma
def what_is_flushed_outlasts_a_truncation(s, x: Offset):
    """If the disk undoes a truncation, it has what is flushed of the log."""
    when(s.untruncated is not None and s.base <= x and x < s.flushed)
    return has(s.untruncated.base, s.untruncated.log, x, s.log[max(0, x - s.base)])
