"""Lemmas about KIP-630 FetchSnapshot: invariants that only help proofs."""

from lockstep import lemma, present, when
from models.snapshot_fetch_snapshots import reached
from models.snapshot_fetch_state import (
    DAMAGED,
    FETCHES_WAIT,
    FOOTER,
    VOTERS,
    Error,
    Replica,
    SnapshotFetch,
    log_end,
    newest_epoch,
    records,
)
from models.snapshot_id import MAX_OFFSET, Epoch, Offset

# Who leads.


@lemma
def epochs_are_elected_in_order(s: SnapshotFetch, e: Epoch):
    """A voter was elected in every epoch from the first to the newest, and nobody in epoch 0."""
    leader = s.elected[e]
    return (leader is not None) == (0 < e <= max(1, newest_epoch(s))) and (
        leader is None or leader in VOTERS
    )


@lemma
def known_epochs_have_a_leader(s: SnapshotFetch, r: Replica):
    """Nobody is in an epoch, and no answer is of one, in which nobody was elected; but who lost its
    disk knows of none."""
    epoch = s.epoch[r]
    return (
        (0 < epoch or r in s.wiped)
        and epoch <= newest_epoch(s)
        and s.fetched[r].leader_epoch <= newest_epoch(s)
        and (s.response[r] is None or s.response[r].leader_epoch <= newest_epoch(s))
    )


@lemma
def leaders_were_elected(s: SnapshotFetch, r: Replica):
    """A replica leads the epoch that it was elected in; it downloads nothing, and has its disk."""
    when(r in s.leading)
    return s.elected[s.epoch[r]] == r and s.download[r] is None and r not in s.wiped


@lemma
def nobody_waits_unless_fetches_do(s: SnapshotFetch, r: Replica):
    """What a fetch that waits gets is no lemma's matter: proofs are of fetches that do not."""
    when(not FETCHES_WAIT)
    return s.waiting[r] is None


# What logs are like.


def record(s: SnapshotFetch, r, o):
    """The record at an offset before a log's end; below the log start it is the committed one."""
    return s.committed[o] if o < s.log_start[r] else s.log[r][max(0, o - s.log_start[r])]


@lemma
def logs_end_by_the_last_offset(s: SnapshotFetch, r: Replica):
    """What was dropped from a log counts, too."""
    return log_end(s, r) <= MAX_OFFSET


@lemma
def a_log_without_records_starts_where_a_snapshot_ends(s: SnapshotFetch, r: Replica):
    """It ends there, too, and the snapshot names the epoch before its end."""
    when(s.log_start[r] > 0 and len(s.log[r]) == 0)
    return s.snapshots[r][s.log_start[r]] is not None


@lemma
def no_snapshot_stands_for_nothing(s: SnapshotFetch, r: Replica):
    """A snapshot holds a record or more: its id has an epoch."""
    return s.snapshots[r][0] is None


@lemma
def records_are_of_epochs_gone_through(s: SnapshotFetch, r: Replica, o: Offset):
    """A replica has no record of an epoch that it has not heard of."""
    when(o < log_end(s, r))
    return 0 < record(s, r, o) <= s.epoch[r]


@lemma
def epochs_of_records_never_fall(s: SnapshotFetch, r: Replica, o: Offset):
    """The later of two records is of no earlier epoch."""
    when(o + 1 < log_end(s, r))
    return record(s, r, o) <= record(s, r, o + 1)


# What is committed.


@lemma
def nobody_knows_of_more_than_is_committed(s: SnapshotFetch, r: Replica):
    """No high watermark lies beyond the committed records."""
    return s.high_watermark[r] <= len(s.committed)


@lemma
def committed_records_are_of_elected_epochs(s: SnapshotFetch, o: Offset):
    """What is committed was written by leaders, one after the other."""
    when(o < len(s.committed))
    return 0 < s.committed[o] <= newest_epoch(s) and (
        o == 0 or s.committed[max(0, o - 1)] <= s.committed[o]
    )


@lemma
def leaders_know_what_they_committed(s: SnapshotFetch, leader: Replica):
    """What ends in a record of a leader's epoch was committed by the leader."""
    when(leader in s.leading and len(s.committed) > 0)
    when(s.epoch[leader] == s.committed[-1])
    return s.high_watermark[leader] >= len(s.committed)


@lemma
def what_was_acknowledged_is_committed(s: SnapshotFetch, leader: Replica, v: Replica):
    """What one other voter has is committed, unless it ends in a record of an earlier epoch: of two
    or three voters two are a majority. One that lost its disk does not count."""
    when(leader in s.leading and v in VOTERS and v != leader and v not in s.wiped)
    offset = reached(s, leader, v)
    return offset <= s.high_watermark[leader] or (
        offset <= log_end(s, leader) and record(s, leader, max(0, offset - 1)) < s.epoch[leader]
    )


# Two voters. Both are needed to elect one of them, so that no record of a
# log is ever replaced by another. Three voters are searched in scopes voters to large.


@lemma
def both_of_two_voters_know_the_newest_epoch(s: SnapshotFetch, v: Replica):
    """Unless one of them lost its disk: then nobody is elected any more."""
    when(len(VOTERS) == 2 and v in VOTERS and v not in s.wiped)
    return s.epoch[v] == newest_epoch(s)


@lemma
def logs_of_two_voters_never_part(s: SnapshotFetch, one: Replica, other: Replica, o: Offset):
    """No two logs have different records at an offset that both have."""
    when(len(VOTERS) == 2 and o < log_end(s, one) and o < log_end(s, other))
    return record(s, one, o) == record(s, other, o)


@lemma
def two_voters_commit_no_other_records(s: SnapshotFetch, r: Replica, o: Offset):
    """A log and the committed records do not differ at any offset that both have."""
    when(len(VOTERS) == 2 and o < log_end(s, r) and o < len(s.committed))
    return record(s, r, o) == s.committed[o]


@lemma
def the_leader_of_two_voters_has_all_records(s: SnapshotFetch, leader: Replica, r: Replica):
    """Nobody has a record that the leader lacks."""
    when(len(VOTERS) == 2 and leader in s.leading)
    return log_end(s, r) <= log_end(s, leader) and len(s.committed) <= log_end(s, leader)


@lemma
def one_of_two_voters_has_all_records(s: SnapshotFetch, r: Replica):
    """As long as somebody may be elected, there is a voter that lacks no record."""
    when(len(VOTERS) == 2 and all(v not in s.wiped for v in VOTERS))
    return any(log_end(s, r) <= log_end(s, v) and len(s.committed) <= log_end(s, v) for v in VOTERS)


@lemma
def newest_leader_stands_for_what_is_committed(s: SnapshotFetch, r: Replica):
    """The committed records are the first ones of the newest leader's log, or of those below it."""
    when(r in s.leading and s.epoch[r] == newest_epoch(s))
    return s.committed == records(s, r)[: len(s.committed)]


@lemma
def two_voters_have_what_they_fetched(s: SnapshotFetch, r: Replica):
    """A log goes as far as it did when a leader last agreed with its fetch, unless it was lost."""
    when(len(VOTERS) == 2 and r not in s.wiped)
    return s.fetched[r].offset <= log_end(s, r)


# Downloads.


@lemma
def downloads_are_of_committed_records_that_are_lacking(s: SnapshotFetch, r: Replica):
    """A snapshot that is fetched is of committed records, of no later epoch than the replica's, and
    not of such as the replica has."""
    when(s.download[r] is not None)
    named = s.download[r].snapshot
    end = named.end_offset
    return (
        0 < end <= len(s.committed)
        and named.epoch == s.committed[max(0, end - 1)]
        and named.epoch <= s.epoch[r]
        and not (
            end <= log_end(s, r) and all(record(s, r, o) == s.committed[o] for o in range(end))
        )
    )


@lemma
def responses_are_parts_of_snapshots(s: SnapshotFetch, r: Replica):
    """What is under way is a part of a snapshot of committed records, damaged or not."""
    answer = present(s.response[r])
    when(answer.error == Error.NONE)
    end = answer.snapshot.end_offset
    whole = s.committed[:end] + (FOOTER,)
    return (
        0 < end <= len(s.committed)
        and answer.size == len(whole)
        and 0 < len(answer.units)
        and answer.position + len(answer.units) <= answer.size
        and all(
            answer.units[i] == DAMAGED or answer.units[i] == whole[answer.position + i]
            for i in range(len(answer.units))
        )
    )
