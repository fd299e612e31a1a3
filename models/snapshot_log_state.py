"""The variables of KIP-630 on one disk, and what a replica has in them."""

from enum import Enum

from lockstep import (
    Constant,
    Domain,
    Map,
    Range,
    Record,
    State,
)
from models.snapshot_file import (
    Part,
    Records,
    Snapshot,
)
from models.snapshot_id import (
    EMPTY,
    Offset,
    OffsetAndEpoch,
    is_newer,
)

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


Crashes: Domain = Range(0, MAX_CRASHES)
Damages: Domain = Range(0, MAX_DAMAGES)


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
    crashes: Crashes = 0
    damages: Damages = 0


def log_end(s: SnapshotLog):
    return s.base + len(s.log)


def place(s: SnapshotLog, x):
    """Where the record at an offset from the base on is in the log."""
    return max(0, x - s.base)


def latest(s: SnapshotLog):
    """The end offset of the latest snapshot, 0 without one."""
    return max(x for x in Offset if x == 0 or s.snapshots[x] is not None)


def id_at(s: SnapshotLog, x):
    """The id of the snapshot that ends there, that of no records without one."""
    if s.snapshots[x] is None:
        return EMPTY
    return OffsetAndEpoch(end_offset=x, epoch=s.snapshots[x].epoch)


def last_epoch(s: SnapshotLog):
    """The epoch of the last record; that of the snapshot below it while the log is empty."""
    return s.log[-1] if len(s.log) > 0 else id_at(s, s.base).epoch


def end_of_log(s: SnapshotLog):
    return OffsetAndEpoch(end_offset=log_end(s), epoch=last_epoch(s))


def must_reset(s: SnapshotLog):
    """Whether the latest snapshot goes further than the log."""
    return is_newer(id_at(s, latest(s)), end_of_log(s))


def is_open(s: SnapshotLog):
    """Whether the log takes part in replication: not while a snapshot is to replace it."""
    return s.phase == Phase.RUNNING and not must_reset(s) and s.parts[Writer.FETCHER] is None


def agreed(s: SnapshotLog):
    """How far the log is what was committed. Logs that agree on a record agree on all before."""
    return s.base + sum(
        1
        for x in Offset
        if s.base <= x
        and x < log_end(s)
        and x < len(s.committed)
        and s.log[place(s, x)] == s.committed[x]
    )
