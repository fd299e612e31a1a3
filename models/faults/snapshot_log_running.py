"""Mistakes of a replica that runs, in its log and its snapshots (KIP-630 on one disk)."""

from lockstep import (
    fault,
    present,
    replace,
    require,
)
from models.snapshot_file import Part, Stage, content
from models.snapshot_id import Offset, OffsetAndEpoch
from models.snapshot_log_running import (
    advance_high_watermark,
    begin_snapshot,
    changed_keys,
    durable,
    flush,
    flush_directory,
    generated_id,
    give_up,
    has_flushed,
    is_safe,
    is_wanted,
    known_committed,
    lowest_truncation,
    may_delete,
    may_start,
    rename,
    reset_to_snapshot,
    thresholds_met,
    truncate,
    write_records,
)
from models.snapshot_log_state import (
    KEYS,
    MIN_CHANGED_PERCENT,
    MIN_NEW_BYTES,
    Phase,
    SnapshotLog,
    Writer,
    is_open,
    last_epoch,
    latest,
    log_end,
    must_reset,
    place,
)

# Ids with the last offset in place of the end offset.


@fault(
    replaces=generated_id,
    breaks="snapshot_is_the_log_that_it_replaces",
    source="KAFKA-14618",
)
def generated_id_is_inclusive(s: SnapshotLog):
    """The id of a generated snapshot names the last offset that it includes."""
    return OffsetAndEpoch(
        end_offset=max(0, s.high_watermark - 1),
        epoch=s.log[: place(s, s.high_watermark)][-1],
    )


@fault(replaces=may_start, breaks="log_starts_where_a_snapshot_ends")
def log_start_is_inclusive(x, end):
    """The log starts at the last offset that a snapshot includes."""
    return x == end - 1


@fault(
    replaces=may_start,
    constants={"FOLLOWS_LEADERS_START": True},
    harmless="""\
      A follower's log may start anywhere below the end of a snapshot of its own: one record more \
      in the log than is needed is the same record as in the snapshot.""",
)
def followers_log_start_is_inclusive(x, end):
    """A follower's log starts at the last offset that a snapshot includes."""
    return x == end - 1


@fault(replaces=may_start, breaks="log_above_zero_has_a_snapshot")
def log_start_is_one_too_far(x, end):
    """The log starts after the first offset that a snapshot does not include."""
    return x == end + 1


@fault(replaces=reset_to_snapshot, breaks="newer_snapshot_replaces_the_log")
def reset_is_inclusive(s: SnapshotLog, new: SnapshotLog):
    """The log begins at the last offset that the snapshot includes."""
    reset_to_snapshot(s, new)
    new.base = max(0, latest(s) - 1)
    new.log_start = max(0, latest(s) - 1)


@fault(replaces=advance_high_watermark, breaks="state_is_what_was_committed")
def loaded_snapshot_is_inclusive(s: SnapshotLog, new: SnapshotLog):
    """The first record after a snapshot is taken for its last one, and not applied."""
    advance_high_watermark(s, new)
    new.state = (
        s.state
        + s.log[
            place(s, len(s.state))
            + (1 if s.high_watermark is None and latest(s) > 0 else 0) : place(
                s, known_committed(s)
            )
        ]
    )


@fault(replaces=reset_to_snapshot, breaks="state_is_what_was_committed")
def state_machine_is_not_told(s: SnapshotLog, new: SnapshotLog):
    """The log begins at the fetched snapshot, which nobody loads."""
    reset_to_snapshot(s, new)
    new.state = s.state


# What is in a snapshot, and when.


@fault(replaces=write_records, breaks="a_part_is_written_step_by_step")
def state_goes_on_while_it_is_written(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """What is written is the state at that moment, not the one of which the id speaks."""
    write_records(s, new, w)
    new.parts[w] = replace(s.parts[w], stage=Stage.RECORDS, records=s.state)


@fault(breaks="snapshots_never_pass_the_high_watermark")
def snapshot_of_what_is_flushed(s: SnapshotLog, new: SnapshotLog):
    """A snapshot goes as far as the log is flushed, committed or not."""
    require(is_open(s) and s.high_watermark is not None and s.high_watermark < s.flushed)
    require(s.parts[Writer.GENERATOR] is None and thresholds_met(latest(s), s.high_watermark))
    new.parts[Writer.GENERATOR] = Part(
        id=OffsetAndEpoch(end_offset=log_end(s), epoch=last_epoch(s)),
        records=s.state + s.log[place(s, s.high_watermark) :],
        stage=Stage.CREATED,
    )


@fault(
    replaces=changed_keys,
    breaks="generates_only_past_both_thresholds",
    constants={"KEYS": 2},
)
def new_keys_count_as_changed(since, now):
    """A record that is new since the latest snapshot counts as one that changed."""
    return min(KEYS, now - since)


@fault(
    replaces=thresholds_met,
    breaks="generates_only_past_both_thresholds",
    constants={"MIN_NEW_BYTES": 2},
)
def either_threshold_will_do(since, now):
    """The ratio alone is enough, or the bytes alone."""
    return now > since and (
        now - since >= MIN_NEW_BYTES
        or changed_keys(since, now) * 100 >= MIN_CHANGED_PERCENT * min(since, KEYS)
    )


@fault(replaces=thresholds_met, breaks="a_snapshot_is_overtaken")
def more_than_the_threshold_has_to_be_new(since, now):
    """The bytes that are enough are not enough."""
    return now - since > MIN_NEW_BYTES and changed_keys(
        since, now
    ) * 100 >= MIN_CHANGED_PERCENT * min(since, KEYS)


@fault(replaces=begin_snapshot, breaks="a_snapshot_that_is_due_is_begun")
def first_snapshot_is_the_last(s: SnapshotLog, new: SnapshotLog):
    """A replica that has a snapshot generates no other."""
    require(latest(s) == 0)
    begin_snapshot(s, new)


@fault(replaces=is_wanted, breaks="no_snapshot_arrives_below_log_start")
def overtaken_snapshot_is_finished(s: SnapshotLog, part):
    """A snapshot gets its name although the log was reset past its end meanwhile."""
    return s.snapshots[part.id.end_offset] is None


# The log.


@fault(replaces=lowest_truncation, breaks="everything_held_is_found")
def truncates_below_high_watermark(s: SnapshotLog):
    """A leader's word is enough to cut off what is committed."""
    return s.log_start


@fault(replaces=may_delete, breaks="deletes_only_below_log_start")
def snapshot_at_log_start_is_deleted(s: SnapshotLog, x):
    """The snapshot that ends at the log start offset goes with those below."""
    return x <= s.log_start


@fault(breaks="offsets_are_in_order")
def segments_go_up_to_the_latest_snapshot(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """Segments below the latest snapshot's end are deleted, wherever the log starts."""
    require(s.phase == Phase.RUNNING and not must_reset(s))
    require(s.base < x and x <= latest(s) and s.log_start < x)
    new.base = x
    new.log = s.log[place(s, x) :]
    new.flushed = max(s.flushed, x)


@fault(replaces=is_open, breaks="newer_snapshot_replaces_the_log")
def log_goes_on_beside_a_newer_snapshot(s: SnapshotLog):
    """Records are appended and truncated while a newer snapshot waits to be loaded."""
    return s.phase == Phase.RUNNING and s.parts[Writer.FETCHER] is None


@fault(replaces=must_reset, breaks="newer_snapshot_replaces_the_log")
def newer_by_offset_alone(s: SnapshotLog):
    """A snapshot is newer than the log only if it ends at a greater offset."""
    return latest(s) > log_end(s)


@fault(breaks="offsets_never_move_back")
def high_watermark_of_an_older_response(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """The replica takes a high watermark that is lower than the one it knows."""
    require(is_open(s) and s.high_watermark is not None and x < s.high_watermark)
    require(s.log_start <= x)
    new.high_watermark = x
    new.state = s.state[:x]


@fault(replaces=last_epoch, breaks="what_is_committed_becomes_known")
def empty_log_has_epoch_zero(s: SnapshotLog):
    """An empty log does not take its last epoch from the snapshot before it."""
    return s.log[-1] if len(s.log) > 0 else 0


@fault(replaces=reset_to_snapshot, breaks="everything_held_is_found")
def reset_without_need(s: SnapshotLog, new: SnapshotLog):
    """The log is reset to the latest snapshot although it goes further."""
    require(s.phase == Phase.RUNNING and latest(s) > 0 and is_safe(s, latest(s)))
    new.base = latest(s)
    new.log = ()
    new.flushed = latest(s)
    new.log_start = latest(s)
    new.high_watermark = latest(s)
    new.state = content(s.snapshots[latest(s)])
    new.held = max(s.held, latest(s))
    new.untruncated = durable(s)


# Files and flushes of a process that runs.


@fault(breaks="a_part_is_written_step_by_step")
def snapshot_is_begun_anew(s: SnapshotLog, new: SnapshotLog):
    """The state machine begins a snapshot in the file of another that is being written."""
    require(s.high_watermark is not None and not must_reset(s))
    part = present(s.parts[Writer.GENERATOR])
    require(part.id.end_offset < s.high_watermark)
    new.parts[Writer.GENERATOR] = Part(id=generated_id(s), records=s.state, stage=Stage.CREATED)


@fault(replaces=rename, breaks="a_finished_part_becomes_a_snapshot")
def part_stays_beside_its_snapshot(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """A finished file is copied to its final name, and stays."""
    rename(s, new, w)
    new.parts[w] = s.parts[w]


@fault(replaces=reset_to_snapshot, breaks="the_disk_has_its_log_until_a_flush")
def reset_is_taken_for_flushed(s: SnapshotLog, new: SnapshotLog):
    """The log begins at the snapshot, and counts as on the disk."""
    reset_to_snapshot(s, new)
    new.untruncated = None


@fault(replaces=truncate, breaks="what_is_no_longer_flushed_is_cut_off")
def truncation_leaves_the_records(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """Only the bookkeeping is truncated."""
    truncate(s, new, x)
    new.log = s.log


@fault(replaces=has_flushed, breaks="answers_for_what_it_has_flushed")
def flushed_records_are_not_acknowledged(s: SnapshotLog, x):
    """The quorum counts no record of this replica."""
    return False


@fault(replaces=flush, breaks="the_log_is_flushed_at_last")
def truncation_is_not_flushed(s: SnapshotLog, new: SnapshotLog):
    """There is something to flush only when records were appended."""
    require(s.flushed < log_end(s))
    flush(s, new)


@fault(replaces=advance_high_watermark, breaks="what_is_committed_becomes_known")
def high_watermark_is_learned_once(s: SnapshotLog, new: SnapshotLog):
    """Once it is known, the high watermark stays."""
    require(s.high_watermark is None)
    advance_high_watermark(s, new)


@fault(replaces=reset_to_snapshot, breaks="a_newer_snapshot_replaces_the_log_at_last")
def empty_log_is_not_reset(s: SnapshotLog, new: SnapshotLog):
    """A log without records has nothing that could give way."""
    require(len(s.log) > 0)
    reset_to_snapshot(s, new)


@fault(replaces=flush_directory, breaks="a_snapshot_is_overtaken")
def fetched_names_are_not_flushed(s: SnapshotLog, new: SnapshotLog):
    """The directory is flushed for generated snapshots alone."""
    require(not must_reset(s))
    flush_directory(s, new)


@fault(replaces=give_up, breaks="an_overtaken_snapshot_is_given_up")
def only_downloads_are_given_up(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """A snapshot that is generated is not given up, though the log begins after it."""
    require(w == Writer.FETCHER)
    give_up(s, new, w)
