"""Lemmas about KIP-630 on one disk: invariants that only help proofs."""

from invariants.snapshot_log_running import any_ahead, end, is_ahead
from lockstep import lemma, present, when
from models.snapshot_file import FOOTER, HEADER, Length
from models.snapshot_id import MAX_OFFSET, Offset, is_newer
from models.snapshot_log_running import goes_with
from models.snapshot_log_state import FLUSHES_FIRST, Phase, SnapshotLog, Writer, end_of_log, latest

# The log beside what is committed.


def never_falls(records):
    return all(records[x] <= records[x + 1] for x in Offset if x + 1 < len(records))


@lemma
def epochs_of_records_never_fall(s: SnapshotLog):
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
def logs_go_on_from_what_is_committed(s: SnapshotLog):
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
def logs_end_by_the_last_offset(s: SnapshotLog):
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
def what_was_committed_instead_is_newer(s: SnapshotLog, x: Offset):
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
def high_watermark_is_committed(s: SnapshotLog):
    """Only what is committed is below the high watermark, and if the replica flushes first, only
    what is on the disk."""
    when(s.high_watermark is not None)
    return s.high_watermark <= len(s.committed) and (
        not FLUSHES_FIRST or s.high_watermark <= s.flushed
    )


@lemma
def log_has_what_is_below_high_watermark(s: SnapshotLog, x: Offset):
    """Below the high watermark, the log's records are the committed ones."""
    when(s.high_watermark is not None and s.base <= x and x < s.high_watermark)
    return has(s.base, s.log, x, s.committed[x])


# The memory of the process.


@lemma
def only_a_running_process_has_memory(s: SnapshotLog):
    """High watermark, log start offset and state are in no file."""
    when(s.phase != Phase.RUNNING)
    return s.high_watermark is None and s.log_start == 0 and s.state == ()


@lemma
def boot_gives_the_state_machine_the_latest_snapshot(s: SnapshotLog):
    """And it is given no record of the log until there is a high watermark."""
    when(s.phase == Phase.RUNNING and s.high_watermark is None and not any_ahead(s))
    return len(s.state) == latest(s)


@lemma
def generated_snapshots_end_by_the_high_watermark(s: SnapshotLog):
    """The state machine writes what it was given, and while it does the high watermark grows."""
    when(s.phase == Phase.RUNNING and s.parts[Writer.GENERATOR] is not None)
    return (
        s.high_watermark is not None and s.parts[Writer.GENERATOR].id.end_offset <= s.high_watermark
    )


@lemma
def fetched_snapshots_are_newer_than_the_log(s: SnapshotLog):
    """The log has not changed since the download began, and no other snapshot waits to replace
    it."""
    when(s.phase == Phase.RUNNING and s.parts[Writer.FETCHER] is not None)
    return is_newer(s.parts[Writer.FETCHER].id, end_of_log(s)) and not any_ahead(s)


# What is in a file.


@lemma
def parts_are_of_committed_records(s: SnapshotLog, w: Writer):
    """What is to be written to a file are the committed records of which its id speaks."""
    part = present(s.parts[w])
    offset = part.id.end_offset
    return (
        0 < offset
        and offset <= len(s.committed)
        and part.id.epoch == s.committed[:offset][-1]
        and part.records == s.committed[:offset]
    )


@lemma
def names_are_of_committed_records(s: SnapshotLog, x: Offset):
    """The name of a file speaks of committed records, whatever became of the file. It got that name
    after it was flushed."""
    snapshot = present(s.snapshots[x])
    return (
        0 < x
        and x <= len(s.committed)
        and snapshot.epoch == s.committed[:x][-1]
        and snapshot.flushed
    )


@lemma
def files_are_written_from_their_beginning(s: SnapshotLog, x: Offset, place: Length):
    """A file has a header, the committed records and a footer, in that order, as far as it goes."""
    snapshot = present(s.snapshots[x])
    when(place < len(snapshot.batches))
    return place < x + 2 and snapshot.batches[place] == (
        HEADER if place == 0 else s.committed[:place][-1] if place <= x else FOOTER
    )


@lemma
def only_a_power_failure_cuts_files_short(s: SnapshotLog, x: Offset):
    """While a process runs, and after it was killed, files have all their batches: boot has deleted
    the others."""
    when(s.snapshots[x] is not None)
    when(s.phase == Phase.RUNNING or s.phase == Phase.KILLED or s.damages == 0)
    return len(s.snapshots[x].batches) == x + 2


# Which records are on the disk.


def is_below_a_snapshot(s: SnapshotLog, x):
    """Whether a snapshot ends at x or after, the name of which is on the disk."""
    return any(y >= x and s.snapshots[y] is not None and s.snapshots[y].named for y in Offset)


@lemma
def what_is_below_the_log_is_below_a_snapshot(s: SnapshotLog):
    """Records are deleted from a log when they are in a snapshot that outlasts a power failure."""
    return (s.base == 0 or is_below_a_snapshot(s, s.base)) and (
        s.log_start == 0 or is_below_a_snapshot(s, s.log_start)
    )


@lemma
def snapshots_are_of_flushed_records_or_ahead(s: SnapshotLog, x: Offset):
    """A snapshot that is not newer than the log ends where the log is flushed; or just where there
    is a log, if the high watermark does not wait for that."""
    when(s.snapshots[x] is not None)
    return is_ahead(s, x) or x <= (s.flushed if FLUSHES_FIRST else end(s))


@lemma
def what_is_held_is_on_the_disk(s: SnapshotLog, x: Offset):
    """A record for which the replica answers is committed; and it is flushed, or in a snapshot that
    outlasts a power failure."""
    when(x < s.held)
    return x < len(s.committed) and (
        is_below_a_snapshot(s, x + 1) or (x < s.flushed and has(s.base, s.log, x, s.committed[x]))
    )


@lemma
def what_is_flushed_outlasts_a_truncation(s: SnapshotLog, x: Offset):
    """If the disk undoes a truncation, it has what is flushed of the log."""
    untruncated = present(s.untruncated)
    when(s.base <= x and x < s.flushed)
    return has(untruncated.base, untruncated.log, x, s.log[max(0, x - s.base)])
