"""A replica that crashes (KIP-630 on one disk): what the disk keeps, and what it boots with."""

from lockstep import action, present, replace, require
from models.snapshot_file import Length, content, is_whole
from models.snapshot_id import Offset, is_newer
from models.snapshot_log_state import (
    MAX_CRASHES,
    MAX_DAMAGES,
    Phase,
    SnapshotLog,
    Writer,
    end_of_log,
    id_at,
    log_end,
    place,
)

# A crash, and what the disk makes of it.


def stop(s: SnapshotLog, new: SnapshotLog, phase):
    require(s.phase == Phase.RUNNING and s.crashes < MAX_CRASHES)
    new.crashes = s.crashes + 1
    new.phase = phase
    new.high_watermark = None
    new.log_start = 0
    new.state = ()


@action
def kill(s: SnapshotLog, new: SnapshotLog):
    """The process dies. Its files are as it left them, flushed or not."""
    stop(s, new, Phase.KILLED)


@action
def lose_power(s: SnapshotLog, new: SnapshotLog):
    """The machine dies."""
    stop(s, new, Phase.DARK)


@action
def forget_records(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """Records that were not flushed are lost from x on."""
    require(s.phase == Phase.DARK and s.flushed <= x and x < log_end(s))
    new.log = s.log[: place(s, x)]
    new.flushed = x
    new.untruncated = None


@action
def forget_truncation(s: SnapshotLog, new: SnapshotLog):
    """A truncation that was not flushed is undone, with all that was appended since."""
    require(s.phase == Phase.DARK)
    untruncated = present(s.untruncated)
    new.base = untruncated.base
    new.log = untruncated.log
    new.flushed = untruncated.base + len(untruncated.log)
    new.untruncated = None


@action
def forget_rename(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """A snapshot whose name was not flushed is a .part file again, of no use."""
    require(s.phase == Phase.DARK and s.snapshots[x] is not None and not s.snapshots[x].named)
    new.snapshots[x] = None


@action
def tear(s: SnapshotLog, new: SnapshotLog, x: Offset, length: Length):
    """A snapshot is cut short: it was not flushed, or the disk fails."""
    require(s.phase == Phase.DARK)
    snapshot = present(s.snapshots[x])
    require(length < len(snapshot.batches))
    require(not snapshot.flushed or s.damages < MAX_DAMAGES)
    new.snapshots[x] = replace(snapshot, batches=snapshot.batches[:length], flushed=True)
    new.damages = s.damages + 1 if snapshot.flushed else s.damages


# Booting.


def is_valid(snapshot):
    """Whether a file that boot finds is a snapshot (630-D15)."""
    return is_whole(snapshot.batches)


def usable(s: SnapshotLog, x):
    """Whether the log goes on from the snapshot that ends there."""
    return s.snapshots[x] is not None and is_valid(s.snapshots[x]) and x >= s.base


def loaded(s: SnapshotLog):
    """The end offset of the snapshot that boot loads, 0 without one."""
    return max(x for x in Offset if x == 0 or usable(s, x))


def is_missed(s: SnapshotLog, x):
    """Whether a file that is no snapshot would have gone further than the log: it may be all that
    there was."""
    return (
        s.snapshots[x] is not None
        and not is_valid(s.snapshots[x])
        and is_newer(id_at(s, x), end_of_log(s))
        and is_newer(id_at(s, x), id_at(s, loaded(s)))
    )


def can_boot(s: SnapshotLog):
    """Whether the disk has all records from offset 0 on, in a snapshot or in the log."""
    return (s.base == 0 or any(usable(s, x) for x in Offset)) and not any(
        is_missed(s, x) for x in Offset
    )


def after_boot(s: SnapshotLog, x):
    """A snapshot once boot has cleaned up. What outlasted a power failure is on the disk."""
    if not usable(s, x):
        return None
    return replace(
        s.snapshots[x],
        flushed=s.snapshots[x].flushed or s.phase == Phase.DARK,
        named=s.snapshots[x].named or s.phase == Phase.DARK,
    )


@action
def boot(s: SnapshotLog, new: SnapshotLog):
    """The process starts: it deletes what is no snapshot or below the log, and loads the latest
    snapshot. The log's records are applied once the high watermark is known."""
    require((s.phase == Phase.KILLED or s.phase == Phase.DARK) and can_boot(s))
    new.phase = Phase.RUNNING
    new.log_start = s.base
    new.state = content(s.snapshots[loaded(s)])
    new.flushed = log_end(s) if s.phase == Phase.DARK else s.flushed
    new.untruncated = None if s.phase == Phase.DARK else s.untruncated
    new.snapshots = {x: after_boot(s, x) for x in Offset}
    new.parts = {w: None for w in Writer}


@action
def refuse_to_boot(s: SnapshotLog, new: SnapshotLog):
    """Records are missing: the process ends with an error, not with a part of the state
    (630-D30)."""
    require((s.phase == Phase.KILLED or s.phase == Phase.DARK) and not can_boot(s))
    new.phase = Phase.REFUSING
