"""KIP-630 FetchSnapshot: replicas that fall behind the leader's log download a snapshot instead.

One partition, its voters and observers. Elections are a bounded disturbance: a voter whose latest
(epoch, offset) is no older than that of a majority leads the next epoch, and the others hear of it
later, an earlier leader too. A fetch is one step with its answer; the answer to a FetchSnapshot
request is a message of its own that may be late, lost, repeated or damaged.

The file of a snapshot is a sequence of units: the epoch of each record that it stands for, then
the footer. So a file of n records has n + 1 units, and a chunk may end anywhere.
"""

from enum import Enum

from lockstep import (
    Constant,
    Map,
    OneOf,
    Range,
    Record,
    Sequence,
    Set,
    State,
    action,
    replace,
    require,
)
from models.snapshot_id import (
    MAX_EPOCH,
    MAX_OFFSET,
    Epoch,
    Offset,
    OffsetAndEpoch,
    is_newer,
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


Replica = OneOf(REPLICAS)

FOOTER = 0
DAMAGED = MAX_EPOCH + 1
Unit = Range(FOOTER, MAX_EPOCH + 1)
File = Sequence[Unit, MAX_OFFSET + 1]
Position = Range(0, MAX_OFFSET + 1)


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
    log: Map[Replica, Sequence[Epoch, MAX_OFFSET]] = {r: () for r in Replica}
    high_watermark: Map[Replica, Offset] = {r: 0 for r in Replica}
    snapshots: Map[Replica, Map[Offset, File | None]] = {
        r: {x: None for x in Offset} for r in Replica
    }
    # What leaders know of the others, and up to where snapshots are older than the lag time.
    fetched: Map[Replica, Progress] = {r: Progress(offset=0, leader_epoch=0) for r in Replica}
    aged: Offset = 0
    # Downloads.
    download: Map[Replica, Download | None] = {r: None for r in Replica}
    response: Map[Replica, Response | None] = {r: None for r in Replica}
    # What went wrong so far.
    disturbances: Range(0, MAX_DISTURBANCES) = 0
    wiped: Set[Replica] = set()
    # For the reader: the committed records.
    committed: Sequence[Epoch, MAX_OFFSET] = ()


# What a replica has.


def earliest(s, r):
    """Where the first of its snapshots ends, at its log start or after it; 0 without any."""
    return min(
        (x for x in Offset if s.snapshots[r][x] is not None and x >= s.log_start[r]), default=0
    )


def latest(s, r):
    """Where the last of its snapshots ends; 0 without any."""
    return max((x for x in Offset if s.snapshots[r][x] is not None), default=0)


def last_record(file):
    """The epoch in the id of a snapshot: that of the last record before the footer."""
    return 0 if file is None else file[-2]


def snapshot_id(s, r, x):
    """The id of the snapshot that ends at x; `EMPTY` if there is none."""
    return OffsetAndEpoch(
        end_offset=0 if s.snapshots[r][x] is None else x, epoch=last_record(s.snapshots[r][x])
    )


def log_end(s, r):
    return s.log_start[r] + len(s.log[r])


def records(s, r):
    """All that a replica stands for: the records of its snapshot up to the log start, and its
    log."""
    return (
        s.log[r]
        if s.snapshots[r][earliest(s, r)] is None
        else s.snapshots[r][earliest(s, r)][: s.log_start[r]] + s.log[r]
    )


def epoch_before(s, r, offset):
    """The epoch of the record before an offset not below the log start (630-D23)."""
    return (
        s.log[r][max(0, offset - s.log_start[r] - 1)]
        if offset > s.log_start[r]
        else 0
        if s.log_start[r] == 0
        else snapshot_id(s, r, earliest(s, r)).epoch
    )


def log_end_id(s, r):
    """The end of a log as a fetch or a vote tells it."""
    return OffsetAndEpoch(end_offset=log_end(s, r), epoch=epoch_before(s, r, log_end(s, r)))


def latest_id(s, r):
    """What a voter compares: its log or its latest snapshot, whichever is newer."""
    return newer(snapshot_id(s, r, latest(s, r)), log_end_id(s, r))


def kept(files, start):
    """Snapshots that end before the log start are deleted."""
    return {x: files[x] if x >= start else None for x in Offset}


# Leaders.


def newest_epoch(s):
    return max(e for e in Epoch if s.elected[e] is not None or e == 0)


def left_over(s, r):
    """What becomes of a download in a newer epoch: it is abandoned (630-D27)."""
    return None


def takes_epoch(s, new, members, epoch):
    """Some replicas take a newer epoch: whatever they did in the old one is over."""
    new.epoch = {r: epoch if r in members else s.epoch[r] for r in Replica}
    new.download = {r: left_over(s, r) if r in members else s.download[r] for r in Replica}


def would_vote(s, voter, candidate):
    return (
        voter in VOTERS
        and voter not in s.wiped
        and not is_newer(latest_id(s, voter), latest_id(s, candidate))
    )


@action
def elect(s, new, r: Replica, majority: Set[Replica]):
    """A voter wins the next epoch; those who voted for it know. A voter that lost its disk would
    break its promises: it votes no more (630-D33)."""
    require(r in majority and newest_epoch(s) < MAX_EPOCH)
    require(all(v not in majority or would_vote(s, v, r) for v in Replica))
    require(len(majority) == len(VOTERS) // 2 + 1)
    epoch = newest_epoch(s) + 1
    takes_epoch(s, new, majority, epoch)
    new.elected[epoch] = r
    new.download[r] = None
    new.leading = (s.leading - majority) | {r}


@action
def hear_of_epoch(s, new, r: Replica, epoch: Epoch):
    """A replica hears who was elected."""
    require(s.elected[epoch] is not None and epoch > s.epoch[r])
    takes_epoch(s, new, {r}, epoch)
    new.leading = s.leading - {r}


def disturb(s, new):
    require(s.disturbances < MAX_DISTURBANCES)
    new.disturbances = s.disturbances + 1


@action
def restart_leader(s, new, r: Replica):
    """A leader that restarts leads its epoch no more."""
    require(r in s.leading)
    disturb(s, new)
    new.leading = s.leading - {r}


@action
def write_record(s, new, r: Replica):
    """A leader writes a record of its epoch."""
    require(r in s.leading and log_end(s, r) < MAX_OFFSET)
    new.log[r] = s.log[r] + (s.epoch[r],)


# Snapshots.


@action
def generate_snapshot(s, new, r: Replica, end: Offset):
    """The state machine has written down the state after some committed records."""
    require(r in GENERATORS and latest(s, r) < end and end <= s.high_watermark[r])
    require(s.log_start[r] <= end)
    require(LAGGING_STATE_MACHINES or end == s.high_watermark[r])
    new.snapshots[r][end] = records(s, r)[:end] + (FOOTER,)


@action
def age(s, new, end: Offset):
    """The lag time has passed since some snapshot was generated; those before it are older."""
    require(s.aged < end and any(s.snapshots[r][end] is not None for r in Replica))
    new.aged = end


def reached(s, leader, r):
    """How far a leader knows that a replica has come."""
    return (
        log_end(s, leader)
        if r == leader
        else s.fetched[r].offset
        if s.fetched[r].leader_epoch == s.epoch[leader]
        else 0
    )


def may_start_at(s, leader, end):
    """When the records before a snapshot's end may go (630-D11)."""
    return end <= s.aged or all(reached(s, leader, r) >= end for r in Replica)


@action
def advance_log_start(s, new, r: Replica, end: Offset):
    """A leader drops the records that a snapshot stands for, and the snapshots before it."""
    require(r in s.leading and s.log_start[r] < end and s.snapshots[r][end] is not None)
    require(may_start_at(s, r, end))
    new.log_start[r] = end
    new.log[r] = s.log[r][max(0, end - s.log_start[r]) :]
    new.snapshots[r] = kept(s.snapshots[r], end)


# A leader answers a fetch: with records, a diverging epoch, or a snapshot id.


def leader_of(s, r):
    """Whom a replica takes for the leader: itself, if it lost its disk and led the epoch before."""
    return s.elected[s.epoch[r]]


def may_fetch(s, r):
    """The replica fetches, and reaches a leader of its epoch."""
    leader = leader_of(s, r)
    return (
        r not in s.leading
        and s.download[r] is None
        and leader is not None
        and leader in s.leading
        and s.epoch[leader] == s.epoch[r]
    )


def end_of_epoch(s, r, epoch):
    """Where the records of an epoch, or of the greatest one before it, end in a log."""
    return s.log_start[r] + sum(1 for e in s.log[r] if e <= epoch)


def is_below(s, leader, at):
    """The leader cannot compare: the fetch ends before the leader's log, or parts from it there
    (630-D20)."""
    start = s.log_start[leader]
    base = epoch_before(s, leader, start)
    return at.end_offset < start or at.epoch < base or (at.end_offset == start and at.epoch != base)


def common_end(s, leader, at):
    """The greatest epoch that the leader has up to the last fetched one, and where it ends."""
    end = end_of_epoch(s, leader, at.epoch)
    return OffsetAndEpoch(end_offset=end, epoch=epoch_before(s, leader, end))


def agrees(s, leader, at):
    """The leader has the fetcher's last record at the same offset."""
    common = common_end(s, leader, at)
    return (
        not is_below(s, leader, at)
        and common.epoch == at.epoch
        and common.end_offset >= at.end_offset
    )


def reached_after(s, leader, fetcher, r):
    """`reached`, once the fetcher's fetch was taken in."""
    return log_end(s, r) if r == fetcher else reached(s, leader, r)


def counted(s):
    """The voters whose fetches count; one that lost its disk is another replica (630-D33)."""
    return {v for v in Replica if v in VOTERS and v not in s.wiped}


def on_a_majority(s, leader, fetcher, members):
    """The greatest offset that the logs of some replicas reach, as many as most of the voters."""
    return max(
        x
        for x in Offset
        if 2 * sum(1 for v in members if reached_after(s, leader, fetcher, v) >= x) > len(VOTERS)
        or x == 0
    )


def epoch_start(s, leader):
    """Where a leader's own records begin."""
    return end_of_epoch(s, leader, max(0, s.epoch[leader] - 1))


def next_high_watermark(s, leader, fetcher):
    """The leader's high watermark once it took in a fetch that agrees."""
    reached_by_most = on_a_majority(s, leader, fetcher, counted(s))
    return (
        max(s.high_watermark[leader], reached_by_most)
        if reached_by_most > epoch_start(s, leader)
        else s.high_watermark[leader]
    )


def known_high_watermark(s, leader, fetcher):
    """What the leader tells: nothing, before a record of its epoch is committed."""
    high_watermark = next_high_watermark(s, leader, fetcher)
    return high_watermark if high_watermark > epoch_start(s, leader) else 0


def take_in(s, new, leader, r):
    """The leader learns how far a replica is."""
    high_watermark = next_high_watermark(s, leader, r)
    new.fetched[r] = Progress(offset=log_end(s, r), leader_epoch=s.epoch[r])
    new.high_watermark[leader] = high_watermark
    new.committed = (
        records(s, leader)[:high_watermark] if high_watermark > len(s.committed) else s.committed
    )


def next_log_start(s, leader, r):
    """The lesser of the leader's log start and the end of the replica's own latest snapshot."""
    return max(s.log_start[r], min(s.log_start[leader], latest(s, r)))


def follow(s, new, leader, r, log):
    """A replica takes an answer in: its log is now so, and the rest follows the leader."""
    start = next_log_start(s, leader, r)
    known = known_high_watermark(s, leader, r)
    take_in(s, new, leader, r)
    new.high_watermark[r] = (
        s.high_watermark[r] if known == 0 else min(known, s.log_start[r] + len(log))
    )
    new.log_start[r] = start
    new.log[r] = log[max(0, start - s.log_start[r]) :]
    new.snapshots[r] = kept(s.snapshots[r], start)


@action
def fetch_record(s, new, r: Replica):
    """The leader has a record after the fetcher's last one."""
    leader = leader_of(s, r)
    require(may_fetch(s, r) and leader is not None)
    require(agrees(s, leader, log_end_id(s, r)) and log_end(s, r) < log_end(s, leader))
    record = s.log[leader][max(0, log_end(s, r) - s.log_start[leader])]
    follow(s, new, leader, r, s.log[r] + (record,))


@action
def fetch_nothing(s, new, r: Replica):
    """The fetcher has all that the leader has."""
    leader = leader_of(s, r)
    require(may_fetch(s, r) and leader is not None)
    require(agrees(s, leader, log_end_id(s, r)) and log_end(s, r) == log_end(s, leader))
    follow(s, new, leader, r, s.log[r])


@action
def lose_fetch(s, new, r: Replica):
    """The leader has taken a fetch in, but its answer is lost."""
    leader = leader_of(s, r)
    require(may_fetch(s, r) and leader is not None)
    require(agrees(s, leader, log_end_id(s, r)))
    disturb(s, new)
    take_in(s, new, leader, r)


@action
def fetch_diverging(s, new, r: Replica):
    """The leader tells where the logs part at the latest: the fetcher truncates to there."""
    leader = leader_of(s, r)
    require(may_fetch(s, r) and leader is not None)
    require(not is_below(s, leader, log_end_id(s, r)) and not agrees(s, leader, log_end_id(s, r)))
    common = common_end(s, leader, log_end_id(s, r))
    end = min(common.end_offset, end_of_epoch(s, r, common.epoch))
    new.log[r] = s.log[r][: max(0, end - s.log_start[r])]


def named_snapshot(s, leader):
    """The leader's latest snapshot."""
    return snapshot_id(s, leader, latest(s, leader))


@action
def fetch_snapshot_id(s, new, r: Replica):
    """The leader's log starts too late: it names its latest snapshot, and fetching pauses. One that
    the fetcher has already is not fetched again: it fetches from the log anew (630-D18)."""
    leader = leader_of(s, r)
    require(may_fetch(s, r) and leader is not None)
    require(is_below(s, leader, log_end_id(s, r)))
    snapshot = named_snapshot(s, leader)
    require(s.snapshots[r][snapshot.end_offset] is None)
    new.download[r] = Download(snapshot=snapshot, part=())


# A replica asks for a chunk of a snapshot, and its leader answers.


def answer_with(s, new, r, error, size, units):
    """The answer of the replica that r takes for its leader."""
    require(s.download[r] is not None and s.response[r] is None)
    leader = leader_of(s, r)
    require(leader is not None and leader != r)
    new.response[r] = Response(
        error=error,
        leader_epoch=s.epoch[leader],
        snapshot=s.download[r].snapshot,
        size=size,
        position=len(s.download[r].part),
        units=units,
    )


def leads_epoch_of(s, r):
    """The replica that r takes for its leader leads r's epoch."""
    leader = leader_of(s, r)
    return leader is not None and leader in s.leading and s.epoch[leader] == s.epoch[r]


def requested(s, r):
    """The file at the leader that the replica's download names; None without it."""
    leader = leader_of(s, r)
    return (
        None
        if s.download[r] is None or leader is None
        else s.snapshots[leader][s.download[r].snapshot.end_offset]
        if last_record(s.snapshots[leader][s.download[r].snapshot.end_offset])
        == s.download[r].snapshot.epoch
        else None
    )


def chunk(file, position):
    """As much of a file from a position on as one response may have."""
    return file[position : position + MAX_BYTES]


@action
def answer_chunk(s, new, r: Replica):
    """The leader has more of the file."""
    require(leads_epoch_of(s, r) and s.download[r] is not None)
    file = requested(s, r)
    position = len(s.download[r].part)
    require(file is not None and position < len(file))
    answer_with(s, new, r, Error.NONE, len(file), chunk(file, position))


@action
def answer_snapshot_not_found(s, new, r: Replica):
    """The leader has deleted the snapshot."""
    require(leads_epoch_of(s, r) and s.download[r] is not None and requested(s, r) is None)
    answer_with(s, new, r, Error.SNAPSHOT_NOT_FOUND, 0, ())


@action
def answer_fenced(s, new, r: Replica):
    """Whom the replica asks knows a newer epoch."""
    leader = leader_of(s, r)
    require(leader is not None and s.epoch[leader] > s.epoch[r])
    answer_with(s, new, r, Error.FENCED_LEADER_EPOCH, 0, ())


@action
def answer_unknown_epoch(s, new, r: Replica):
    """Whom the replica asks has lost its disk, and knows an older epoch."""
    leader = leader_of(s, r)
    require(leader is not None and s.epoch[leader] < s.epoch[r])
    answer_with(s, new, r, Error.UNKNOWN_LEADER_EPOCH, 0, ())


@action
def answer_not_leader(s, new, r: Replica):
    """Whom the replica asks has restarted, and leads no more."""
    leader = leader_of(s, r)
    require(leader is not None and s.epoch[leader] == s.epoch[r] and leader not in s.leading)
    answer_with(s, new, r, Error.NOT_LEADER_OR_FOLLOWER, 0, ())


# What follows an answer.


def is_next(part, response):
    """The response carries on where the .part file ends (630-D28)."""
    return response.position == len(part)


def is_current(s, r, response):
    """The response is no older than what the replica knows."""
    return (
        response.leader_epoch > s.epoch[r]
        if response.error == Error.FENCED_LEADER_EPOCH
        else response.leader_epoch < s.epoch[r]
        if response.error == Error.UNKNOWN_LEADER_EPOCH
        else response.leader_epoch == s.epoch[r]
    )


def is_awaited(s, r):
    """The response is to the latest request of a download that goes on."""
    response = s.response[r]
    download = s.download[r]
    return (
        response is not None
        and download is not None
        and response.snapshot == download.snapshot
        and is_next(download.part, response)
        and is_current(s, r, response)
    )


def written(part, response):
    """The .part file once the units of a response are at their position."""
    return part[: response.position] + response.units


def is_valid(file):
    """The checksums are right, and the last thing in the file is its footer."""
    return file[-1] == FOOTER and all(unit != DAMAGED for unit in file)


def deliver(s, new, r, repeated):
    """A response arrives; the network may have another copy of it."""
    require(is_awaited(s, r) and (not repeated or s.disturbances < MAX_DISTURBANCES))
    new.response[r] = s.response[r] if repeated else None
    new.disturbances = s.disturbances + 1 if repeated else s.disturbances


def gives_way(s, r, snapshot):
    """Whether the log gives way to the snapshot that was fetched: always (630-D17)."""
    return True


def start_after(end):
    """The first offset that a snapshot leaves to the log: its end is not in it."""
    return end


@action
def receive_chunk(s, new, r: Replica, repeated: bool):
    """Units arrive, and more are to come."""
    deliver(s, new, r, repeated)
    download = s.download[r]
    response = s.response[r]
    require(response.error == Error.NONE)
    part = written(download.part, response)
    require(len(part) < response.size)
    new.download[r] = Download(snapshot=download.snapshot, part=part)


@action
def receive_last_chunk(s, new, r: Replica, repeated: bool):
    """The file is whole and valid. It gets its name, and the log gives way to it."""
    deliver(s, new, r, repeated)
    download = s.download[r]
    response = s.response[r]
    require(response.error == Error.NONE)
    file = written(download.part, response)
    require(len(file) >= response.size and is_valid(file))
    end = download.snapshot.end_offset
    reset = gives_way(s, r, download.snapshot)
    start = start_after(end) if reset else s.log_start[r]
    new.download[r] = None
    new.snapshots[r] = kept({x: file if x == end else s.snapshots[r][x] for x in Offset}, start)
    new.log_start[r] = start
    new.log[r] = () if reset else s.log[r]
    new.high_watermark[r] = max(s.high_watermark[r], end) if reset else s.high_watermark[r]


@action
def receive_damaged(s, new, r: Replica, repeated: bool):
    """The file is whole but not valid: the download is abandoned."""
    deliver(s, new, r, repeated)
    require(s.response[r].error == Error.NONE)
    file = written(s.download[r].part, s.response[r])
    require(len(file) >= s.response[r].size and not is_valid(file))
    new.download[r] = None


def abandons_after(error):
    """Whether a download is over after an error: after any (630-D26)."""
    return True


@action
def receive_error(s, new, r: Replica):
    """The download is abandoned: the next fetch finds out what to do (630-D26)."""
    deliver(s, new, r, False)
    require(s.response[r].error not in (Error.NONE, Error.FENCED_LEADER_EPOCH))
    new.download[r] = None if abandons_after(s.response[r].error) else s.download[r]


@action
def receive_fenced(s, new, r: Replica):
    """The replica takes the newer epoch, and the download is abandoned."""
    deliver(s, new, r, False)
    require(s.response[r].error == Error.FENCED_LEADER_EPOCH)
    takes_epoch(s, new, {r}, s.response[r].leader_epoch)


@action
def ignore_response(s, new, r: Replica):
    """A response that nobody waits for: of an older epoch, an abandoned download, or repeated."""
    require(s.response[r] is not None and not is_awaited(s, r))
    new.response[r] = None


# What goes wrong.


@action
def lose_response(s, new, r: Replica):
    require(s.response[r] is not None)
    disturb(s, new)
    new.response[r] = None


@action
def damage_chunk(s, new, r: Replica):
    """A chunk arrives with a wrong byte in it."""
    require(s.response[r] is not None and len(s.response[r].units) > 0)
    disturb(s, new)
    new.response[r] = replace(s.response[r], units=(DAMAGED,) + s.response[r].units[1:])


@action
def restart_follower(s, new, r: Replica):
    """A replica that restarts has no .part file any more."""
    require(s.download[r] is not None)
    disturb(s, new)
    new.download[r] = None
    new.response[r] = None


@action
def lose_disk(s, new, r: Replica):
    """A replica starts again with nothing."""
    require(r not in s.wiped and len(s.wiped) < MAX_WIPED)
    new.wiped = s.wiped | {r}
    new.epoch[r] = 0
    new.leading = s.leading - {r}
    new.log_start[r] = 0
    new.log[r] = ()
    new.high_watermark[r] = 0
    new.snapshots[r] = {x: None for x in Offset}
    new.download[r] = None
    new.response[r] = None
