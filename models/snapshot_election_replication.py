"""Logs and snapshots between elections: how followers catch up, and what restarts leave of them."""

from lockstep import action, require
from models.snapshot_election_state import (
    FETCH_RULE,
    MAX_RESTARTS,
    MAX_SNAPSHOTS,
    MAX_WIPES,
    NOTICES,
    RESET,
    STALLS,
    Answer,
    Role,
    SnapshotElection,
    Voter,
    become,
    hears,
    history,
    id_of,
    is_majority,
    last_epoch,
    log_end,
    log_id,
    next_record,
)
from models.snapshot_id import MAX_OFFSET, Offset, is_newer

# Replication. A leader's own state machine gets what is committed at once.


@action
def append_record(s: SnapshotElection, new: SnapshotElection, leader: Voter):
    """A leader writes a record."""
    require(s.role[leader] == Role.LEADER and log_end(s, leader) < MAX_OFFSET)
    require(not NOTICES or s.notice[leader] == 1)
    new.log[leader] = s.log[leader] + (next_record(s, leader),)


def fetches_from(s: SnapshotElection, v, leader):
    """Whether a replica follows a leader in its epoch, and hears of it."""
    return (
        hears(s, v, leader)
        and s.role[leader] == Role.LEADER
        and s.role[v] == Role.FOLLOWER
        and s.epoch[v] == s.epoch[leader]
    )


def follows(s: SnapshotElection, v, leader):
    """Whether a replica fetches from a leader and gets on; not while a snapshot waits to be
    applied."""
    return fetches_from(s, v, leader) and not s.unapplied[v] and s.stalled[v] == 0


def up_to(s: SnapshotElection, v, epoch):
    """A replica's records of this epoch and those before it, with all that its log starts from."""
    records = history(s, v)
    return records[: max(s.log_start[v], sum(1 for r in records if r.epoch <= epoch))]


def known_up_to(s: SnapshotElection, leader, epoch):
    """What a leader compares a fetch with: its records of this epoch and those before it."""
    records = history(s, leader)
    until = records[: sum(1 for r in records if r.epoch <= epoch)]
    return until if FETCH_RULE == "history" else up_to(s, leader, epoch)


def parts_at_the_start(start, fetcher):
    """A fetch from the leader's log start on has no epoch that goes with it (630-D20)."""
    return start.epoch > fetcher.epoch or (
        start.end_offset == fetcher.end_offset and start.epoch != fetcher.epoch
    )


def answer(s: SnapshotElection, leader, fetcher):
    """What a leader answers a fetch from the end of a log."""
    start = id_of(history(s, leader)[: s.log_start[leader]])
    agreed = id_of(known_up_to(s, leader, fetcher.epoch))
    if start.end_offset > fetcher.end_offset or (
        FETCH_RULE == "earliest" and parts_at_the_start(start, fetcher)
    ):
        return Answer.SNAPSHOT
    if agreed.epoch == fetcher.epoch and agreed.end_offset >= fetcher.end_offset:
        return Answer.RECORDS
    return Answer.DIVERGING


def reached(s: SnapshotElection, leader, fetched):
    """The greatest offset that a majority has, the leader included."""
    return max(
        o
        for o in Offset
        if is_majority(
            {v for v in Voter if (log_end(s, leader) if v == leader else fetched[v]) >= o}
        )
    )


def commits(s: SnapshotElection, leader, offset):
    """Whether a majority at this offset commits what is before it: not unless that ends in a record
    of the leader's own epoch."""
    return offset > 0 and history(s, leader)[:offset][-1].epoch == s.epoch[leader]


def advanced(s: SnapshotElection, leader, fetched):
    """A leader's high watermark when the others are known to have fetched so far."""
    offset = reached(s, leader, fetched)
    if offset > s.high_watermark[leader] and commits(s, leader, offset):
        return offset
    return s.high_watermark[leader]


def learned(s: SnapshotElection, v, high_watermark, end):
    """A follower's high watermark when the leader sends its own, and the follower's log goes up to
    `end`."""
    return max(s.high_watermark[v], min(high_watermark, end))


def acknowledged(s: SnapshotElection, v, leader):
    """What a leader knows that others have when a follower fetches from the end of its log."""
    return {w: log_end(s, v) if w == v else s.fetched[leader][w] for w in Voter}


def next_high_watermark(s: SnapshotElection, v, leader):
    """A leader's high watermark once it took in a follower's fetch."""
    return advanced(s, leader, acknowledged(s, v, leader))


def acknowledge(s: SnapshotElection, new: SnapshotElection, v, leader, high_watermark):
    """A fetch acknowledges what is before it, and its leader commits up to its high watermark."""
    new.fetched[leader] = acknowledged(s, v, leader)
    new.high_watermark[leader] = high_watermark
    new.committed = s.committed + history(s, leader)[len(s.committed) : high_watermark]
    new.committed_in = s.epoch[leader] if high_watermark > len(s.committed) else s.committed_in


@action
def fetch(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter, end: Offset):
    """A follower fetches from its log's end, which acknowledges what is before it, and appends the
    records up to `end`."""
    require(follows(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.RECORDS)
    require(log_end(s, v) <= end <= log_end(s, leader))
    high_watermark = next_high_watermark(s, v, leader)
    acknowledge(s, new, v, leader, high_watermark)
    new.log[v] = s.log[v] + history(s, leader)[log_end(s, v) : end]
    new.high_watermark[v] = learned(s, v, high_watermark, end)


def truncated(s: SnapshotElection, v, diverging):
    """What is left of a follower's log when the leader's diverges from it."""
    own = id_of(up_to(s, v, diverging.epoch))
    end = (
        min(own.end_offset, diverging.end_offset)
        if own.epoch == diverging.epoch
        else own.end_offset
    )
    return s.log[v][: max(0, end - s.log_start[v])]


@action
def truncate(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A follower is sent where its log diverges from the leader's."""
    require(follows(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.DIVERGING)
    new.log[v] = truncated(s, v, id_of(known_up_to(s, leader, last_epoch(history(s, v)))))


@action
def stall(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A follower goes on fetching and does not get on any more."""
    require(STALLS and follows(s, v, leader))
    new.stalled[v] = 1


def fetches_in_vain(s: SnapshotElection, v, leader):
    """Whether a replica fetches from a leader and does not get on."""
    return s.stalled[v] == 1 and fetches_from(s, v, leader)


@action
def fetch_in_vain(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A follower that does not get on fetches from its log's end. The leader learns what it has,
    and it learns nothing."""
    require(fetches_in_vain(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.RECORDS)
    high_watermark = next_high_watermark(s, v, leader)
    acknowledge(s, new, v, leader, high_watermark)


@action
def recover(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A follower gets on again."""
    require(s.stalled[v] == 1)
    new.stalled[v] = 0


def may_be_notified(s: SnapshotElection, leader):
    """Whether the state machine has all that was committed before the epoch of its leader: the
    record with which that begins is committed, too."""
    records = history(s, leader)[: s.high_watermark[leader]]
    return s.role[leader] == Role.LEADER and s.epoch[leader] == last_epoch(records)


@action
def notify(s: SnapshotElection, new: SnapshotElection, leader: Voter):
    """A leader's state machine is notified that it leads."""
    require(NOTICES and s.notice[leader] == 0 and may_be_notified(s, leader))
    new.notice[leader] = 1


# Snapshots.


@action
def receive_snapshot(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A follower that the leader has no records for fetches its latest snapshot, and has moved it
    into place."""
    require(follows(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.SNAPSHOT)
    new.snapshot[v] = s.snapshot[leader]
    new.unapplied[v] = True


def replaces(snapshot, log):
    """Whether a snapshot that was fetched takes the place of the log."""
    return RESET == "always" or (RESET == "newer" and is_newer(snapshot, log))


@action
def reset_log(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """The log gives way to the snapshot that was fetched, and begins again at its end."""
    require(s.unapplied[v] and replaces(id_of(s.snapshot[v]), log_id(s, v)))
    new.unapplied[v] = False
    new.log_start[v] = len(s.snapshot[v])
    new.log[v] = ()
    new.high_watermark[v] = max(s.high_watermark[v], len(s.snapshot[v]))


@action
def keep_log(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """The log goes further than the snapshot that was fetched, and stays as it is."""
    require(s.unapplied[v] and not replaces(id_of(s.snapshot[v]), log_id(s, v)))
    new.unapplied[v] = False


@action
def generate_snapshot(s: SnapshotElection, new: SnapshotElection, v: Voter, end: Offset):
    """A replica makes a snapshot of committed records, more of them than in its latest."""
    require(s.snapshots < MAX_SNAPSHOTS)
    require(len(s.snapshot[v]) < end <= s.high_watermark[v])
    new.snapshot[v] = history(s, v)[:end]
    new.snapshots = s.snapshots + 1


def may_drop(s: SnapshotElection, v, end):
    """Whether a replica knows that all before an offset of its log is committed."""
    return not s.unapplied[v] and end <= s.high_watermark[v]


@action
def advance_log_start(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica drops what is in its latest snapshot from its log, once it knows again, after a
    restart, that this is committed, whichever others have it by then (630-D12)."""
    end = len(s.snapshot[v])
    require(s.log_start[v] < end and may_drop(s, v, end))
    new.log[v] = s.log[v][max(0, end - s.log_start[v]) :]
    new.log_start[v] = end


# Failures.


def unflushed_from(s: SnapshotElection, v):
    """The offset from which on a replica may lose records by a crash: a leader's own ones, as long
    as it has not counted them as committed."""
    if s.role[v] != Role.LEADER:
        return log_end(s, v)
    earlier = sum(1 for r in history(s, v) if r.epoch < s.epoch[v])
    return max(s.high_watermark[v], s.log_start[v], earlier)


@action
def restart(s: SnapshotElection, new: SnapshotElection, v: Voter, end: Offset):
    """A replica crashes and starts again with what was on its disk: its log ends at `end`. If its
    latest snapshot is newer, the log is to be reset to it. A candidate is one again in its epoch; a
    leader comes back as resigned."""
    require(s.restarts < MAX_RESTARTS)
    require(unflushed_from(s, v) <= end <= log_end(s, v))
    role = Role.CANDIDATE if s.role[v] == Role.CANDIDATE else Role.FOLLOWER
    become(s, new, v, role, s.epoch[v], s.voted[v])
    new.granted[v] = s.granted[v]
    new.log[v] = s.log[v][: max(0, end - s.log_start[v])]
    new.high_watermark[v] = s.log_start[v]
    new.unapplied[v] = is_newer(id_of(s.snapshot[v]), id_of(history(s, v)[:end]))
    new.restarts = s.restarts + 1


@action
def wipe(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A follower's log and snapshots are lost, its epoch and vote are not. What is committed stands
    that only while all others have it."""
    require(s.wipes < MAX_WIPES and s.role[v] == Role.FOLLOWER and log_end(s, v) > 0)
    require(all(history(s, w)[: len(s.committed)] == s.committed for w in Voter if w != v))
    new.log_start[v] = 0
    new.log[v] = ()
    new.snapshot[v] = ()
    new.unapplied[v] = False
    new.high_watermark[v] = 0
    new.wipes = s.wipes + 1
