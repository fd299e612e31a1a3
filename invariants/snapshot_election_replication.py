"""What must hold of logs, commitment and snapshots between elections. Ids are rows of
specs/kip_595.toml and specs/kip_630.toml."""

from invariants.snapshot_election_votes import most
from lockstep import invariant, step_invariant, when
from models.snapshot_election_state import (
    Role,
    SnapshotElection,
    Voter,
    history,
    log_end,
)
from models.snapshot_id import Offset

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
    return most({v for v in Voter if history(s, v)[: len(s.committed)] == s.committed})


@invariant("595-22")
def what_counts_as_committed_is(s: SnapshotElection, v: Voter):
    """A replica has the records below its high watermark, and they are the committed ones."""
    when(s.high_watermark[v] > 0)
    offset = s.high_watermark[v]
    return log_end(s, v) >= offset and history(s, v)[:offset] == s.committed[:offset]


@invariant("595-3", "595-11", "595-19")
def logs_agree(s: SnapshotElection, v: Voter, w: Voter, o: Offset):
    """An epoch and an offset name one record, and two replicas that have it agree up to there."""
    one = history(s, v)
    other = history(s, w)
    when(v != w and o < min(len(one), len(other)) and one[o].epoch == other[o].epoch)
    return one[: o + 1] == other[: o + 1]


@invariant("595-11")
def epochs_never_fall_along_a_log(s: SnapshotElection, v: Voter):
    """A record is of no earlier epoch than the one before it, be that in the log or in what the log
    starts from."""
    records = history(s, v)
    return all(records[o].epoch <= records[o + 1].epoch for o in Offset if o + 1 < len(records))


# How much is committed.


@invariant("595-14")
def what_is_committed_ends_in_a_record_of_that_epoch(s: SnapshotElection):
    """The last committed record was written in the epoch in which it was committed."""
    return s.committed_in == (s.committed[-1].epoch if len(s.committed) > 0 else 0)


@invariant("595-14")
def high_watermark_is_past_the_epochs_start(s: SnapshotElection, leader: Voter):
    """A leader that knows a high watermark has a record of its own epoch below it."""
    when(s.role[leader] == Role.LEADER and s.high_watermark[leader] > 0)
    return any(r.epoch == s.epoch[leader] for r in history(s, leader)[: s.high_watermark[leader]])


@invariant("595-13")
def what_a_majority_acknowledged_is_committed(s: SnapshotElection, leader: Voter, o: Offset):
    """A record of a leader's epoch that a majority has, as far as the leader knows and itself
    included, is below its high watermark."""
    when(s.role[leader] == Role.LEADER and o < log_end(s, leader))
    when(history(s, leader)[o].epoch == s.epoch[leader])
    when(most({v for v in Voter if v == leader or s.fetched[leader][v] > o}))
    return s.high_watermark[leader] > o


@step_invariant("595-15")
def high_watermark_never_moves_back(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """As long as a replica runs, its high watermark only grows; a new leader does not know one."""
    when(s.restarts == new.restarts and s.wipes == new.wipes)
    when(s.role[v] == Role.LEADER or new.role[v] != Role.LEADER)
    return new.high_watermark[v] >= s.high_watermark[v]


# Fetches.


def follows_in_its_epoch(s: SnapshotElection, v, leader):
    return (
        s.role[leader] == Role.LEADER
        and s.role[v] == Role.FOLLOWER
        and s.epoch[v] == s.epoch[leader]
    )


@step_invariant("595-10", "595-23")
def only_fetches_that_agree_count(
    s: SnapshotElection, new: SnapshotElection, leader: Voter, v: Voter
):
    """What a leader takes a replica to have changes only by a fetch of one that follows it in its
    epoch, to the end of that one's log, and the leader has all of that log. Who begins or ends an
    office, or starts again, knows nothing of others."""
    when(s.fetched[leader][v] != new.fetched[leader][v])
    begins_again = (
        s.role[leader] != new.role[leader]
        or s.epoch[leader] != new.epoch[leader]
        or s.restarts != new.restarts
    )
    return (
        new.fetched[leader][v] == 0
        if begins_again
        else (
            follows_in_its_epoch(s, v, leader)
            and new.fetched[leader][v] == log_end(s, v)
            and history(s, v) == history(s, leader)[: log_end(s, v)]
        )
    )


@invariant("595-23")
def only_leaders_know_what_others_have(s: SnapshotElection, v: Voter, w: Voter):
    """A fetch counts in the epoch of the leader that it was sent to, and in no other."""
    when(s.role[v] != Role.LEADER)
    return s.fetched[v][w] == 0


@step_invariant("595-19", "630-42")
def records_come_from_the_log_of_a_leader(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """What a replica that does not lead appends, a leader that it follows in its epoch has in its
    log, not below its log's start. It fetches nothing while a fetched snapshot waits."""
    when(new.role[v] != Role.LEADER and s.log_start[v] == new.log_start[v])
    when(log_end(s, v) < log_end(new, v))
    return not s.unapplied[v] and any(
        follows_in_its_epoch(s, v, w) and s.log_start[w] <= log_end(s, v) for w in Voter
    )


@step_invariant("595-24")
def followers_learn_the_high_watermark(
    s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter
):
    """By a fetch a follower learns the lesser of the leader's high watermark and its own
    log's end, unless it knew more before or does not get on."""
    when(s.stalled[v] == 0)
    when(follows_in_its_epoch(s, v, leader) and s.fetched[leader][v] != new.fetched[leader][v])
    when(new.role[leader] == Role.LEADER and s.epoch[leader] == new.epoch[leader])
    learned = min(new.high_watermark[leader], log_end(new, v))
    return new.high_watermark[v] == max(s.high_watermark[v], learned)


@step_invariant("595-20", "595-21")
def followers_drop_only_what_the_leader_lacks(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """The first record that a follower truncates, the leader of its epoch does not have, and the
    leader's log goes back far enough to tell."""
    when(s.restarts == new.restarts and s.wipes == new.wipes and not s.unapplied[v])
    when(log_end(new, v) < log_end(s, v))
    return any(
        follows_in_its_epoch(s, v, w)
        and s.log_start[w] <= log_end(s, v)
        and history(s, w)[: log_end(new, v) + 1] != history(s, v)[: log_end(new, v) + 1]
        for w in Voter
    )


# Snapshots.


@invariant("630-2")
def snapshots_hold_what_is_committed(s: SnapshotElection, v: Voter):
    """A snapshot stands for committed records, and for all of them up to its end. One that waits
    to be applied stands for some."""
    when(len(s.snapshot[v]) > 0 or s.unapplied[v])
    end = len(s.snapshot[v])
    return end > 0 and s.snapshot[v] == s.committed[:end]


@invariant("630-34")
def log_start_is_in_a_snapshot(s: SnapshotElection, v: Voter):
    """What was dropped from a log is in the latest snapshot."""
    when(s.log_start[v] > 0)
    return s.log_start[v] <= len(s.snapshot[v])


@invariant("630-2", "630-33", "630-34")
def leaders_snapshots_agree_with_their_logs(s: SnapshotElection, leader: Voter):
    """A leader's latest snapshot ends within its log, and stands for the records before its end."""
    when(s.role[leader] == Role.LEADER and len(s.snapshot[leader]) > 0)
    return history(s, leader)[: len(s.snapshot[leader])] == s.snapshot[leader]


@step_invariant("630-34")
def a_log_starts_within_what_is_known_to_be_committed(
    s: SnapshotElection, new: SnapshotElection, v: Voter
):
    """When a log's start moves on, it is not past the high watermark: a replica that has forgotten
    this by a restart waits until a leader reports it again."""
    when(new.log_start[v] > s.log_start[v])
    return new.log_start[v] <= new.high_watermark[v]


@step_invariant("630-28")
def a_reset_begins_at_the_snapshots_end(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A log that gives way to a fetched snapshot starts and ends at the end of it, and what is
    before that is known to be committed."""
    when(s.unapplied[v] and s.log_start[v] != new.log_start[v] and s.wipes == new.wipes)
    end = len(s.snapshot[v])
    return new.log_start[v] == end == log_end(new, v) <= new.high_watermark[v]
