"""The variables of KRaft elections under snapshots, and what a replica has in them.

A record is the epoch of the leader that wrote it, for a leader writes one record at an offset; and
a value, where a scope looks for leaders that write two. A snapshot is the records that it stands
for.
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
)
from models.snapshot_id import (
    MAX_OFFSET,
    Epoch,
    Offset,
    OffsetAndEpoch,
    newer,
)

VOTERS: Constant = ("v1", "v2", "v3")

MAX_RESTARTS: Constant = 1
"""How often a replica crashes and restarts in one behaviour."""

MAX_WIPES: Constant = 0
"""How often a follower loses its log and its snapshots in one behaviour."""

MAX_SNAPSHOTS: Constant = 1
"""How many snapshots are generated in one behaviour; copies by fetching are not counted."""

RESET: Constant = "always"
"""When a follower that fetched a snapshot resets its log: "always", or, as in Apache Kafka, if the
snapshot is "newer" by epoch, then by offset (630-D17)."""

FETCH_RULE: Constant = "earliest"
"""When a fetch is answered with a snapshot. "offset": if its offset is below the leader's log
start, as the KIP says, and a log that diverges is compared with what the leader's still has.
"history": the same, and it is compared with all that the leader ever had. "earliest": also where
the epoch does not go with the earliest snapshot, as in Apache Kafka (630-D20)."""

MAX_CUTS: Constant = 0
"""How often the network cuts a replica off from all others in one behaviour. A leader that hears
of no majority then resigns."""

STALLS: Constant = False
"""Whether a follower may fetch and not get on: what it is sent it cannot write, or a download takes
long."""

CHECK_QUORUM: Constant = "fetch"
"""What of a follower that does not get on keeps its leader in office. "fetch": a Fetch, whatever is
answered, as the KIP says. "served": a Fetch that is answered with records and a FetchSnapshot, as
in Apache Kafka (595-D5). "progress": a Fetch of a follower that has all, and a FetchSnapshot.
KAFKA-15911 asks for that, and that the download advances."""

PRE_VOTE: Constant = False
"""Whether a replica stands only if a majority would vote for it, as KIP-996 has it."""

NOTICES: Constant = False
"""Whether a leader's state machine writes only once it was notified that it leads."""

VALUES: Constant = False
"""Whether records have values: what was written before a crash is then not what is written after
it, in the same epoch at the same offset."""

Voter: Domain = OneOf(VOTERS, interchangeable=True)
Value: Domain = Range(0, MAX_RESTARTS if VALUES else 0)
Snapshots: Domain = Range(0, MAX_SNAPSHOTS)
Restarts: Domain = Range(0, MAX_RESTARTS)
Wipes: Domain = Range(0, MAX_WIPES)
Cuts: Domain = Range(0, MAX_CUTS)
Notice: Domain = Range(0, 1 if NOTICES else 0)
Stalled: Domain = Range(0, 1 if STALLS else 0)


class LogRecord(Record):
    """What a leader of an epoch wrote; the value is how many crashes there were before."""

    epoch: Epoch
    value: Value


Records: Domain = Sequence[LogRecord, MAX_OFFSET]


class Role(Enum):
    """Of a replica in its epoch. A leader that resigned is a follower of nobody."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class Answer(Enum):
    """What a leader has to say to a fetch."""

    RECORDS = 0
    DIVERGING = 1
    SNAPSHOT = 2


class SnapshotElection(State):
    # On the voters' disks.
    epoch: Map[Voter, Epoch] = {v: 0 for v in Voter}
    voted: Map[Voter, Voter | None] = {v: None for v in Voter}
    log_start: Map[Voter, Offset] = {v: 0 for v in Voter}
    log: Map[Voter, Records] = {v: () for v in Voter}
    # The records that the latest snapshot stands for; none without one.
    snapshot: Map[Voter, Records] = {v: () for v in Voter}
    # In the voters' memories.
    role: Map[Voter, Role] = {v: Role.FOLLOWER for v in Voter}
    # Whether the latest snapshot was fetched, and the log is not reset to it yet.
    unapplied: Map[Voter, bool] = {v: False for v in Voter}
    high_watermark: Map[Voter, Offset] = {v: 0 for v in Voter}
    # Who gave a candidate its vote.
    granted: Map[Voter, Set[Voter]] = {v: set() for v in Voter}
    # The fetch offsets that a leader knows of the others.
    fetched: Map[Voter, Map[Voter, Offset]] = {v: {w: 0 for w in Voter} for v in Voter}
    # Whether its state machine takes the replica for the leader: 1, if it does.
    notice: Map[Voter, Notice] = {v: 0 for v in Voter}
    # Whether a follower fetches and does not get on: 1, if so.
    stalled: Map[Voter, Stalled] = {v: 0 for v in Voter}
    # The replica that the network has cut off, if any.
    cut: Voter | None = None
    # Known to the reader only: what is committed, and the epoch whose leader committed the last of
    # it; a mistake may make that a later one than the record's.
    committed: Records = ()
    committed_in: Epoch = 0
    snapshots: Snapshots = 0
    restarts: Restarts = 0
    wipes: Wipes = 0
    cuts: Cuts = 0


# Whom a replica hears of, and what it has.


def hears(s: SnapshotElection, v, w):
    """Whether requests and responses between two replicas arrive."""
    return s.cut != v and s.cut != w


def last_epoch(records):
    return records[-1].epoch if len(records) > 0 else 0


def id_of(records):
    return OffsetAndEpoch(end_offset=len(records), epoch=last_epoch(records))


def next_record(s: SnapshotElection, leader):
    """What a leader writes."""
    return LogRecord(epoch=s.epoch[leader], value=s.restarts if VALUES else 0)


def log_end(s: SnapshotElection, v):
    return s.log_start[v] + len(s.log[v])


def history(s: SnapshotElection, v):
    """All records of a replica: below the log's start, those of the snapshot."""
    return s.snapshot[v][: s.log_start[v]] + s.log[v]


def log_id(s: SnapshotElection, v):
    """How far the log goes; an empty one goes as far as the snapshot that it starts from."""
    return id_of(history(s, v))


def newest(s: SnapshotElection, v):
    """What a replica votes and asks for votes with: the newest of its log and its snapshots."""
    return newer(id_of(s.snapshot[v]), log_id(s, v))


def is_majority(voters):
    return 2 * len(voters) > sum(1 for v in Voter)


def become(s: SnapshotElection, new: SnapshotElection, v, role, epoch, voted):
    """A replica takes a role in an epoch, with nothing known of the others."""
    new.role[v] = role
    new.epoch[v] = epoch
    new.voted[v] = voted
    new.granted[v] = {v} if role == Role.CANDIDATE else set()
    new.fetched[v] = {w: 0 for w in Voter}
    new.notice[v] = 0
    new.stalled[v] = 0
