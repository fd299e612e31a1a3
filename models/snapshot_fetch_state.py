"""The variables of KIP-630 FetchSnapshot, and what a replica has in them.

The file of a snapshot is a sequence of units: the epoch of each record that it stands for, then
the footer. So a file of n records has n + 1 units, and a chunk may end anywhere.
"""

from enum import Enum

from lockstep import (
    Constant,
    Domain,
    Map,
    OneOf,
    Range,
    Record,
    Sequence,
    Set,
    State,
    require,
)
from models.snapshot_id import (
    MAX_EPOCH,
    MAX_OFFSET,
    Epoch,
    Offset,
    OffsetAndEpoch,
    newer,
)

REPLICAS: Constant = ("v1", "v2", "o1")
VOTERS: Constant = ("v1", "v2")
"""Those of the replicas that are voters, two or more; the first one leads epoch 1. The others are
observers."""

GENERATORS: Constant = ("v1",)
"""The replicas that generate snapshots."""

LAGGING_STATE_MACHINES: Constant = True
"""Whether a snapshot may end before the high watermark, because its state machine is behind."""

MAX_BYTES: Constant = 2
"""The most units of a file in one response."""

MAX_DISTURBANCES: Constant = 1
"""How often in one behaviour a message is lost, repeated or damaged, or a replica restarts."""

MAX_WIPED: Constant = 0
"""How many replicas lose their disk in one behaviour."""

CLEANS_BY_RETENTION: Constant = False
"""Whether each replica drops records by the size and the age of its own snapshots, as Kafka's do,
or by what others have and tell, as the KIP says (630-D10, 630-D12)."""

SNAPSHOT_FOR_EMPTY_LOGS: Constant = False
"""Whether a fetch from offset 0 is referred to a snapshot wherever there is one, as Kafka's are, or
only where the log cannot serve it, as the KIP says (630-D21)."""

FETCH_RULE: Constant = "earliest"
"""When a fetch is answered with a snapshot. "offset": if its offset is below the leader's log
start, as the KIP says, and a log that diverges is compared with what the leader's still has.
"history": the same, and it is compared with all that the leader ever had. "earliest": also where
the epoch does not go with the earliest snapshot, as in Apache Kafka (630-D20)."""

FETCHES_WAIT: Constant = False
"""Whether a fetch that finds nothing new waits at the leader, as Kafka's do; of that the KIP says
nothing (630-D39)."""


Replica: Domain = OneOf(REPLICAS)
Records: Domain = Sequence[Epoch, MAX_OFFSET]
Disturbances: Domain = Range(0, MAX_DISTURBANCES)

FOOTER = 0
DAMAGED = MAX_EPOCH + 1
Unit: Domain = Range(FOOTER, MAX_EPOCH + 1)
File: Domain = Sequence[Unit, MAX_OFFSET + 1]
Position: Domain = Range(0, MAX_OFFSET + 1)


class Error(Enum):
    """The error of a response; the values are Kafka's error codes. POSITION_OUT_OF_RANGE is not
    among them, for nobody asks for such a position: `every_byte_counts_once`, 630-D25."""

    NONE = 0
    NOT_LEADER_OR_FOLLOWER = 6
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    SNAPSHOT_NOT_FOUND = 98


class Progress(Record):
    """How far a replica was when a leader last agreed with its fetch."""

    offset: Offset
    leader_epoch: Epoch


class Wait(Record):
    """What a fetch that waits is sent if nothing comes: the leader's, as they were when it came."""

    high_watermark: Offset  # 0 if none was known
    log_start: Offset


class Download(Record):
    """A snapshot that is being fetched, and the .part file so far."""

    snapshot: OffsetAndEpoch
    part: File


class Response(Record):
    """The answer to a FetchSnapshot request."""

    error: Error
    leader_epoch: Epoch
    snapshot: OffsetAndEpoch
    size: Position
    position: Position
    units: File


class SnapshotFetch(State):
    # Who leads: as elected, and as far as each replica knows.
    elected: Map[Epoch, Replica | None] = {e: VOTERS[0] if e == 1 else None for e in Epoch}
    epoch: Map[Replica, Epoch] = {r: 1 for r in Replica}
    leading: Set[Replica] = {VOTERS[0]}
    # What each replica has: the epochs of the records in its log, and its snapshots.
    log_start: Map[Replica, Offset] = {r: 0 for r in Replica}
    log: Map[Replica, Records] = {r: () for r in Replica}
    high_watermark: Map[Replica, Offset] = {r: 0 for r in Replica}
    snapshots: Map[Replica, Map[Offset, File | None]] = {
        r: {x: None for x in Offset} for r in Replica
    }
    # What leaders know of the others, and up to where snapshots are older than the lag time.
    fetched: Map[Replica, Progress] = {r: Progress(offset=0, leader_epoch=0) for r in Replica}
    aged: Offset = 0
    # Fetches that wait at the leader of the fetcher's epoch.
    waiting: Map[Replica, Wait | None] = {r: None for r in Replica}
    # Downloads.
    download: Map[Replica, Download | None] = {r: None for r in Replica}
    response: Map[Replica, Response | None] = {r: None for r in Replica}
    # What went wrong so far.
    disturbances: Disturbances = 0
    wiped: Set[Replica] = set()
    # For the reader: the committed records.
    committed: Records = ()


# What a replica has.


def earliest(s: SnapshotFetch, r):
    """Where the first of its snapshots ends, at its log start or after it; 0 without any."""
    return min(
        (x for x in Offset if s.snapshots[r][x] is not None and x >= s.log_start[r]), default=0
    )


def latest(s: SnapshotFetch, r):
    """Where the last of its snapshots ends; 0 without any."""
    return max((x for x in Offset if s.snapshots[r][x] is not None), default=0)


def last_record(file):
    """The epoch in the id of a snapshot: that of the last record before the footer."""
    return 0 if file is None else file[-2]


def snapshot_id(s: SnapshotFetch, r, x):
    """The id of the snapshot that ends at x; `EMPTY` if there is none."""
    return OffsetAndEpoch(
        end_offset=0 if s.snapshots[r][x] is None else x, epoch=last_record(s.snapshots[r][x])
    )


def log_end(s: SnapshotFetch, r):
    return s.log_start[r] + len(s.log[r])


def records(s: SnapshotFetch, r):
    """All that a replica stands for: the records of its snapshot up to the log start, and its
    log."""
    first = s.snapshots[r][earliest(s, r)]
    if first is None:
        return s.log[r]
    return first[: s.log_start[r]] + s.log[r]


def epoch_before(s: SnapshotFetch, r, offset):
    """The epoch of the record before an offset not below the log start (630-D23)."""
    if offset > s.log_start[r]:
        return s.log[r][max(0, offset - s.log_start[r] - 1)]
    if s.log_start[r] == 0:
        return 0
    return snapshot_id(s, r, earliest(s, r)).epoch


def log_end_id(s: SnapshotFetch, r):
    """The end of a log as a fetch or a vote has it."""
    return OffsetAndEpoch(end_offset=log_end(s, r), epoch=epoch_before(s, r, log_end(s, r)))


def latest_id(s: SnapshotFetch, r):
    """What a voter compares: its log or its latest snapshot, whichever is newer."""
    return newer(snapshot_id(s, r, latest(s, r)), log_end_id(s, r))


def kept(files, start):
    """Snapshots that end before the log start are deleted."""
    return {x: files[x] if x >= start else None for x in Offset}


# Leaders.


def newest_epoch(s: SnapshotFetch):
    return max(e for e in Epoch if s.elected[e] is not None or e == 0)


def takes_epoch(s: SnapshotFetch, new: SnapshotFetch, members, epoch):
    """Some replicas take a newer epoch: whatever they did in the old one is over (630-D27)."""
    new.epoch = {r: epoch if r in members else s.epoch[r] for r in Replica}
    new.waiting = {r: None if r in members else s.waiting[r] for r in Replica}
    new.download = {r: None if r in members else s.download[r] for r in Replica}


def disturb(s: SnapshotFetch, new: SnapshotFetch):
    require(s.disturbances < MAX_DISTURBANCES)
    new.disturbances = s.disturbances + 1


# A leader answers a fetch: with records, a diverging epoch, or a snapshot id.


def leader_of(s: SnapshotFetch, r):
    """Whom a replica takes for the leader: itself, if it lost its disk and led the epoch before."""
    return s.elected[s.epoch[r]]
