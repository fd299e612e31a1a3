"""Mistakes that a crash shows: in flushing, and in booting (KIP-630 on one disk)."""

from lockstep import (
    fault,
    present,
    replace,
    require,
)
from models.snapshot_file import Snapshot, Stage, content, written
from models.snapshot_id import Offset
from models.snapshot_log_crash import boot, can_boot, is_valid, loaded, usable
from models.snapshot_log_running import (
    durable,
    has_flushed,
    is_safe,
    is_wanted,
    known_committed,
    may_rename,
)
from models.snapshot_log_state import (
    Phase,
    SnapshotLog,
    Writer,
    agreed,
    latest,
    log_end,
    must_reset,
    place,
)

# Files and flushes.


@fault(replaces=may_rename, breaks="a_named_file_is_complete")
def moved_before_the_footer(part):
    """A file gets its final name before its footer is there."""
    return part.stage == Stage.RECORDS


@fault(replaces=may_rename, breaks="a_named_file_is_complete", source="KAFKA-15312")
def moved_before_it_is_flushed(part):
    """A file gets its final name before its content is on the disk."""
    return part.stage == Stage.FOOTER


@fault(replaces=is_safe, breaks="every_crash_leaves_enough_to_boot")
def name_is_not_flushed(s: SnapshotLog, x):
    """A snapshot takes the place of records before its name is on the disk."""
    return s.snapshots[x] is not None


@fault(
    replaces=known_committed,
    harmless="""\
      The high watermark is only what the replica knows. It answers for a record by letting the \
      quorum count it, and a snapshot that it makes of one takes the record to the disk itself: \
      after a crash that snapshot is ahead of the log, and boot resets the log to it.""",
)
def high_watermark_does_not_wait_for_the_flush(s: SnapshotLog):
    """What the leader says is committed is given to the state machine before it is flushed."""
    return min(log_end(s), len(s.committed))


@fault(replaces=has_flushed, breaks="everything_held_is_found")
def unflushed_records_are_acknowledged(s: SnapshotLog, x):
    """The quorum counts records of this replica that are in its memory only."""
    return s.base <= x and x < log_end(s)


# Booting.


@fault(breaks="everything_held_is_found", constants={"MAX_CRASHES": 2})
def boot_acknowledges_what_it_finds(s: SnapshotLog, new: SnapshotLog):
    """The quorum counts a record that a killed process had not flushed, because the next process
    finds it in its log."""
    require(s.phase == Phase.KILLED and can_boot(s) and agreed(s) == len(s.committed))
    require(log_end(s) > len(s.committed))
    boot(s, new)
    new.committed = s.committed + (s.log[place(s, len(s.committed))],)
    new.held = len(s.committed) + 1


@fault(breaks="boot_knows_what_is_on_the_disk", constants={"MAX_CRASHES": 2})
def boot_resets_to_an_unflushed_name(s: SnapshotLog, new: SnapshotLog):
    """A process was killed between moving a snapshot and flushing its name; the next one resets
    the log to it at once."""
    require(s.phase == Phase.KILLED and can_boot(s) and must_reset(s))
    boot(s, new)
    new.base = latest(s)
    new.log = ()
    new.flushed = latest(s)
    new.untruncated = durable(s)
    new.log_start = latest(s)
    new.high_watermark = latest(s)
    new.state = content(s.snapshots[latest(s)])
    new.held = max(s.held, latest(s))


@fault(breaks="boot_takes_no_part_for_a_snapshot")
def boot_moves_finished_parts(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """Boot gives a .part file its final name when it has a footer."""
    require(s.phase == Phase.KILLED and can_boot(s))
    part = present(s.parts[w])
    require(part.stage == Stage.FLUSHED and is_wanted(s, part))
    boot(s, new)
    new.snapshots[part.id.end_offset] = Snapshot(
        epoch=part.id.epoch, batches=written(part), flushed=True, named=False
    )


@fault(
    replaces=can_boot,
    breaks="log_above_zero_has_a_snapshot",
    source="KAFKA-14240",
)
def boots_without_a_snapshot(s: SnapshotLog):
    """A log that starts above 0 is enough to boot."""
    return True


@fault(replaces=can_boot, breaks="everything_held_is_found")
def boots_beside_a_broken_newer_snapshot(s: SnapshotLog):
    """A file that cannot be read is no reason to refuse, though it may have all that there was."""
    return s.base == 0 or any(usable(s, x) for x in Offset)


@fault(
    replaces=can_boot,
    breaks="refuses_only_what_is_missing",
)
def boots_with_sound_files_only(s: SnapshotLog):
    """One broken file is enough to refuse."""
    return all(s.snapshots[x] is None or usable(s, x) for x in Offset)


@fault(replaces=boot, breaks="everything_held_is_found")
def boots_from_the_snapshot_alone(s: SnapshotLog, new: SnapshotLog):
    """The log is cut off where the latest snapshot ends, although it goes further."""
    boot(s, new)
    new.log = s.log[: place(s, loaded(s))]
    new.flushed = max(s.base, loaded(s))


@fault(replaces=loaded, breaks="boot_loads_the_latest_snapshot")
def boots_from_the_oldest_snapshot(s: SnapshotLog):
    """Of several snapshots the first is loaded."""
    return max(
        x
        for x in Offset
        if x == 0 or (usable(s, x) and not any(usable(s, y) and y < x for y in Offset))
    )


@fault(
    replaces=is_valid,
    breaks="log_above_zero_has_a_snapshot",
)
def boot_trusts_the_name(snapshot):
    """A file is a snapshot if it is named like one."""
    return True


@fault(replaces=boot, breaks="boot_knows_what_is_on_the_disk")
def boot_takes_all_for_flushed(s: SnapshotLog, new: SnapshotLog):
    """What boot finds counts as on the disk, whatever ended the process before."""
    boot(s, new)
    new.flushed = log_end(s)
    new.untruncated = None


@fault(replaces=boot, breaks="a_process_that_has_ended_boots_or_refuses")
def killed_process_stays_down(s: SnapshotLog, new: SnapshotLog):
    """Only a machine that was dark starts its processes."""
    require(s.phase == Phase.DARK)
    boot(s, new)


@fault(breaks="nothing_grows_on_a_disk_without_a_process")
def writer_outlives_its_process(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """A snapshot is written to its end although its process was killed."""
    require(s.phase == Phase.KILLED)
    part = present(s.parts[w])
    require(part.stage == Stage.RECORDS)
    new.parts[w] = replace(part, stage=Stage.FOOTER)
