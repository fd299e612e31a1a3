"""KRaft elections under snapshots: candidates, votes and leaders (KIP-595)."""

from lockstep import action, require
from models.snapshot_election_replication import answer, fetches_in_vain
from models.snapshot_election_state import (
    CHECK_QUORUM,
    MAX_CUTS,
    PRE_VOTE,
    Answer,
    Role,
    SnapshotElection,
    Voter,
    become,
    hears,
    is_majority,
    log_end,
    log_id,
    newest,
    next_record,
)
from models.snapshot_id import MAX_EPOCH, MAX_OFFSET, is_newer

# Elections.


def has_a_leader(s: SnapshotElection, v):
    """Whether a replica leads its epoch, or hears of who does."""
    return any(
        hears(s, v, w) and s.role[w] == Role.LEADER and s.epoch[v] == s.epoch[w] for w in Voter
    )


def would_vote(s: SnapshotElection, v, c):
    """Whether a voter grants a pre-vote: it has no leader, and goes no further than who asks. The
    request of a newer epoch takes it there first: `learn_epoch`."""
    asked = hears(s, v, c) and s.epoch[v] == s.epoch[c]
    return asked and not has_a_leader(s, v) and not is_newer(newest(s, v), newest(s, c))


def may_stand(s: SnapshotElection, c):
    """Whether a replica becomes a candidate when its time is over."""
    return not PRE_VOTE or is_majority({v for v in Voter if v == c or would_vote(s, v, c)})


@action
def time_out(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica that hears of no leader, or a leader that resigned, becomes a candidate in the next
    epoch."""
    require(s.epoch[v] < MAX_EPOCH and may_stand(s, v))
    become(s, new, v, Role.CANDIDATE, s.epoch[v] + 1, v)


def may_vote(s: SnapshotElection, v, c):
    """Whether a voter has a vote left for a candidate."""
    return s.epoch[v] < s.epoch[c] or (s.epoch[v] == s.epoch[c] and s.voted[v] is None)


@action
def grant(s: SnapshotElection, new: SnapshotElection, v: Voter, c: Voter):
    """A voter gives its vote to a candidate that goes at least as far as itself."""
    require(hears(s, v, c) and s.role[c] == Role.CANDIDATE and may_vote(s, v, c))
    require(not is_newer(newest(s, v), newest(s, c)))
    become(s, new, v, Role.FOLLOWER, s.epoch[c], c)
    new.granted[c] = s.granted[c] | {v}


@action
def learn_epoch(s: SnapshotElection, new: SnapshotElection, v: Voter, w: Voter):
    """A replica hears of a newer epoch: by a request that it refuses, or by a response."""
    require(hears(s, v, w) and s.epoch[v] < s.epoch[w])
    become(s, new, v, Role.FOLLOWER, s.epoch[w], voted=None)


def has_won(s: SnapshotElection, c):
    return is_majority(s.granted[c])


@action
def become_leader(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """A candidate with a majority's votes appends the first record of its epoch; its log has to be
    reset by then. It knows no high watermark yet: what it knew as a follower may be less than what
    others announced before it."""
    require(s.role[c] == Role.CANDIDATE and has_won(s, c) and not s.unapplied[c])
    require(log_end(s, c) < MAX_OFFSET)
    become(s, new, c, Role.LEADER, s.epoch[c], c)
    new.high_watermark[c] = 0
    new.log[c] = s.log[c] + (next_record(s, c),)


@action
def lose(s: SnapshotElection, new: SnapshotElection, c: Voter, leader: Voter):
    """A candidate hears that another leads its epoch, and follows it."""
    require(hears(s, c, leader) and s.role[c] == Role.CANDIDATE)
    require(s.role[leader] == Role.LEADER and s.epoch[c] == s.epoch[leader])
    become(s, new, c, Role.FOLLOWER, s.epoch[c], c)


# A leader that nobody hears of.


def downloads(s: SnapshotElection, v, leader):
    """Whether a follower sends FetchSnapshot: it lacks the snapshot that it needs."""
    needed = answer(s, leader, log_id(s, v)) == Answer.SNAPSHOT
    return needed and s.snapshot[v] != s.snapshot[leader]


def counts(s: SnapshotElection, v, leader):
    """Whether what a follower sends that does not get on keeps its leader in office."""
    if CHECK_QUORUM == "fetch":
        return not downloads(s, v, leader)
    gets_records = answer(s, leader, log_id(s, v)) == Answer.RECORDS
    has_all = log_end(s, v) == log_end(s, leader)
    return downloads(s, v, leader) or (gets_records and (CHECK_QUORUM == "served" or has_all))


def is_heard_of(s: SnapshotElection, v, leader):
    """Whether a voter is one of those that keep a leader in office."""
    return hears(s, v, leader) and (not fetches_in_vain(s, v, leader) or counts(s, v, leader))


def has_a_majority(s: SnapshotElection, leader):
    """Whether a leader and those that it hears of are a majority."""
    return is_majority({v for v in Voter if v == leader or is_heard_of(s, v, leader)})


@action
def resign(s: SnapshotElection, new: SnapshotElection, leader: Voter):
    """A leader that hears of no majority gives its epoch up."""
    require(s.role[leader] == Role.LEADER and not has_a_majority(s, leader))
    become(s, new, leader, Role.FOLLOWER, s.epoch[leader], leader)


@action
def cut_off(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """Nothing that a replica sends arrives any more, and nothing that is sent to it."""
    require(s.cuts < MAX_CUTS and s.cut is None)
    new.cut = v
    new.cuts = s.cuts + 1


@action
def heal(s: SnapshotElection, new: SnapshotElection):
    """The network is whole again."""
    require(s.cut is not None)
    new.cut = None
