"""Elections, and fetches of the log and their answers (KIP-595 under KIP-630)."""

from lockstep import Set, action, present, require
from models.snapshot_fetch_snapshots import reached
from models.snapshot_fetch_state import (
    CLEANS_BY_RETENTION,
    FETCH_RULE,
    FETCHES_WAIT,
    MAX_WIPED,
    SNAPSHOT_FOR_EMPTY_LOGS,
    VOTERS,
    Download,
    Progress,
    Replica,
    SnapshotFetch,
    Wait,
    disturb,
    epoch_before,
    kept,
    latest,
    latest_id,
    leader_of,
    log_end,
    log_end_id,
    newest_epoch,
    records,
    snapshot_id,
    takes_epoch,
)
from models.snapshot_id import MAX_EPOCH, MAX_OFFSET, Epoch, Offset, OffsetAndEpoch, is_newer


def would_vote(s: SnapshotFetch, voter, candidate):
    return (
        voter in VOTERS
        and voter not in s.wiped
        and not is_newer(latest_id(s, voter), latest_id(s, candidate))
    )


@action
def elect(s: SnapshotFetch, new: SnapshotFetch, r: Replica, majority: Set[Replica]):
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
def hear_of_epoch(s: SnapshotFetch, new: SnapshotFetch, r: Replica, epoch: Epoch):
    """A replica hears who was elected."""
    require(s.elected[epoch] is not None and epoch > s.epoch[r])
    takes_epoch(s, new, {r}, epoch)
    new.leading = s.leading - {r}


@action
def restart_leader(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader that restarts leads its epoch no more."""
    require(r in s.leading)
    disturb(s, new)
    new.leading = s.leading - {r}


@action
def write_record(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader writes a record of its epoch."""
    require(r in s.leading and log_end(s, r) < MAX_OFFSET)
    new.log[r] = s.log[r] + (s.epoch[r],)


# Fetches.


def may_fetch(s: SnapshotFetch, r):
    """The replica fetches, and reaches a leader of its epoch."""
    leader = leader_of(s, r)
    return (
        r not in s.leading
        and s.download[r] is None
        and leader is not None
        and leader in s.leading
        and s.epoch[leader] == s.epoch[r]
    )


def end_of_epoch(s: SnapshotFetch, r, epoch):
    """Where the records of an epoch, or of the greatest one before it, end in a log."""
    return s.log_start[r] + sum(1 for e in s.log[r] if e <= epoch)


def parts_at_the_start(s: SnapshotFetch, leader, at):
    """A fetch from the leader's log start on has no epoch that goes with it (630-D20)."""
    start = s.log_start[leader]
    base = epoch_before(s, leader, start)
    return at.epoch < base or (at.end_offset == start and at.epoch != base)


def is_below(s: SnapshotFetch, leader, at):
    """The leader cannot compare: the fetch ends before the leader's log, or parts from it there.
    Or it does not care to, for a snapshot is the quicker way (630-D21)."""
    return (
        at.end_offset < s.log_start[leader]
        or (FETCH_RULE == "earliest" and parts_at_the_start(s, leader, at))
        or (SNAPSHOT_FOR_EMPTY_LOGS and at.end_offset == 0 and latest(s, leader) > 0)
    )


def common_end(s: SnapshotFetch, leader, at):
    """The greatest epoch that the leader has up to the last fetched one, and where it ends."""
    in_log = end_of_epoch(s, leader, at.epoch)
    ever = records(s, leader)[: sum(1 for e in records(s, leader) if e <= at.epoch)]
    if FETCH_RULE == "history":
        return OffsetAndEpoch(end_offset=len(ever), epoch=ever[-1] if len(ever) > 0 else 0)
    return OffsetAndEpoch(end_offset=in_log, epoch=epoch_before(s, leader, in_log))


def agrees(s: SnapshotFetch, leader, at):
    """The leader has the fetcher's last record at the same offset."""
    common = common_end(s, leader, at)
    return (
        not is_below(s, leader, at)
        and common.epoch == at.epoch
        and common.end_offset >= at.end_offset
    )


def reached_after(s: SnapshotFetch, leader, fetcher, r):
    """`reached`, once the fetcher's fetch was taken in."""
    return log_end(s, r) if r == fetcher else reached(s, leader, r)


def counted(s: SnapshotFetch):
    """The voters whose fetches count; one that lost its disk is another replica (630-D33)."""
    return {v for v in Replica if v in VOTERS and v not in s.wiped}


def on_a_majority(s: SnapshotFetch, leader, fetcher, members):
    """The greatest offset that the logs of some replicas reach, as many as most of the voters."""
    return max(
        x
        for x in Offset
        if 2 * sum(1 for v in members if reached_after(s, leader, fetcher, v) >= x) > len(VOTERS)
        or x == 0
    )


def next_high_watermark(s: SnapshotFetch, leader, fetcher):
    """The leader's high watermark once it took in a fetch that agrees."""
    reached_by_most = on_a_majority(s, leader, fetcher, counted(s))
    if reached_by_most > end_of_epoch(s, leader, max(0, s.epoch[leader] - 1)):
        return max(s.high_watermark[leader], reached_by_most)
    return s.high_watermark[leader]


def known_high_watermark(s: SnapshotFetch, leader, fetcher):
    """What the leader reports: nothing, before a record of its epoch is committed."""
    high_watermark = next_high_watermark(s, leader, fetcher)
    is_of_its_epoch = epoch_before(s, leader, high_watermark) == s.epoch[leader]
    return high_watermark if is_of_its_epoch else 0


def take_in(s: SnapshotFetch, new: SnapshotFetch, leader, r):
    """The leader learns how far a replica is."""
    high_watermark = next_high_watermark(s, leader, r)
    new.fetched[r] = Progress(offset=log_end(s, r), leader_epoch=s.epoch[r])
    new.high_watermark[leader] = high_watermark
    new.committed = (
        records(s, leader)[:high_watermark] if high_watermark > len(s.committed) else s.committed
    )


def next_log_start(s: SnapshotFetch, r, leaders):
    """The lesser of the leader's log start and the end of the replica's own latest snapshot; where
    logs are cleaned by retention, the leader's is not looked at (630-D12)."""
    return (
        s.log_start[r] if CLEANS_BY_RETENTION else max(s.log_start[r], min(leaders, latest(s, r)))
    )


def believe(s: SnapshotFetch, new: SnapshotFetch, r, log, reported):
    """A replica takes an answer in: its log is now so, and the rest follows what it is sent."""
    start = next_log_start(s, r, reported.log_start)
    new.high_watermark[r] = (
        s.high_watermark[r]
        if reported.high_watermark == 0
        else min(reported.high_watermark, s.log_start[r] + len(log))
    )
    new.log_start[r] = start
    new.log[r] = log[max(0, start - s.log_start[r]) :]
    new.snapshots[r] = kept(s.snapshots[r], start)
    new.waiting[r] = None


def reported_by(s: SnapshotFetch, leader, r):
    """What a leader reports to a follower whose fetch it took in."""
    return Wait(high_watermark=known_high_watermark(s, leader, r), log_start=s.log_start[leader])


def follow(s: SnapshotFetch, new: SnapshotFetch, leader, r, log):
    """A leader takes a fetch in, and the replica the answer."""
    take_in(s, new, leader, r)
    believe(s, new, r, log, reported_by(s, leader, r))


@action
def fetch_record(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The leader has a record after the fetcher's last one."""
    require(may_fetch(s, r))
    leader = present(leader_of(s, r))
    require(agrees(s, leader, log_end_id(s, r)) and log_end(s, r) < log_end(s, leader))
    record = s.log[leader][max(0, log_end(s, r) - s.log_start[leader])]
    follow(s, new, leader, r, s.log[r] + (record,))


@action
def fetch_nothing(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The fetcher has all that the leader has."""
    require(not FETCHES_WAIT and may_fetch(s, r))
    leader = present(leader_of(s, r))
    require(agrees(s, leader, log_end_id(s, r)) and log_end(s, r) == log_end(s, leader))
    follow(s, new, leader, r, s.log[r])


@action
def wait_for_records(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The fetcher has all that the leader has. The leader takes its fetch in, and keeps it until
    there is more: then it looks at it again, as if it came now."""
    require(FETCHES_WAIT and s.waiting[r] is None and may_fetch(s, r))
    leader = present(leader_of(s, r))
    require(agrees(s, leader, log_end_id(s, r)) and log_end(s, r) == log_end(s, leader))
    take_in(s, new, leader, r)
    new.waiting[r] = reported_by(s, leader, r)


@action
def wait_in_vain(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A fetch waited for as long as it would, and is sent what it would have been sent at once."""
    reported = present(s.waiting[r])
    believe(s, new, r, s.log[r], reported)


@action
def refuse_waiting(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Where a fetch waits nobody leads the fetcher's epoch any more."""
    leader = present(leader_of(s, r))
    require(s.waiting[r] is not None)
    require(leader not in s.leading or s.epoch[leader] != s.epoch[r])
    new.waiting[r] = None


@action
def lose_fetch(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The leader has taken a fetch in, but its answer is lost."""
    require(may_fetch(s, r))
    leader = present(leader_of(s, r))
    require(agrees(s, leader, log_end_id(s, r)))
    disturb(s, new)
    take_in(s, new, leader, r)
    new.waiting[r] = None


@action
def fetch_diverging(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The leader says where the logs part at the latest: the fetcher truncates to there."""
    require(may_fetch(s, r))
    leader = present(leader_of(s, r))
    require(not is_below(s, leader, log_end_id(s, r)) and not agrees(s, leader, log_end_id(s, r)))
    common = common_end(s, leader, log_end_id(s, r))
    end = min(common.end_offset, end_of_epoch(s, r, common.epoch))
    new.log[r] = s.log[r][: max(0, end - s.log_start[r])]


@action
def fetch_snapshot_id(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The leader's log starts too late: it names its latest snapshot, and fetching pauses. One that
    the fetcher has already is not fetched again: it fetches from the log again (630-D18)."""
    require(may_fetch(s, r))
    leader = present(leader_of(s, r))
    require(is_below(s, leader, log_end_id(s, r)))
    snapshot = snapshot_id(s, leader, latest(s, leader))
    require(s.snapshots[r][snapshot.end_offset] is None)
    new.download[r] = Download(snapshot=snapshot, part=())
    new.waiting[r] = None


@action
def lose_disk(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica starts again with nothing."""
    require(r not in s.wiped and len(s.wiped) < MAX_WIPED)
    new.wiped = s.wiped | {r}
    new.epoch[r] = 0
    new.leading = s.leading - {r}
    new.log_start[r] = 0
    new.log[r] = ()
    new.high_watermark[r] = 0
    new.snapshots[r] = {x: None for x in Offset}
    new.waiting[r] = None
    new.download[r] = None
    new.response[r] = None
