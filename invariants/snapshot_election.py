"""What must hold of KRaft elections under snapshots. Ids are rows of specs/kip_595.toml and
specs/kip_630.toml."""

from lockstep import each, invariant, leads_to, sometimes, step_invariant, when
from models.snapshot_election_replication import (
    fetch,
    keep_log,
    receive_snapshot,
    reset_log,
    reset_longer_log,
    truncate,
)
from models.snapshot_election_state import (
    Role,
    SnapshotElection,
    Voter,
    history,
    last_epoch,
    log_end,
)
from models.snapshot_election_votes import (
    become_leader,
    grant,
    is_majority,
    learn_epoch,
    lose,
)
from models.snapshot_id import MAX_EPOCH, MAX_OFFSET, Offset

# Elections.


@step_invariant("595-1")
def epochs_never_go_back(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica's epoch only grows."""
    return new.epoch[v] >= s.epoch[v]


@step_invariant("595-2", "595-5")
def votes_never_change(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """Who voted in an epoch has no other vote in it, whatever crashes."""
    when(s.epoch[v] == new.epoch[v] and s.voted[v] is not None)
    return new.voted[v] == s.voted[v]


def ends_no_later(one, other):
    """Whether records end no later than others; the epoch of the last one counts first."""
    return last_epoch(one) < last_epoch(other) or (
        last_epoch(one) == last_epoch(other) and len(one) <= len(other)
    )


def goes_as_far(s: SnapshotElection, c, v):
    """Whether neither the latest snapshot nor the log of a voter ends later than both of a
    candidate's."""
    return (
        ends_no_later(s.snapshot[v], s.snapshot[c]) or ends_no_later(s.snapshot[v], history(s, c))
    ) and (
        ends_no_later(history(s, v), s.snapshot[c]) or ends_no_later(history(s, v), history(s, c))
    )


@step_invariant("595-7", "630-31", "630-32")
def votes_go_to_who_goes_as_far(s: SnapshotElection, new: SnapshotElection, v: Voter, c: Voter):
    """A candidate gets a vote if the newest that it has, log or snapshot, is no older than the
    newest that the voter has."""
    when(v != c and v not in s.granted[c] and v in new.granted[c])
    return goes_as_far(s, c, v)


@step_invariant("595-8")
def candidates_lose_to_leaders(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """A candidate gives its epoch up only to a leader of it."""
    when(s.role[c] == Role.CANDIDATE and new.role[c] == Role.FOLLOWER)
    when(s.epoch[c] == new.epoch[c])
    return any(s.role[w] == Role.LEADER and s.epoch[w] == s.epoch[c] for w in Voter)


@invariant("595-4")
def one_leader_an_epoch(s: SnapshotElection, v: Voter, w: Voter):
    """No two replicas lead in the same epoch."""
    when(v != w and s.role[v] == Role.LEADER and s.role[w] == Role.LEADER)
    return s.epoch[v] != s.epoch[w]


# What is committed stays.


@invariant("595-16")
def later_leaders_have_what_is_committed(s: SnapshotElection, leader: Voter):
    """A leader has every record that was committed in its epoch or before, in snapshot or log: what
    counts is the epoch of who committed it, not of who wrote it."""
    when(s.role[leader] == Role.LEADER and len(s.committed) > 0)
    when(s.epoch[leader] >= s.committed_in)
    return history(s, leader)[: len(s.committed)] == s.committed


@invariant("595-13", "595-16")
def a_majority_has_what_is_committed(s: SnapshotElection):
    """A majority has every committed record, in snapshot or log."""
    return is_majority({v for v in Voter if history(s, v)[: len(s.committed)] == s.committed})


@invariant("595-22")
def what_counts_as_committed_is(s: SnapshotElection, v: Voter):
    """A replica has the records below its high watermark, and they are the committed ones."""
    when(s.high_watermark[v] > 0)
    offset = s.high_watermark[v]
    return log_end(s, v) >= offset and history(s, v)[:offset] == s.committed[:offset]


@invariant("595-11", "595-19")
def logs_agree(s: SnapshotElection, v: Voter, w: Voter, o: Offset):
    """Two replicas with a record of the same epoch at the same offset agree up to there."""
    one = history(s, v)
    other = history(s, w)
    when(v != w and o < min(len(one), len(other)) and one[o] == other[o])
    return one[:o] == other[:o]


# Leaders.


@step_invariant("595-3", "595-11")
def leaders_only_append(s: SnapshotElection, new: SnapshotElection, leader: Voter):
    """As long as a replica leads an epoch, it loses no record of its log."""
    when(s.role[leader] == Role.LEADER and new.role[leader] == Role.LEADER)
    when(s.epoch[leader] == new.epoch[leader])
    return history(new, leader)[: log_end(s, leader)] == history(s, leader)


@step_invariant("595-15")
def high_watermark_never_moves_back(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """As long as a replica runs, its high watermark only grows; a new leader does not know one."""
    when(s.restarts == new.restarts and s.wipes == new.wipes)
    when(s.role[v] == Role.LEADER or new.role[v] != Role.LEADER)
    return new.high_watermark[v] >= s.high_watermark[v]


@invariant("595-12")
def leaders_have_written(s: SnapshotElection, leader: Voter):
    """A leader has a record of its own epoch from the first moment on."""
    when(s.role[leader] == Role.LEADER)
    return any(e == s.epoch[leader] for e in history(s, leader))


@invariant("595-14")
def high_watermark_is_past_the_epochs_start(s: SnapshotElection, leader: Voter):
    """A leader that knows a high watermark has a record of its own epoch below it."""
    when(s.role[leader] == Role.LEADER and s.high_watermark[leader] > 0)
    return any(e == s.epoch[leader] for e in history(s, leader)[: s.high_watermark[leader]])


# Fetches.


@step_invariant("595-19", "630-42")
def records_come_from_the_log_of_a_leader(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """What a follower appends, a leader of its epoch has in its log, not below its log's start."""
    when(s.role[v] == Role.FOLLOWER and not s.unapplied[v] and log_end(s, v) < log_end(new, v))
    return any(
        s.role[w] == Role.LEADER and s.epoch[w] == s.epoch[v] and s.log_start[w] <= log_end(s, v)
        for w in Voter
    )


# Snapshots.


@invariant("630-2")
def snapshots_hold_what_is_committed(s: SnapshotElection, v: Voter):
    """A snapshot stands for committed records, and for all of them up to its end."""
    when(len(s.snapshot[v]) > 0)
    return s.snapshot[v] == s.committed[: len(s.snapshot[v])]


@invariant("630-34")
def log_start_is_in_a_snapshot(s: SnapshotElection, v: Voter):
    """What was dropped from a log is in the latest snapshot."""
    when(s.log_start[v] > 0)
    return s.log_start[v] <= len(s.snapshot[v])


@invariant("630-21")
def leaders_load_no_snapshot(s: SnapshotElection, leader: Voter):
    """A leader has no fetched snapshot to apply."""
    when(s.role[leader] == Role.LEADER)
    return not s.unapplied[leader]


@invariant("630-2", "630-33", "630-34")
def leaders_snapshots_agree_with_their_logs(s: SnapshotElection, leader: Voter):
    """A leader's latest snapshot ends within its log, and stands for the records before its end."""
    when(s.role[leader] == Role.LEADER and len(s.snapshot[leader]) > 0)
    return history(s, leader)[: len(s.snapshot[leader])] == s.snapshot[leader]


# What comes to pass. In the last epoch of a scope no timeout disturbs it any more.


def has_a_vote(s: SnapshotElection, v, c):
    """Whether a voter is in an earlier epoch than a candidate, or has not voted in its own."""
    return s.epoch[v] < s.epoch[c] or (s.epoch[v] == s.epoch[c] and s.voted[v] is None)


def could_win(s: SnapshotElection, c):
    """Whether a candidate has room for its first record, and a majority that has given it a vote or
    may still do so."""
    return log_end(s, c) < MAX_OFFSET and is_majority(
        {v for v in Voter if v in s.granted[c] or (has_a_vote(s, v, c) and goes_as_far(s, c, v))}
    )


@leads_to(
    "595-7",
    "595-8",
    weak=(
        each(grant, "v"),
        each(become_leader, "c"),
        each(reset_log, "v"),
        each(reset_longer_log, "v"),
        each(keep_log, "v"),
    ),
)
def a_candidate_that_could_win_does(s: SnapshotElection, c: Voter):
    """A candidate of the last epoch that goes far enough for a majority leads, or else the others
    gave their votes away, or wrote more."""
    stands = s.role[c] == Role.CANDIDATE and s.epoch[c] == MAX_EPOCH
    return stands and could_win(s, c), not stands or not could_win(s, c)


@leads_to(
    "595-19",
    "595-21",
    "630-28",
    weak=(
        each(learn_epoch, "v"),
        each(lose, "c"),
        each(fetch, "v"),
        each(truncate, "v"),
        each(receive_snapshot, "v"),
        each(reset_log, "v"),
        each(reset_longer_log, "v"),
        each(keep_log, "v"),
    ),
)
def followers_catch_up(s: SnapshotElection, v: Voter, leader: Voter):
    """While a leader of the last epoch lives, all others get what it has."""
    leads = s.role[leader] == Role.LEADER and s.epoch[leader] == MAX_EPOCH
    return leads, not leads or history(s, v) == history(s, leader)


@sometimes("630-30")
def a_fetched_snapshot_ends_no_later_than_the_log(s: SnapshotElection):
    """A follower has fetched a snapshot, and its log goes as far in offset or further."""
    return any(
        s.unapplied[v] and s.restarts == 0 and log_end(s, v) >= len(s.snapshot[v]) for v in Voter
    )


@sometimes("630-33")
def a_whole_log_has_a_snapshot_beyond_the_high_watermark(s: SnapshotElection):
    """A follower that lacks nothing below its log has fetched a snapshot of records that it does
    not know to be committed."""
    return any(s.log_start[v] == 0 and s.high_watermark[v] < len(s.snapshot[v]) for v in Voter)


@sometimes("630-31", "630-32")
def a_voter_caught_between_votes(s: SnapshotElection):
    """A follower votes after it got a snapshot and before it reset its log."""
    return any(
        s.role[c] == Role.CANDIDATE and s.unapplied[v] and v != c
        for c in Voter
        for v in s.granted[c]
    )
