"""Lemmas about KRaft elections under snapshots: invariants that only help proofs."""

from lockstep import lemma, when
from models.snapshot_election_state import (
    RESET,
    Role,
    SnapshotElection,
    Voter,
    history,
    id_of,
    is_majority,
    last_epoch,
    log_end,
    log_id,
)
from models.snapshot_election_votes import has_won
from models.snapshot_id import MAX_OFFSET, Offset, OffsetAndEpoch, is_newer

# That votes go one way.


@lemma
def vote_rule_is_a_total_order(
    s: SnapshotElection, one: OffsetAndEpoch, other: OffsetAndEpoch, third: OffsetAndEpoch
):
    """Of two ends of logs one goes further, unless they are the same; and what goes further than
    another goes further than all that the other does. It is so for all epochs and offsets."""
    return is_newer(one, other) != (one == other or is_newer(other, one)) and (
        not is_newer(one, other) or not is_newer(other, third) or is_newer(one, third)
    )


@lemma
def who_stands_or_leads_voted_for_itself(s: SnapshotElection, v: Voter):
    """It has no vote left for anybody else. The first epoch is 1."""
    when(s.role[v] != Role.FOLLOWER)
    return s.voted[v] == v and s.epoch[v] > 0


@lemma
def candidates_have_their_own_vote(s: SnapshotElection, c: Voter):
    """It counts from the first moment on."""
    when(s.role[c] == Role.CANDIDATE)
    return c in s.granted[c]


@lemma
def votes_are_of_epochs_that_were_stood_in(s: SnapshotElection, v: Voter, c: Voter):
    """Nobody has a vote of an epoch that it has yet to stand in."""
    when(s.voted[v] == c)
    return s.epoch[v] <= s.epoch[c]


@lemma
def nobody_votes_twice(s: SnapshotElection, v: Voter, c: Voter, d: Voter):
    """No vote of an epoch counts for two candidates, wherever its voter is by now."""
    when(c != d and s.epoch[c] == s.epoch[d])
    return not (v in s.granted[c] and v in s.granted[d])


def is_free(s: SnapshotElection, v, epoch):
    """Whether a replica has a vote left in an epoch."""
    return s.epoch[v] < epoch or (s.epoch[v] == epoch and s.voted[v] is None)


@lemma
def a_majority_has_no_vote_left_for_an_epoch_with_records(s: SnapshotElection, v: Voter):
    """Who wrote the last record of a log was elected, and so it is for all before it."""
    when(len(history(s, v)) > 0)
    epoch = last_epoch(history(s, v))
    return not is_majority({w for w in Voter if is_free(s, w, epoch)})


@lemma
def nobody_else_is_elected_in_an_epoch_with_records(s: SnapshotElection, v: Voter, c: Voter):
    """A candidate of an epoch of which there is a record can get no majority any more."""
    when(any(r.epoch == s.epoch[c] for r in history(s, v)))
    return not is_majority({w for w in Voter if is_free(s, w, s.epoch[c]) or w in s.granted[c]})


# What logs are like.


@lemma
def logs_end_by_the_last_offset(s: SnapshotElection, v: Voter):
    """What was dropped from a log counts, too."""
    return log_end(s, v) <= MAX_OFFSET


@lemma
def records_are_of_epochs_gone_through(s: SnapshotElection, v: Voter, o: Offset):
    """A replica has no record of an epoch that it has not heard of."""
    when(o < len(history(s, v)))
    return 0 < history(s, v)[o].epoch <= s.epoch[v]


@lemma
def snapshots_are_of_epochs_gone_through(s: SnapshotElection, v: Voter, o: Offset):
    """Nor does its snapshot stand for any, whether it was applied or not."""
    when(o < len(s.snapshot[v]))
    return 0 < s.snapshot[v][o].epoch <= s.epoch[v]


@lemma
def epochs_never_fall_along_what_is_committed(s: SnapshotElection, o: Offset):
    """The later of two committed records is of no earlier epoch."""
    when(o + 1 < len(s.committed))
    return s.committed[o].epoch <= s.committed[o + 1].epoch


@lemma
def leaders_have_all_of_their_epoch(s: SnapshotElection, leader: Voter, v: Voter, o: Offset):
    """A record of a leader's epoch stands in the leader's own log, at the same offset."""
    when(s.role[leader] == Role.LEADER and o < len(history(s, v)))
    when(history(s, v)[o].epoch == s.epoch[leader])
    return o < len(history(s, leader)) and history(s, leader)[o].epoch == s.epoch[leader]


def starts_at(records, epoch):
    return sum(1 for r in records if r.epoch < epoch)


@lemma
def an_epoch_starts_at_one_offset(s: SnapshotElection, v: Voter, w: Voter, o: Offset):
    """The records of an epoch start at the same offset in all logs that have any."""
    when(v != w and o < len(history(s, v)))
    epoch = history(s, v)[o].epoch
    when(any(r.epoch == epoch for r in history(s, w)))
    return starts_at(history(s, v), epoch) == starts_at(history(s, w), epoch)


# What is committed.


def has_committed(records, s: SnapshotElection):
    return records[: len(s.committed)] == s.committed


@lemma
def who_goes_as_far_has_what_is_committed(s: SnapshotElection, v: Voter):
    """A log that goes as far as what is committed has it: this is why the vote rule is enough."""
    when(len(s.committed) > 0 and not is_newer(id_of(s.committed), log_id(s, v)))
    return has_committed(history(s, v), s)


def goes_on_with(s: SnapshotElection, v):
    """The records of a replica when it has reset its log."""
    return s.snapshot[v] if s.unapplied[v] else history(s, v)


@lemma
def who_is_elected_has_what_is_committed(s: SnapshotElection, c: Voter):
    """A candidate with a majority's votes has every record committed in earlier epochs, none was in
    its own, and it still knows so after a crash."""
    when(s.role[c] == Role.CANDIDATE and has_won(s, c))
    return (
        last_epoch(s.committed) != s.epoch[c]
        and (last_epoch(s.committed) > s.epoch[c] or has_committed(goes_on_with(s, c), s))
        and (not s.unapplied[c] or is_newer(id_of(s.snapshot[c]), log_id(s, c)))
    )


def is_elected(s: SnapshotElection, v):
    return s.role[v] == Role.LEADER or (s.role[v] == Role.CANDIDATE and has_won(s, v))


@lemma
def who_is_elected_has_what_others_know(s: SnapshotElection, leader: Voter, v: Voter):
    """Who is elected has what anybody knows to be committed who is in no later epoch."""
    when(is_elected(s, leader) and s.epoch[leader] >= s.epoch[v])
    end = max(s.high_watermark[v], len(s.snapshot[v]))
    return goes_on_with(s, leader)[:end] == s.committed[:end]


@lemma
def leaders_know_what_they_committed(s: SnapshotElection, leader: Voter):
    """What ends in a record of a leader's epoch was committed by the leader."""
    when(s.role[leader] == Role.LEADER and len(s.committed) > 0)
    when(s.epoch[leader] == last_epoch(s.committed))
    return s.high_watermark[leader] >= len(s.committed)


@lemma
def leaders_commit_up_to_records_of_their_own(s: SnapshotElection, leader: Voter):
    """A leader's high watermark is the end of a record of its epoch."""
    when(s.role[leader] == Role.LEADER and s.high_watermark[leader] > 0)
    offset = s.high_watermark[leader]
    return (
        log_end(s, leader) >= offset and last_epoch(history(s, leader)[:offset]) == s.epoch[leader]
    )


@lemma
def what_was_acknowledged_is_committed(s: SnapshotElection, leader: Voter, v: Voter):
    """What one other voter has is committed, unless it ends in a record of an earlier epoch: of
    three voters two are a majority."""
    when(s.role[leader] == Role.LEADER and v != leader)
    offset = s.fetched[leader][v]
    when(offset > 0)
    return offset <= s.high_watermark[leader] or (
        offset <= log_end(s, leader) and last_epoch(history(s, leader)[:offset]) < s.epoch[leader]
    )


# What snapshots add to logs.


@lemma
def who_waits_for_a_reset_lacks_records(s: SnapshotElection, v: Voter):
    """A log that is to be reset lacks something committed, and the reset takes back nothing that
    is known to be."""
    when(s.unapplied[v])
    return not has_committed(history(s, v), s) and s.high_watermark[v] <= len(s.snapshot[v])


@lemma
def logs_go_on_from_their_snapshots(s: SnapshotElection, v: Voter):
    """The latest snapshot stands for the first records of a log that goes beyond it, but for a log
    that is to be reset, even after a crash, or that was kept instead."""
    when(RESET == "always" and len(s.snapshot[v]) < log_end(s, v))
    return history(s, v)[: len(s.snapshot[v])] == s.snapshot[v] or (
        s.unapplied[v] and is_newer(id_of(s.snapshot[v]), log_id(s, v))
    )


@lemma
def no_snapshot_of_everything_is_passed_over(s: SnapshotElection, v: Voter):
    """A snapshot of all that is committed is in the log, or the log is to be reset to it."""
    when(len(s.committed) > 0 and s.snapshot[v] == s.committed)
    return s.unapplied[v] or has_committed(history(s, v), s)
