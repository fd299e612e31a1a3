"""A replica that runs (KIP-630 on one disk): its log, and the snapshots that replace records."""

from lockstep import action, present, replace, require
from models.snapshot_file import Part, RecordEpoch, Snapshot, Stage, content, written
from models.snapshot_id import MAX_OFFSET, Offset, OffsetAndEpoch, is_newer
from models.snapshot_log_state import (
    FLUSHES_FIRST,
    FOLLOWS_LEADERS_START,
    KEYS,
    MIN_CHANGED_PERCENT,
    MIN_NEW_BYTES,
    Durable,
    Phase,
    SnapshotLog,
    Writer,
    agreed,
    end_of_log,
    is_open,
    last_epoch,
    latest,
    log_end,
    must_reset,
    place,
)

# The log.


def goes_with(base, records, x, e):
    """Whether a record may be at x beside a log: it is in that log, or it lies after its end, or
    a leader wrote it that came after everything in it."""
    return x >= base + len(records) or records[max(0, x - base)] == e or e > records[-1]


def is_possible(s: SnapshotLog, x, e):
    """Whether a leader can have written the record, with all that this disk has."""
    return goes_with(s.base, s.log, x, e) and (
        s.untruncated is None or goes_with(s.untruncated.base, s.untruncated.log, x, e)
    )


@action
def append_record(s: SnapshotLog, new: SnapshotLog, e: RecordEpoch):
    """A record of the replica's own as leader, or the leader's next one."""
    require(is_open(s) and log_end(s) < MAX_OFFSET and e >= last_epoch(s))
    require(agreed(s) == min(log_end(s), len(s.committed)))
    require(log_end(s) >= len(s.committed) or s.committed[log_end(s)] == e)
    require(is_possible(s, log_end(s), e))
    new.log = s.log + (e,)


@action
def flush(s: SnapshotLog, new: SnapshotLog):
    """The log is on the disk."""
    require(s.phase == Phase.RUNNING)
    require(s.flushed < log_end(s) or s.untruncated is not None)
    new.flushed = log_end(s)
    new.untruncated = None


@action
def commit(s: SnapshotLog, new: SnapshotLog, e: RecordEpoch):
    """The quorum commits one more record. The replica has to do with it if it has flushed it."""
    require(s.phase == Phase.RUNNING and len(s.committed) < MAX_OFFSET)
    require(len(s.committed) == 0 or e >= s.committed[-1])
    require(is_possible(s, len(s.committed), e))
    new.committed = s.committed + (e,)
    new.held = (
        len(s.committed) + 1
        if s.base <= len(s.committed) < s.flushed and s.log[place(s, len(s.committed))] == e
        else s.held
    )


def known_committed(s: SnapshotLog):
    """How much of what is committed the replica may learn of."""
    return min(s.flushed if FLUSHES_FIRST else log_end(s), len(s.committed))


@action
def advance_high_watermark(s: SnapshotLog, new: SnapshotLog):
    """The replica learns what is committed, and the state machine is given those records."""
    require(is_open(s) and agreed(s) >= known_committed(s))
    require(s.high_watermark is None or known_committed(s) > s.high_watermark)
    new.high_watermark = known_committed(s)
    new.state = s.state + s.log[place(s, len(s.state)) : place(s, known_committed(s))]
    new.held = max(s.held, min(known_committed(s), s.flushed))


def durable(s: SnapshotLog):
    """What the disk has for sure, once the log is about to be truncated."""
    if s.untruncated is not None:
        return s.untruncated
    return Durable(base=s.base, log=s.log[: place(s, s.flushed)])


@action
def truncate(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """A new leader does not have the records from x on."""
    require(is_open(s) and agreed(s) <= x and x < log_end(s))
    new.log = s.log[: place(s, x)]
    new.flushed = min(s.flushed, x)
    new.untruncated = durable(s) if x < s.flushed else s.untruncated


# A snapshot is written.


def changed_keys(since, now):
    """How many records of the state changed between two offsets; new ones do not count."""
    return max(0, min(KEYS, now - max(since, KEYS)))


def thresholds_met(since, now):
    """Whether it is time for a snapshot, by bytes and by the share of the latest snapshot's
    records that changed. Without one, by bytes alone (630-D8)."""
    return (
        now > since
        and now - since >= MIN_NEW_BYTES
        and changed_keys(since, now) * 100 >= MIN_CHANGED_PERCENT * min(since, KEYS)
    )


def generated_id(s: SnapshotLog):
    """The id of a snapshot of the current state: up to the high watermark, exclusive."""
    return OffsetAndEpoch(
        end_offset=s.high_watermark, epoch=s.log[: place(s, s.high_watermark)][-1]
    )


def is_settled(s: SnapshotLog):
    """Whether the names of all snapshots are on the disk."""
    return all(s.snapshots[x] is None or s.snapshots[x].named for x in Offset)


@action
def begin_snapshot(s: SnapshotLog, new: SnapshotLog):
    """The state machine begins a snapshot of its current state."""
    require(s.high_watermark is not None and not must_reset(s))
    require(s.parts[Writer.GENERATOR] is None)
    require(thresholds_met(latest(s), s.high_watermark))
    new.parts[Writer.GENERATOR] = Part(id=generated_id(s), records=s.state, stage=Stage.CREATED)


def leaders_id(s: SnapshotLog, x):
    """The id of a leader's snapshot that ends there."""
    return OffsetAndEpoch(end_offset=x, epoch=s.committed[:x][-1])


@action
def begin_fetch(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """The leader has a snapshot that goes further than this log, and no longer what is below."""
    require(is_open(s) and 0 < x and x <= len(s.committed))
    require(is_newer(leaders_id(s, x), end_of_log(s)))
    new.parts[Writer.FETCHER] = Part(
        id=leaders_id(s, x), records=s.committed[:x], stage=Stage.CREATED
    )


def next_step(s: SnapshotLog, new: SnapshotLog, w, before, after):
    """The file of a snapshot goes from one stage to the next."""
    require(s.phase == Phase.RUNNING)
    part = present(s.parts[w])
    require(part.stage == before)
    new.parts[w] = replace(part, stage=after)


@action
def write_header(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """The file begins with its header."""
    next_step(s, new, w, Stage.CREATED, Stage.HEADER)


@action
def write_records(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """The records are written; a download has all its bytes but the last."""
    next_step(s, new, w, Stage.HEADER, Stage.RECORDS)


@action
def write_footer(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """The file ends with its footer."""
    next_step(s, new, w, Stage.RECORDS, Stage.FOOTER)


@action
def flush_part(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """The file is checked and on the disk, under its temporary name."""
    next_step(s, new, w, Stage.FOOTER, Stage.FLUSHED)


def is_wanted(s: SnapshotLog, part):
    """Whether the log has a use for the snapshot: it may have been reset past it meanwhile."""
    return part.id.end_offset >= s.log_start and s.snapshots[part.id.end_offset] is None


@action
def rename(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """The file gets its final name."""
    require(s.phase == Phase.RUNNING)
    part = present(s.parts[w])
    require(part.stage == Stage.FLUSHED and is_wanted(s, part))
    new.snapshots[part.id.end_offset] = Snapshot(
        epoch=part.id.epoch,
        batches=written(part),
        flushed=part.stage == Stage.FLUSHED,
        named=False,
    )
    new.parts[w] = None


@action
def flush_directory(s: SnapshotLog, new: SnapshotLog):
    """Names of snapshots are on the disk."""
    require(s.phase == Phase.RUNNING and not is_settled(s))
    new.snapshots = {
        x: None if s.snapshots[x] is None else replace(s.snapshots[x], named=True) for x in Offset
    }


@action
def give_up(s: SnapshotLog, new: SnapshotLog, w: Writer):
    """The snapshot is not wanted any more, or its download has failed."""
    require(s.phase == Phase.RUNNING and s.parts[w] is not None)
    new.parts[w] = None


# A snapshot takes the place of the log.


def is_safe(s: SnapshotLog, x):
    """Whether a snapshot may take the place of records: its name is on the disk, too."""
    return s.snapshots[x] is not None and s.snapshots[x].named


@action
def reset_to_snapshot(s: SnapshotLog, new: SnapshotLog):
    """The latest snapshot goes further than the log: it is loaded, and the log begins there."""
    require(s.phase == Phase.RUNNING and must_reset(s) and is_safe(s, latest(s)))
    new.base = latest(s)
    new.log = ()
    new.flushed = latest(s)
    new.untruncated = durable(s)
    new.log_start = latest(s)
    new.high_watermark = latest(s)
    new.state = content(s.snapshots[latest(s)])
    new.held = max(s.held, latest(s))


def may_start(x, end):
    """Whether the log may start at x because a snapshot ends at `end`."""
    return x == end or (FOLLOWS_LEADERS_START and x < end)


@action
def advance_log_start(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """Snapshots have taken the place of records. When the log may start later is the leader's
    affair."""
    require(s.high_watermark is not None and not must_reset(s))
    require(s.log_start < x and x <= s.high_watermark)
    require(any(is_safe(s, y) and may_start(x, y) for y in Offset))
    new.log_start = x


@action
def delete_snapshot(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """A snapshot is deleted. If the disk forgets that, it is as if it had not been yet (630-D7)."""
    require(s.phase == Phase.RUNNING and s.snapshots[x] is not None and x < s.log_start)
    new.snapshots[x] = None


@action
def delete_segments(s: SnapshotLog, new: SnapshotLog, x: Offset):
    """Segments below the log start offset go, and the first one left begins at x. That is where
    the log starts after the next boot: the log start offset itself is in no file."""
    require(s.phase == Phase.RUNNING and not must_reset(s))
    require(s.base < x and x <= s.log_start)
    new.base = x
    new.log = s.log[place(s, x) :]
    new.flushed = max(s.flushed, x)
