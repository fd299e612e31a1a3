"""What must hold of elections: epochs, votes and leaders. Ids are rows of specs/kip_595.toml and
specs/kip_630.toml."""

from lockstep import invariant, step_invariant, when
from models.snapshot_election_state import (
    CHECK_QUORUM,
    PRE_VOTE,
    Role,
    SnapshotElection,
    Voter,
    history,
    log_end,
)

# Epochs.


@step_invariant("595-1")
def epochs_never_go_back(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica's epoch only grows."""
    return new.epoch[v] >= s.epoch[v]


@step_invariant("595-6")
def candidates_stand_in_the_next_epoch(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """Who begins to stand does so in the epoch after its own, and votes for itself."""
    when(new.role[c] == Role.CANDIDATE)
    when(s.role[c] != Role.CANDIDATE or s.epoch[c] != new.epoch[c])
    return new.epoch[c] == s.epoch[c] + 1 and new.voted[c] == c


@step_invariant("595-9")
def a_newer_epoch_ends_an_office(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica that takes an epoch that another was in first neither leads nor stands in it."""
    when(s.epoch[v] < new.epoch[v] and new.voted[v] != v)
    return new.role[v] == Role.FOLLOWER


# Votes.


@step_invariant("595-2", "595-5")
def votes_never_change(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """Who voted in an epoch has no other vote in it, whatever crashes."""
    when(s.epoch[v] == new.epoch[v] and s.voted[v] is not None)
    return new.voted[v] == s.voted[v]


@step_invariant("595-5", "595-10")
def votes_go_to_candidates(s: SnapshotElection, new: SnapshotElection, v: Voter, c: Voter):
    """Who gets another's vote stands in the epoch of the vote at that time: what was asked in an
    older epoch gets none."""
    when(v != c and new.voted[v] == c)
    when(s.voted[v] != c or s.epoch[v] != new.epoch[v])
    return s.role[c] == Role.CANDIDATE and s.epoch[c] == new.epoch[v]


@invariant("595-5", "595-8")
def votes_that_count_were_given(s: SnapshotElection, v: Voter, c: Voter):
    """Only a candidate counts votes, and each was given to it in its epoch: its voter is in that
    epoch still, or in a later one. It counts all votes of those that are in its epoch still, after
    a restart, too."""
    stands = s.role[c] == Role.CANDIDATE
    gave = stands and s.epoch[v] == s.epoch[c] and s.voted[v] == c
    has_moved_on = stands and s.epoch[v] > s.epoch[c]
    return gave or has_moved_on if v in s.granted[c] else not gave


def ends_no_later(one, other):
    """Whether records end no later than others; the epoch of the last one counts first."""
    return len(one) == 0 or (
        len(other) > 0
        and (
            one[-1].epoch < other[-1].epoch
            or (one[-1].epoch == other[-1].epoch and len(one) <= len(other))
        )
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


# What a step leaves alone.


def is_as_it_was(s: SnapshotElection, new: SnapshotElection, v):
    """A replica has on its disk and in its memory what it had before a step."""
    on_disk = (
        s.epoch[v] == new.epoch[v]
        and s.voted[v] == new.voted[v]
        and s.log_start[v] == new.log_start[v]
        and s.log[v] == new.log[v]
        and s.snapshot[v] == new.snapshot[v]
    )
    return (
        on_disk
        and s.role[v] == new.role[v]
        and s.unapplied[v] == new.unapplied[v]
        and s.high_watermark[v] == new.high_watermark[v]
        and s.granted[v] == new.granted[v]
        and s.fetched[v] == new.fetched[v]
        and s.notice[v] == new.notice[v]
        and s.stalled[v] == new.stalled[v]
    )


@step_invariant("595-5", "595-9", "595-10")
def a_step_is_of_two_replicas(
    s: SnapshotElection, new: SnapshotElection, u: Voter, v: Voter, w: Voter
):
    """Who asks and who answers take a step; what a third one has stays."""
    when(u != v and v != w and u != w)
    return is_as_it_was(s, new, u) or is_as_it_was(s, new, v) or is_as_it_was(s, new, w)


@step_invariant("595-2", "595-15")
def failures_are_of_one_replica(s: SnapshotElection, new: SnapshotElection, v: Voter, w: Voter):
    """When a replica crashes, or loses its log, all others have what they had, and know what they
    knew."""
    when(v != w)
    nothing_failed = s.restarts == new.restarts and s.wipes == new.wipes
    return nothing_failed or is_as_it_was(s, new, v) or is_as_it_was(s, new, w)


@step_invariant("595-8")
def candidates_lose_to_leaders(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """A candidate gives its epoch up only to a leader of it."""
    when(s.role[c] == Role.CANDIDATE and new.role[c] == Role.FOLLOWER)
    when(s.epoch[c] == new.epoch[c])
    return any(s.role[w] == Role.LEADER and s.epoch[w] == s.epoch[c] for w in Voter)


# Leaders.


@invariant("595-4")
def one_leader_an_epoch(s: SnapshotElection, v: Voter, w: Voter):
    """No two replicas lead in the same epoch."""
    when(v != w and s.role[v] == Role.LEADER and s.role[w] == Role.LEADER)
    return s.epoch[v] != s.epoch[w]


def most(voters):
    return 2 * len(voters) > sum(1 for v in Voter)


def agrees(s: SnapshotElection, v, leader):
    """Whether a leader has all of a log, and its own goes back far enough to tell."""
    end = log_end(s, v)
    return s.log_start[leader] <= end and history(s, v) == history(s, leader)[:end]


def has_all(s: SnapshotElection, v, leader):
    return history(s, v) == history(s, leader)


def diverges(s: SnapshotElection, v, leader):
    """Whether a leader that has dropped nothing lacks a record of a log."""
    return s.log_start[leader] == 0 and history(s, v) != history(s, leader)[: log_end(s, v)]


def lacks_a_snapshot(s: SnapshotElection, v, leader):
    """Whether a leader has dropped what comes next in a log, and has a snapshot that is new to it.
    Where the logs part above the start of the leader's, it depends on the fetch rule."""
    return log_end(s, v) < s.log_start[leader] and len(s.snapshot[v]) < len(s.snapshot[leader])


def has_stalled(s: SnapshotElection, v, leader):
    return s.stalled[v] == 1 and s.epoch[v] == s.epoch[leader]


def is_cut(s: SnapshotElection, v, leader):
    return s.cut is not None and (s.cut == v or s.cut == leader)


def is_surely_counted(s: SnapshotElection, v, leader):
    """Whether what a voter sends counts for its leader, by the rule of the scope."""
    return not is_cut(s, v, leader) and (
        not has_stalled(s, v, leader)
        or (agrees(s, v, leader) and (CHECK_QUORUM != "progress" or has_all(s, v, leader)))
        or (diverges(s, v, leader) and CHECK_QUORUM == "fetch")
        or (lacks_a_snapshot(s, v, leader) and CHECK_QUORUM != "fetch")
    )


def is_surely_not_counted(s: SnapshotElection, v, leader):
    """Whether nothing that a voter sends counts for its leader, by the rule of the scope."""
    return is_cut(s, v, leader) or (
        has_stalled(s, v, leader)
        and (
            (CHECK_QUORUM == "progress" and agrees(s, v, leader) and not has_all(s, v, leader))
            or (diverges(s, v, leader) and CHECK_QUORUM != "fetch")
            or (lacks_a_snapshot(s, v, leader) and CHECK_QUORUM == "fetch")
        )
    )


@step_invariant("595-30")
def candidates_could_win(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """Where pre-votes are asked for, who begins to stand reaches a majority in its epoch that goes
    no further and in which nobody leads. That none of these hears of a leader is 595-31."""
    when(new.role[c] == Role.CANDIDATE and s.epoch[c] != new.epoch[c])
    return not PRE_VOTE or most(
        {
            v
            for v in Voter
            if v == c
            or (
                not is_cut(s, v, c)
                and s.epoch[v] == s.epoch[c]
                and s.role[v] != Role.LEADER
                and goes_as_far(s, c, v)
            )
        }
    )


@step_invariant("595-31")
def epochs_rest_while_a_leader_is_followed(
    s: SnapshotElection, new: SnapshotElection, leader: Voter, v: Voter
):
    """Where pre-votes are asked for, nobody takes an epoch after that of a leader whom a majority
    hears, the leader included, and whose epoch is the last one so far. In Apache Kafka a majority
    has to have fetched from it, too (595-D2)."""
    when(s.role[leader] == Role.LEADER and all(s.epoch[w] <= s.epoch[leader] for w in Voter))
    when(
        most(
            {
                w
                for w in Voter
                if w == leader or (not is_cut(s, w, leader) and s.epoch[w] == s.epoch[leader])
            }
        )
    )
    return not PRE_VOTE or new.epoch[v] <= s.epoch[leader]


@step_invariant("595-27")
def leaders_resign_only_without_a_majority(
    s: SnapshotElection, new: SnapshotElection, leader: Voter
):
    """While it runs, a leader gives up its epoch within that only when those that count and it are
    no majority."""
    resigns = (
        s.role[leader] == Role.LEADER
        and new.role[leader] == Role.FOLLOWER
        and s.epoch[leader] == new.epoch[leader]
        and s.restarts == new.restarts
    )
    return not resigns or not most(
        {v for v in Voter if v == leader or is_surely_counted(s, v, leader)}
    )


@invariant("595-28")
def state_machines_lead_once_all_before_is_committed(s: SnapshotElection, v: Voter):
    """A state machine that takes its replica for the leader has a leader's, and has got a record of
    its epoch, and so all that was committed before."""
    return s.notice[v] == 0 or (
        s.role[v] == Role.LEADER
        and any(r.epoch == s.epoch[v] for r in history(s, v)[: s.high_watermark[v]])
    )


@invariant("630-21")
def leaders_load_no_snapshot(s: SnapshotElection, leader: Voter):
    """A leader fetches nothing: it has no fetched snapshot to apply, and does not stall."""
    when(s.role[leader] == Role.LEADER)
    return not s.unapplied[leader] and s.stalled[leader] == 0


@invariant("595-12")
def leaders_have_written(s: SnapshotElection, leader: Voter):
    """A leader has a record of its own epoch from the first moment on."""
    when(s.role[leader] == Role.LEADER)
    return any(r.epoch == s.epoch[leader] for r in history(s, leader))


@step_invariant("595-3", "595-11")
def leaders_only_append(s: SnapshotElection, new: SnapshotElection, leader: Voter):
    """As long as a replica leads an epoch, it loses no record of its log, and adds only records of
    that epoch."""
    when(s.role[leader] == Role.LEADER and new.role[leader] == Role.LEADER)
    when(s.epoch[leader] == new.epoch[leader])
    before = history(s, leader)
    after = history(new, leader)
    return after[: len(before)] == before and all(
        r.epoch == s.epoch[leader] for r in after[len(before) :]
    )
