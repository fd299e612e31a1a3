"""Mistakes that a crash shows: in flushing, and in booting (KIP-630 on one disk)."""

from lockstep import edit, fault, present, replace, require
from models import snapshot_log_crash as crash
from models import snapshot_log_running as running
from models.snapshot_file import Snapshot, Stage, content, written
from models.snapshot_id import Offset
from models.snapshot_log_crash import boot, can_boot, loaded, usable
from models.snapshot_log_running import durable, is_wanted
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


@fault(breaks="a_named_file_is_complete")
@edit(
    running.rename,
    "part.stage == Stage.FLUSHED and is_wanted(s, part)",
    "part.stage == Stage.RECORDS and is_wanted(s, part)",
)
def moved_before_the_footer():
    """A file gets its final name before its footer is there."""


@fault(breaks="a_named_file_is_complete", source="KAFKA-15312")
@edit(
    running.rename,
    "part.stage == Stage.FLUSHED and is_wanted(s, part)",
    "part.stage == Stage.FOOTER and is_wanted(s, part)",
)
def moved_before_it_is_flushed():
    """A file gets its final name before its content is on the disk."""


@fault(breaks="every_crash_leaves_enough_to_boot")
@edit(running.is_safe, "return ...", "return s.snapshots[x] is not None")
def name_is_not_flushed():
    """A snapshot takes the place of records before its name is on the disk."""


@fault(
    harmless="""\
      The high watermark is only what the replica knows. It answers for a record by letting the \
      quorum count it, and a snapshot that it makes of one takes the record to the disk itself: \
      after a crash that snapshot is ahead of the log, and boot resets the log to it."""
)
@edit(running.known_committed, "return ...", "return min(log_end(s), len(s.committed))")
def high_watermark_does_not_wait_for_the_flush():
    """What the leader says is committed is given to the state machine before it is flushed."""


@fault(breaks="everything_held_is_found")
@edit(running.commit, "s.flushed", "log_end(s)")
def unflushed_records_are_acknowledged():
    """The quorum counts records of this replica that are in its memory only."""


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


@fault(breaks="log_above_zero_has_a_snapshot", source="KAFKA-14240")
@edit(crash.can_boot, "return ...", "return True")
def boots_without_a_snapshot():
    """A log that starts above 0 is enough to boot."""


@fault(breaks="everything_held_is_found")
@edit(crash.can_boot, "return ...", "return s.base == 0 or any(usable(s, x) for x in Offset)")
def boots_beside_a_broken_newer_snapshot():
    """A file that cannot be read is no reason to refuse, though it may have all that there was."""


@fault(replaces=can_boot, breaks="refuses_only_what_is_missing")
def boots_with_sound_files_only(s: SnapshotLog):
    """One broken file is enough to refuse."""
    return all(s.snapshots[x] is None or usable(s, x) for x in Offset)


@fault(replaces=boot, breaks="boot_knows_what_is_on_the_disk")
def boots_from_the_snapshot_alone(s: SnapshotLog, new: SnapshotLog):
    """The log is cut off where the latest snapshot ends, although it goes further."""
    boot(s, new)
    new.log = s.log[: place(s, loaded(s))]
    new.flushed = max(s.base, loaded(s))


@fault(breaks="boot_loads_the_latest_snapshot")
@edit(
    crash.loaded, "usable(s, x)", "usable(s, x) and not any(usable(s, y) and y < x for y in Offset)"
)
def boots_from_the_oldest_snapshot():
    """Of several snapshots the first is loaded."""


@fault(breaks="log_above_zero_has_a_snapshot")
@edit(crash.is_valid, "return ...", "return True")
def boot_trusts_the_name():
    """A file is a snapshot if it is named like one."""


@fault(breaks="boot_knows_what_is_on_the_disk")
@edit(crash.boot, "new.flushed = ...", "new.flushed = log_end(s)")
@edit(crash.boot, "new.untruncated = ...", "new.untruncated = None")
def boot_takes_all_for_flushed():
    """What boot finds counts as on the disk, whatever ended the process before."""


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
