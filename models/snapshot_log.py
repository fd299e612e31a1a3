"""KIP-630 on one disk: a replica's log, its snapshots, and what a crash leaves of them.

Everything that a replica does to its files is an action of its own, so that a crash may come
between any two. A process that is killed loses its memory and no file. When the power fails, the
disk keeps what was flushed; of everything since, it keeps a part or nothing.

The quorum is only what it has committed: a list of records that grows, with the help of this
replica or without it. See 630-D6 to 630-D9, 630-D13, 630-D16 and 630-D34 to 630-D38 in `specs/`,
where Apache Kafka departs from the KIP's text or settles what it leaves open.
"""

from enum import Enum

from lockstep import Constant, Map, Range, Record, State, action, replace, require
from models.snapshot_file import (
    Length,
    Part,
    RecordEpoch,
    Records,
    Snapshot,
    Stage,
    content,
    is_whole,
    written,
)
from models.snapshot_id import EMPTY, MAX_OFFSET, Offset, OffsetAndEpoch, is_newer

FLUSHES_FIRST: Constant = True
"""Whether the replica flushes before it lets its high watermark advance: a voter does, an observer
of Kafka's does not."""

FOLLOWS_LEADERS_START: Constant = False
"""Whether the log may start anywhere up to the latest snapshot, as a follower's may, or only where
a snapshot ends, as a leader's (630-D13)."""

MIN_NEW_BYTES: Constant = 1
"""metadata.log.max.record.bytes.between.snapshots, in records of one byte: 20 MiB in Kafka."""

MIN_CHANGED_PERCENT: Constant = 50
"""metadata.snapshot.min.changed_records.ratio. Kafka has none, and generates by time as well: that
is 0, with a byte as the least (630-D8)."""

KEYS: Constant = 1
"""Records change these in turn: the state has that many, or one for each record so far."""

MAX_CRASHES: Constant = 1
"""How often the process is killed or the power fails."""

MAX_DAMAGES: Constant = 1
"""How often a file that was flushed is found cut short all the same."""


class Phase(Enum):
    """What the process is, and whether the disk is still to lose what was not flushed."""

    RUNNING = 0
    KILLED = 1
    DARK = 2
    REFUSING = 3


class Writer(Enum):
    """Who writes a snapshot: the state machine, or the fetches from the leader."""

    GENERATOR = 0
    FETCHER = 1


class Durable(Record):
    """A log on the disk that the files in memory no longer show."""

    base: Offset
    log: Records


class SnapshotLog(State):
    # What the quorum has committed, and how much of it this replica answers for: it had that
    # flushed when it was committed, or has learned of it since.
    committed: Records = ()
    held: Offset = 0
    # The process.
    phase: Phase = Phase.RUNNING
    high_watermark: Offset | None = None
    log_start: Offset = 0
    state: Records = ()  # the records that the state machine has been given
    # The files: the log from its first segment's base offset on, and the snapshots.
    base: Offset = 0
    log: Records = ()
    flushed: Offset = 0
    untruncated: Durable | None = None  # there instead, until a truncation is flushed
    snapshots: Map[Offset, Snapshot | None] = {x: None for x in Offset}
    parts: Map[Writer, Part | None] = {w: None for w in Writer}
    # Bounds.
    crashes: Range(0, MAX_CRASHES) = 0
    damages: Range(0, MAX_DAMAGES) = 0


def log_end(s):
    return s.base + len(s.log)


def place(s, x):
    """Where the record at an offset from the base on is in the log."""
    return max(0, x - s.base)


def latest(s):
    """The end offset of the latest snapshot, 0 without one."""
    return max(x for x in Offset if x == 0 or s.snapshots[x] is not None)


def id_at(s, x):
    """The id of the snapshot that ends there, that of no records without one."""
    return (
        EMPTY
        if s.snapshots[x] is None
        else OffsetAndEpoch(end_offset=x, epoch=s.snapshots[x].epoch)
    )


def last_epoch(s):
    """The epoch of the last record; that of the snapshot below it while the log is empty."""
    return s.log[-1] if len(s.log) > 0 else id_at(s, s.base).epoch


def end_of_log(s):
    return OffsetAndEpoch(end_offset=log_end(s), epoch=last_epoch(s))


def must_reset(s):
    """Whether the latest snapshot goes further than the log."""
    return is_newer(id_at(s, latest(s)), end_of_log(s))


def is_open(s):
    """Whether the log takes part in replication: not while a snapshot is to replace it."""
    return s.phase == Phase.RUNNING and not must_reset(s) and s.parts[Writer.FETCHER] is None


def agreed(s):
    """How far the log is what was committed. Logs that agree on a record agree on all before."""
    return s.base + sum(
        1
        for x in Offset
        if s.base <= x
        and x < log_end(s)
        and x < len(s.committed)
        and s.log[place(s, x)] == s.committed[x]
    )


# The log.


def goes_with(base, records, x, e):
    """Whether a record may be at x beside a log: it is in that log, or it lies after its end, or
    a leader wrote it that came after everything in it."""
    return x >= base + len(records) or records[max(0, x - base)] == e or e > records[-1]


def is_possible(s, x, e):
    """Whether a leader can have written the record, with all that this disk has."""
    return goes_with(s.base, s.log, x, e) and (
        s.untruncated is None or goes_with(s.untruncated.base, s.untruncated.log, x, e)
    )


@action
def append_record(s, new, e: RecordEpoch):
    """A record of the replica's own as leader, or the leader's next one."""
    require(is_open(s) and log_end(s) < MAX_OFFSET and e >= last_epoch(s))
    require(agreed(s) == min(log_end(s), len(s.committed)))
    require(log_end(s) >= len(s.committed) or s.committed[log_end(s)] == e)
    require(is_possible(s, log_end(s), e))
    new.log = s.log + (e,)


@action
def flush(s, new):
    """The log is on the disk."""
    require(s.phase == Phase.RUNNING)
    require(s.flushed < log_end(s) or s.untruncated is not None)
    new.flushed = log_end(s)
    new.untruncated = None


def has_flushed(s, x):
    return s.base <= x and x < s.flushed


@action
def commit(s, new, e: RecordEpoch):
    """The quorum commits one more record. The replica has to do with it if it has flushed it."""
    require(s.phase == Phase.RUNNING and len(s.committed) < MAX_OFFSET)
    require(len(s.committed) == 0 or e >= s.committed[-1])
    require(is_possible(s, len(s.committed), e))
    new.committed = s.committed + (e,)
    new.held = (
        len(s.committed) + 1
        if has_flushed(s, len(s.committed)) and s.log[place(s, len(s.committed))] == e
        else s.held
    )


def known_committed(s):
    """How much of what is committed the replica may learn of."""
    return min(s.flushed if FLUSHES_FIRST else log_end(s), len(s.committed))


@action
def advance_high_watermark(s, new):
    """The replica learns what is committed, and the state machine is given those records."""
    require(is_open(s) and agreed(s) >= known_committed(s))
    require(s.high_watermark is None or known_committed(s) > s.high_watermark)
    new.high_watermark = known_committed(s)
    new.state = s.state + s.log[place(s, len(s.state)) : place(s, known_committed(s))]
    new.held = max(s.held, min(known_committed(s), s.flushed))


def durable(s):
    """What the disk has for sure, once the log is about to be truncated."""
    return (
        s.untruncated
        if s.untruncated is not None
        else Durable(base=s.base, log=s.log[: place(s, s.flushed)])
    )


def lowest_truncation(s):
    """Where a leader finds that a follower's log diverges: nowhere in what is committed."""
    return agreed(s)


@action
def truncate(s, new, x: Offset):
    """A new leader does not have the records from x on."""
    require(is_open(s) and lowest_truncation(s) <= x and x < log_end(s))
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


def generated_id(s):
    """The id of a snapshot of the current state: up to the high watermark, exclusive."""
    return OffsetAndEpoch(
        end_offset=s.high_watermark, epoch=s.log[: place(s, s.high_watermark)][-1]
    )


def is_settled(s):
    """Whether the names of all snapshots are on the disk."""
    return all(s.snapshots[x] is None or s.snapshots[x].named for x in Offset)


@action
def begin_snapshot(s, new):
    """The state machine begins a snapshot of its current state."""
    require(s.phase == Phase.RUNNING and not must_reset(s) and is_settled(s))
    require(s.parts[Writer.GENERATOR] is None and s.high_watermark is not None)
    require(thresholds_met(latest(s), s.high_watermark))
    new.parts[Writer.GENERATOR] = Part(id=generated_id(s), records=s.state, stage=Stage.CREATED)


def leaders_id(s, x):
    """The id of a leader's snapshot that ends there."""
    return OffsetAndEpoch(end_offset=x, epoch=s.committed[:x][-1])


@action
def begin_fetch(s, new, x: Offset):
    """The leader has a snapshot that goes further than this log, and no longer what is below."""
    require(is_open(s) and is_settled(s) and 0 < x and x <= len(s.committed))
    require(is_newer(leaders_id(s, x), end_of_log(s)))
    new.parts[Writer.FETCHER] = Part(
        id=leaders_id(s, x), records=s.committed[:x], stage=Stage.CREATED
    )


def next_step(s, new, w, before, after):
    """The file of a snapshot goes from one stage to the next."""
    require(s.phase == Phase.RUNNING and s.parts[w] is not None)
    require(s.parts[w].stage == before)
    new.parts[w] = replace(s.parts[w], stage=after)


@action
def write_header(s, new, w: Writer):
    """The file begins with its header."""
    next_step(s, new, w, Stage.CREATED, Stage.HEADER)


@action
def write_records(s, new, w: Writer):
    """The records are written; a download has all its bytes but the last."""
    next_step(s, new, w, Stage.HEADER, Stage.RECORDS)


@action
def write_footer(s, new, w: Writer):
    """The file ends with its footer."""
    next_step(s, new, w, Stage.RECORDS, Stage.FOOTER)


@action
def flush_part(s, new, w: Writer):
    """The file is checked and on the disk, under its temporary name."""
    next_step(s, new, w, Stage.FOOTER, Stage.FLUSHED)


def may_rename(part):
    """Only a whole file that is on the disk gets its final name."""
    return part.stage == Stage.FLUSHED


def is_wanted(s, part):
    """Whether the log has a use for the snapshot: it may have been reset past it meanwhile."""
    return part.id.end_offset >= s.log_start and s.snapshots[part.id.end_offset] is None


@action
def rename(s, new, w: Writer):
    """The file gets its final name."""
    require(s.phase == Phase.RUNNING and s.parts[w] is not None)
    require(may_rename(s.parts[w]) and is_wanted(s, s.parts[w]))
    new.snapshots[s.parts[w].id.end_offset] = Snapshot(
        epoch=s.parts[w].id.epoch,
        batches=written(s.parts[w]),
        flushed=s.parts[w].stage == Stage.FLUSHED,
        named=False,
    )
    new.parts[w] = None


@action
def flush_directory(s, new):
    """Names of snapshots are on the disk."""
    require(s.phase == Phase.RUNNING and not is_settled(s))
    new.snapshots = {
        x: None if s.snapshots[x] is None else replace(s.snapshots[x], named=True) for x in Offset
    }


@action
def give_up(s, new, w: Writer):
    """The snapshot is not wanted any more, or its download has failed."""
    require(s.phase == Phase.RUNNING and s.parts[w] is not None)
    new.parts[w] = None


# A snapshot takes the place of the log.


def is_safe(s, x):
    """Whether a snapshot may take the place of records: its name is on the disk, too."""
    return s.snapshots[x] is not None and s.snapshots[x].named


@action
def reset_to_snapshot(s, new):
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
def advance_log_start(s, new, x: Offset):
    """Snapshots have taken the place of records. When the log may start later is the leader's
    affair."""
    require(s.phase == Phase.RUNNING and not must_reset(s))
    require(s.high_watermark is not None and s.log_start < x and x <= s.high_watermark)
    require(any(is_safe(s, y) and may_start(x, y) for y in Offset))
    new.log_start = x


def may_delete(s, x):
    """Snapshots that end below the log start offset are needed by nobody."""
    return x < s.log_start


@action
def delete_snapshot(s, new, x: Offset):
    """A snapshot is deleted. If the disk forgets that, it is as if it had not been yet (630-D7)."""
    require(s.phase == Phase.RUNNING and s.snapshots[x] is not None and may_delete(s, x))
    new.snapshots[x] = None


@action
def delete_segments(s, new, x: Offset):
    """Segments below the log start offset go, and the first one left begins at x. That is where
    the log starts after the next boot: the log start offset itself is in no file."""
    require(s.phase == Phase.RUNNING and not must_reset(s))
    require(s.base < x and x <= s.log_start)
    new.base = x
    new.log = s.log[place(s, x) :]
    new.flushed = max(s.flushed, x)


# A crash, and what the disk makes of it.


def stop(s, new, phase):
    require(s.phase == Phase.RUNNING and s.crashes < MAX_CRASHES)
    new.crashes = s.crashes + 1
    new.phase = phase
    new.high_watermark = None
    new.log_start = 0
    new.state = ()


@action
def kill(s, new):
    """The process dies. Its files are as it left them, flushed or not."""
    stop(s, new, Phase.KILLED)


@action
def lose_power(s, new):
    """The machine dies."""
    stop(s, new, Phase.DARK)


@action
def forget_records(s, new, x: Offset):
    """Records that were not flushed are lost from x on."""
    require(s.phase == Phase.DARK and s.flushed <= x and x < log_end(s))
    new.log = s.log[: place(s, x)]
    new.flushed = x
    new.untruncated = None


@action
def forget_truncation(s, new):
    """A truncation that was not flushed is undone, with all that was appended since."""
    require(s.phase == Phase.DARK and s.untruncated is not None)
    new.base = s.untruncated.base
    new.log = s.untruncated.log
    new.flushed = s.untruncated.base + len(s.untruncated.log)
    new.untruncated = None


@action
def forget_rename(s, new, x: Offset):
    """A snapshot whose name was not flushed is a .part file again, of no use."""
    require(s.phase == Phase.DARK and s.snapshots[x] is not None and not s.snapshots[x].named)
    new.snapshots[x] = None


@action
def tear(s, new, x: Offset, length: Length):
    """A snapshot is cut short: it was not flushed, or the disk fails."""
    require(s.phase == Phase.DARK and s.snapshots[x] is not None)
    require(length < len(s.snapshots[x].batches))
    require(not s.snapshots[x].flushed or s.damages < MAX_DAMAGES)
    new.snapshots[x] = replace(
        s.snapshots[x], batches=s.snapshots[x].batches[:length], flushed=True
    )
    new.damages = s.damages + 1 if s.snapshots[x].flushed else s.damages


# Booting.


def is_valid(snapshot):
    """Whether a file that boot finds is a snapshot (630-D15)."""
    return is_whole(snapshot.batches)


def usable(s, x):
    """Whether the log goes on from the snapshot that ends there."""
    return s.snapshots[x] is not None and is_valid(s.snapshots[x]) and x >= s.base


def loaded(s):
    """The end offset of the snapshot that boot loads, 0 without one."""
    return max(x for x in Offset if x == 0 or usable(s, x))


def is_missed(s, x):
    """Whether a file that is no snapshot would have gone further than the log: it may be all that
    there was."""
    return (
        s.snapshots[x] is not None
        and not is_valid(s.snapshots[x])
        and is_newer(id_at(s, x), end_of_log(s))
        and is_newer(id_at(s, x), id_at(s, loaded(s)))
    )


def can_boot(s):
    """Whether the disk has all records from offset 0 on, in a snapshot or in the log."""
    return (s.base == 0 or any(usable(s, x) for x in Offset)) and not any(
        is_missed(s, x) for x in Offset
    )


def after_boot(s, x):
    """A snapshot once boot has cleaned up. What outlasted a power failure is on the disk."""
    return (
        replace(
            s.snapshots[x],
            flushed=s.snapshots[x].flushed or s.phase == Phase.DARK,
            named=s.snapshots[x].named or s.phase == Phase.DARK,
        )
        if usable(s, x)
        else None
    )


@action
def boot(s, new):
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
def refuse_to_boot(s, new):
    """Records are missing: the process ends with an error, not with a part of the state
    (630-D30)."""
    require((s.phase == Phase.KILLED or s.phase == Phase.DARK) and not can_boot(s))
    new.phase = Phase.REFUSING
