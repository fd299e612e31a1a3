"""Mistakes of a replica that runs, in its log and its snapshots (KIP-630 on one disk)."""

from lockstep import edit, fault, present, replace, require
from models import snapshot_log_running as running
from models import snapshot_log_state as state
from models.snapshot_file import Part, Stage
from models.snapshot_id import Offset, OffsetAndEpoch
from models.snapshot_log_running import (
    advance_high_watermark,
    begin_snapshot,
    flush,
    flush_directory,
    generated_id,
    give_up,
    reset_to_snapshot,
    thresholds_met,
    write_records,
)
from models.snapshot_log_state import (
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


@fault(breaks="snapshot_is_the_log_that_it_replaces", source="KAFKA-14618")
@edit(
    running.generated_id,
    "return ...",
    (
        "return OffsetAndEpoch(end_offset=max(0, s.high_watermark - 1), epoch=s.log[:place(s, "
        "s.high_watermark)][-1])"
    ),
)
def generated_id_is_inclusive():
    """The id of a generated snapshot names the last offset that it includes."""


@fault(breaks="log_starts_where_a_snapshot_ends")
@edit(running.may_start, "return ...", "return x == end - 1")
def log_start_is_inclusive():
    """The log starts at the last offset that a snapshot includes."""


@fault(
    constants={"FOLLOWS_LEADERS_START": True},
    harmless="""\
      A follower's log may start anywhere below the end of a snapshot of its own: one record more \
      in the log than is needed is the same record as in the snapshot.""",
)
@edit(running.may_start, "return ...", "return x == end - 1")
def followers_log_start_is_inclusive():
    """A follower's log starts at the last offset that a snapshot includes."""


@fault(breaks="log_above_zero_has_a_snapshot")
@edit(running.may_start, "return ...", "return x == end + 1")
def log_start_is_one_too_far():
    """The log starts after the first offset that a snapshot does not include."""


@fault(breaks="newer_snapshot_replaces_the_log")
@edit(running.reset_to_snapshot, "new.base = ...", "new.base = max(0, latest(s) - 1)")
@edit(running.reset_to_snapshot, "new.log_start = ...", "new.log_start = max(0, latest(s) - 1)")
def reset_is_inclusive():
    """The log begins at the last offset that the snapshot includes."""


@fault(breaks="state_is_what_was_committed")
@edit(
    running.advance_high_watermark,
    "new.state = ...",
    (
        "new.state = s.state + s.log[place(s, len(s.state)) + (1 if s.high_watermark is None and "
        "latest(s) > 0 else 0):place(s, known_committed(s))]"
    ),
)
def loaded_snapshot_is_inclusive():
    """The first record after a snapshot is taken for its last one, and not applied."""


@fault(breaks="state_is_what_was_committed")
@edit(running.reset_to_snapshot, "new.state = ...", "new.state = s.state")
def state_machine_is_not_notified():
    """The log begins at the fetched snapshot, which nobody loads."""


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


@fault(breaks="generates_only_past_both_thresholds", constants={"KEYS": 2})
@edit(running.changed_keys, "return ...", "return min(KEYS, now - since)")
def new_keys_count_as_changed():
    """A record that is new since the latest snapshot counts as one that changed."""


@fault(breaks="generates_only_past_both_thresholds", constants={"MIN_NEW_BYTES": 2})
@edit(
    running.thresholds_met,
    "return ...",
    (
        "return now > since and (now - since >= MIN_NEW_BYTES or changed_keys(since, now) * 100 "
        ">= MIN_CHANGED_PERCENT * min(since, KEYS))"
    ),
)
def either_threshold_will_do():
    """The ratio alone is enough, or the bytes alone."""


@fault(breaks="a_snapshot_is_overtaken")
@edit(running.thresholds_met, "now > since", "now - since > MIN_NEW_BYTES")
@edit(running.thresholds_met, "now - since >= MIN_NEW_BYTES", "True")
def more_than_the_threshold_has_to_be_new():
    """The bytes that are enough are not enough."""


@fault(replaces=begin_snapshot, breaks="a_snapshot_that_is_due_is_begun")
def first_snapshot_is_the_last(s: SnapshotLog, new: SnapshotLog):
    """A replica that has a snapshot generates no other."""
    require(latest(s) == 0)
    begin_snapshot(s, new)


@fault(breaks="no_snapshot_arrives_below_log_start")
@edit(running.is_wanted, "return ...", "return s.snapshots[part.id.end_offset] is None")
def overtaken_snapshot_is_finished():
    """A snapshot gets its name although the log was reset past its end meanwhile."""


# The log.


@fault(breaks="everything_held_is_found")
@edit(running.truncate, "agreed(s)", "s.log_start")
def truncates_below_high_watermark():
    """A leader's word is enough to cut off what is committed."""


@fault(breaks="deletes_only_below_log_start")
@edit(running.delete_snapshot, "x < s.log_start", "x <= s.log_start")
def snapshot_at_log_start_is_deleted():
    """The snapshot that ends at the log start offset goes with those below."""


@fault(breaks="a_snapshot_below_the_log_start_goes")
@edit(running.delete_snapshot, "s.log_start", "s.base")
def snapshots_wait_for_segments():
    """A snapshot is deleted only when the segments with its records are."""


@fault(breaks="offsets_are_in_order")
def segments_go_up_to_the_latest_snapshot(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """Segments below the latest snapshot's end are deleted, wherever the log starts."""
    require(s.phase == Phase.RUNNING and not must_reset(s))
    require(s.base < x and x <= latest(s) and s.log_start < x)
    new.base = x
    new.log = s.log[place(s, x) :]
    new.flushed = max(s.flushed, x)


@fault(breaks="newer_snapshot_replaces_the_log")
@edit(state.is_open, "not must_reset(s)", "True")
def log_goes_on_beside_a_newer_snapshot():
    """Records are appended and truncated while a newer snapshot waits to be loaded."""


@fault(breaks="newer_snapshot_replaces_the_log")
@edit(state.must_reset, "return ...", "return latest(s) > log_end(s)")
def newer_by_offset_alone():
    """A snapshot is newer than the log only if it ends at a greater offset."""


@fault(breaks="offsets_never_move_back")
def high_watermark_of_an_older_response(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """The replica takes a high watermark that is lower than the one it knows."""
    require(is_open(s) and s.high_watermark is not None and x < s.high_watermark)
    require(s.log_start <= x)
    new.high_watermark = x
    new.state = s.state[:x]


@fault(breaks="what_is_committed_becomes_known")
@edit(state.last_epoch, "id_at(s, s.base).epoch", "0")
def empty_log_has_epoch_zero():
    """An empty log does not take its last epoch from the snapshot before it."""


@fault(breaks="everything_held_is_found")
@edit(running.reset_to_snapshot, "must_reset(s)", "latest(s) > 0")
@edit(running.reset_to_snapshot, "new.untruncated = ...", "")
@edit(
    running.reset_to_snapshot,
    "new.held = max(s.held, latest(s))",
    "new.held = max(s.held, latest(s)); new.untruncated = durable(s)",
)
def reset_without_need():
    """The log is reset to the latest snapshot although it goes further."""


# Files and flushes of a process that runs.


@fault(breaks="a_part_is_written_step_by_step")
def part_is_overwritten(s: SnapshotLog, new: SnapshotLog):
    """The state machine begins a snapshot in the file of another that is being written."""
    require(s.high_watermark is not None and not must_reset(s))
    part = present(s.parts[Writer.GENERATOR])
    require(part.id.end_offset < s.high_watermark)
    new.parts[Writer.GENERATOR] = Part(id=generated_id(s), records=s.state, stage=Stage.CREATED)


@fault(breaks="a_finished_part_becomes_a_snapshot")
@edit(running.rename, "None", "s.parts[w]")
def part_stays_beside_its_snapshot():
    """A finished file is copied to its final name, and stays."""


@fault(breaks="the_disk_has_its_log_until_a_flush")
@edit(running.reset_to_snapshot, "durable(s)", "None")
def reset_is_taken_for_flushed():
    """The log begins at the snapshot, and counts as on the disk."""


@fault(breaks="what_is_no_longer_flushed_is_cut_off")
@edit(running.truncate, "s.log[:place(s, x)]", "s.log")
def truncation_leaves_the_records():
    """Only the bookkeeping is truncated."""


@fault(breaks="answers_for_what_it_has_flushed", unchanged=("held",))
@edit(running.commit, "new.held = ...", "")
def flushed_records_are_not_acknowledged():
    """The quorum counts no record of this replica."""


@fault(breaks="answers_for_no_less")
@edit(running.commit, "s.held", "s.log_start")
def answers_for_what_was_committed_last():
    """A commit without this replica has it forget what it answered for."""


@fault(breaks="flushed_records_are_known_without_another_flush")
@edit(
    running.advance_high_watermark,
    "agreed(s) >= known_committed(s)",
    "agreed(s) == known_committed(s)",
)
def high_watermark_waits_for_the_whole_log():
    """The high watermark stays where it is while the end of the log is in memory only."""


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
