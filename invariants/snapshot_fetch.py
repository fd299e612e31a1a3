"""What must hold of snapshots that are fetched. Ids such as 630-14 are rows of specs/kip_630.toml,
595-22 one of specs/kip_595.toml."""

from lockstep import each, invariant, leads_to, lemma, sometimes, step_invariant, when
from models.snapshot_fetch import (
    DAMAGED,
    FOOTER,
    MAX_BYTES,
    VOTERS,
    Error,
    Replica,
    answer_chunk,
    answer_snapshot_not_found,
    fetch_diverging,
    fetch_record,
    fetch_snapshot_id,
    ignore_response,
    last_record,
    latest,
    leader_of,
    leads_epoch_of,
    log_end,
    log_end_id,
    newest_epoch,
    reached,
    receive_chunk,
    receive_damaged,
    receive_error,
    receive_last_chunk,
    records,
)
from models.snapshot_id import MAX_OFFSET, Epoch, Offset


def lost_its_disk(s, new, r):
    return r in new.wiped and r not in s.wiped


def is_prefix(one, other):
    return one == other[: len(one)]


# Snapshots.


@invariant("630-1", "630-2", "630-25", "630-26", "630-27")
def snapshots_are_whole_and_committed(s, r: Replica, end: Offset):
    """Every snapshot is the committed records before its end, and the footer: none is half-used."""
    when(s.snapshots[r][end] is not None)
    return s.snapshots[r][end] == s.committed[:end] + (FOOTER,)


@invariant("630-2", "630-30", "630-35")
def log_and_snapshots_agree(s, r: Replica, end: Offset):
    """A replica's log says of no record what its own snapshot does not."""
    when(s.snapshots[r][end] is not None)
    return all(
        s.log[r][i] == s.snapshots[r][end][s.log_start[r] + i]
        for i in range(len(s.log[r]))
        if s.log_start[r] + i < end
    )


@invariant("630-33", "630-34")
def log_start_is_covered_by_a_snapshot(s, r: Replica):
    """A log that does not start at 0 has a snapshot that stands for what is missing."""
    when(s.log_start[r] > 0)
    return latest(s, r) >= s.log_start[r]


@invariant("630-17", "630-33", "630-34")
def snapshots_lie_between_log_start_and_high_watermark(s, r: Replica, end: Offset):
    """Those that end before the log start are deleted, and none goes beyond what is committed."""
    when(s.snapshots[r][end] is not None)
    return s.log_start[r] <= end and end <= s.high_watermark[r]


# Log start offsets.


def raised_its_log_start(s, new, r):
    return new.log_start[r] > s.log_start[r]


@step_invariant("630-13")
def leader_starts_its_log_where_a_snapshot_ends(s, new, r: Replica):
    when(r in s.leading and raised_its_log_start(s, new, r))
    return (
        s.snapshots[r][new.log_start[r]] is not None
        and new.snapshots[r][new.log_start[r]] is not None
    )


@step_invariant("630-14")
def leader_drops_what_others_have_or_what_is_old(s, new, r: Replica):
    """A leader raises its log start to what every replica has replicated, or to what is older than
    the lag time."""
    when(r in s.leading and raised_its_log_start(s, new, r))
    return new.log_start[r] <= s.aged or all(
        reached(s, r, other) >= new.log_start[r] for other in Replica
    )


@step_invariant("630-15")
def follower_starts_its_log_no_later_than_leader_or_snapshot(s, new, r: Replica):
    """A replica that does not lead raises its log start to the lesser of two: its leader's, and the
    end of its own latest snapshot."""
    when(r not in s.leading and raised_its_log_start(s, new, r) and s.download[r] is None)
    leader = s.elected[s.epoch[r]]
    when(leader is not None)
    return new.log_start[r] == min(s.log_start[leader], latest(s, r))


@step_invariant("595-11")
def leader_only_appends(s, new, r: Replica):
    """What a leader has, in its log or below, is only ever added to."""
    when(r in s.leading and r in new.leading)
    return is_prefix(records(s, r), records(new, r))


@step_invariant("630-21")
def leader_loads_no_snapshot(s, new, r: Replica):
    """A leader gets new snapshots by generating them: they leave its log as it is."""
    when(r in s.leading and r in new.leading and latest(s, r) < latest(new, r))
    return new.log[r] == s.log[r] and new.log_start[r] == s.log_start[r]


# Downloads.


@step_invariant("630-41", "630-42", "630-47")
def named_snapshot_exists(s, new, r: Replica):
    """A fetch is answered with a snapshot that the leader has, its latest, and then only when the
    log cannot serve it."""
    when(s.download[r] is None and new.download[r] is not None)
    leader = s.elected[s.epoch[r]]
    when(leader is not None)
    named = new.download[r].snapshot
    return (
        named.end_offset == latest(s, leader)
        and s.snapshots[leader][named.end_offset] is not None
        and last_record(s.snapshots[leader][named.end_offset]) == named.epoch
    )


@invariant("630-49", "630-59", "630-60", "630-55")
def every_byte_counts_once(s, r: Replica):
    """The .part file is the beginning of the snapshot, each unit where it belongs, if damaged."""
    when(s.download[r] is not None)
    end = s.download[r].snapshot.end_offset
    part = s.download[r].part
    whole = s.committed[:end] + (FOOTER,)
    return len(part) < len(whole) and all(
        part[i] == whole[i] or part[i] == DAMAGED for i in range(len(part))
    )


@step_invariant("630-28", "630-29", "630-35", "630-44", "630-61")
def log_gives_way_to_what_was_fetched(s, new, r: Replica):
    """Once a snapshot is fetched, the log starts and ends where it ends, with its epoch."""
    when(s.download[r] is not None and new.download[r] is None)
    fetched = s.download[r].snapshot
    when(s.snapshots[r][fetched.end_offset] is None)
    when(new.snapshots[r][fetched.end_offset] is not None)
    return log_end_id(new, r) == fetched and new.log_start[r] == fetched.end_offset


@step_invariant("630-50", "630-60")
def responses_keep_within_max_bytes(s, new, r: Replica):
    when(s.response[r] is None and new.response[r] is not None)
    return len(new.response[r].units) <= MAX_BYTES


# Committed records.


@invariant("595-16", "630-2")
def newest_leader_has_every_committed_record(s, r: Replica):
    """The leader of the newest epoch has the committed records, in its log or below it."""
    when(r in s.leading and s.epoch[r] == newest_epoch(s))
    return is_prefix(s.committed, records(s, r))


@invariant("595-24", "630-22")
def what_lies_below_the_high_watermark_is_committed(s, r: Replica):
    """A replica's records up to its high watermark are the committed ones."""
    when(s.high_watermark[r] > 0)
    return records(s, r)[: s.high_watermark[r]] == s.committed[: s.high_watermark[r]]


@step_invariant("595-15")
def high_watermark_never_moves_back(s, new, r: Replica):
    """A high watermark is only lost with the whole disk."""
    when(not lost_its_disk(s, new, r))
    return new.high_watermark[r] >= s.high_watermark[r]


@invariant("595-22", "630-33")
def high_watermark_lies_within_the_log(s, r: Replica):
    """What is committed is not truncated: log start, high watermark and log end are in order."""
    return s.log_start[r] <= s.high_watermark[r] and s.high_watermark[r] <= log_end(s, r)


@invariant("595-19", "595-20", "630-2", "630-29")
def logs_agree(s, one: Replica, other: Replica, end: Offset):
    """If two replicas have the same epoch at an offset, in their logs or below, they have the same
    records before it."""
    when(0 < end and end <= len(records(s, one)) and end <= len(records(s, other)))
    when(records(s, one)[max(0, end - 1)] == records(s, other)[max(0, end - 1)])
    return records(s, one)[:end] == records(s, other)[:end]


# Nobody is left behind.


def is_led(s, r):
    """The replica follows a leader of the newest epoch, and can reach it."""
    return s.epoch[r] == newest_epoch(s) and r not in s.leading and leads_epoch_of(s, r)


def is_behind(s, r):
    """The replica lacks records that its leader knows to be committed, or has others in place."""
    leader = leader_of(s, r)
    return leader is not None and not is_prefix(
        records(s, leader)[: s.high_watermark[leader]], records(s, r)
    )


@leads_to(
    "630-44",
    "630-62",
    weak=(
        each(fetch_record, "r"),
        each(fetch_diverging, "r"),
        each(fetch_snapshot_id, "r"),
        each(answer_chunk, "r"),
        each(answer_snapshot_not_found, "r"),
        each(receive_chunk, "r"),
        each(receive_last_chunk, "r"),
        each(receive_damaged, "r"),
        each(receive_error, "r"),
        each(ignore_response, "r"),
    ),
)
def lagging_replica_catches_up(s, r: Replica):
    """A replica gets what its leader knows to be committed, unless the leader goes first."""
    return is_led(s, r) and is_behind(s, r), not is_led(s, r) or not is_behind(s, r)


# The scope reaches what it is about.


@sometimes("630-44")
def a_snapshot_is_fetched_and_loaded(s):
    return any(
        s.log_start[r] > 0 and s.fetched[r].offset < s.log_start[r] and r not in s.leading
        for r in Replica
    )


# What proofs need besides: who leads.


@lemma
def epochs_are_elected_in_order(s, e: Epoch):
    """A voter was elected in every epoch from the first to the newest, and nobody in epoch 0."""
    leader = s.elected[e]
    return (leader is not None) == (0 < e <= max(1, newest_epoch(s))) and (
        leader is None or leader in VOTERS
    )


@lemma
def known_epochs_have_a_leader(s, r: Replica):
    """Nobody is in an epoch, and no answer is of one, in which nobody was elected; but who lost its
    disk knows of none."""
    known = s.epoch[r]
    return (
        (0 < known or r in s.wiped)
        and known <= newest_epoch(s)
        and s.fetched[r].leader_epoch <= newest_epoch(s)
        and (s.response[r] is None or s.response[r].leader_epoch <= newest_epoch(s))
    )


@lemma
def leaders_were_elected(s, r: Replica):
    """A replica leads the epoch that it was elected in; it downloads nothing, and has its disk."""
    when(r in s.leading)
    return s.elected[s.epoch[r]] == r and s.download[r] is None and r not in s.wiped


# What proofs need besides: what logs are like.


def record(s, r, o):
    """The record at an offset before a log's end; below the log start it is the committed one."""
    return s.committed[o] if o < s.log_start[r] else s.log[r][max(0, o - s.log_start[r])]


@lemma
def logs_end_by_the_last_offset(s, r: Replica):
    """What was dropped from a log counts, too."""
    return log_end(s, r) <= MAX_OFFSET


@lemma
def a_log_without_records_starts_where_a_snapshot_ends(s, r: Replica):
    """It ends there, too, and the snapshot tells the epoch before its end."""
    when(s.log_start[r] > 0 and len(s.log[r]) == 0)
    return s.snapshots[r][s.log_start[r]] is not None


@lemma
def no_snapshot_stands_for_nothing(s, r: Replica):
    """A snapshot holds a record or more: its id has an epoch."""
    return s.snapshots[r][0] is None


@lemma
def records_are_of_epochs_gone_through(s, r: Replica, o: Offset):
    """A replica has no record of an epoch that it has not heard of."""
    when(o < log_end(s, r))
    return 0 < record(s, r, o) <= s.epoch[r]


@lemma
def epochs_of_records_never_fall(s, r: Replica, o: Offset):
    """The later of two records is of no earlier epoch."""
    when(o + 1 < log_end(s, r))
    return record(s, r, o) <= record(s, r, o + 1)


# What proofs need besides: what is committed.


@lemma
def nobody_knows_of_more_than_is_committed(s, r: Replica):
    """No high watermark lies beyond the committed records."""
    return s.high_watermark[r] <= len(s.committed)


@lemma
def committed_records_are_of_elected_epochs(s, o: Offset):
    """What is committed was written by leaders, one after the other."""
    when(o < len(s.committed))
    return 0 < s.committed[o] <= newest_epoch(s) and (
        o == 0 or s.committed[max(0, o - 1)] <= s.committed[o]
    )


@lemma
def leaders_know_what_they_committed(s, leader: Replica):
    """What ends in a record of a leader's epoch was committed by the leader."""
    when(leader in s.leading and len(s.committed) > 0)
    when(s.epoch[leader] == s.committed[-1])
    return s.high_watermark[leader] >= len(s.committed)


@lemma
def what_was_acknowledged_is_committed(s, leader: Replica, v: Replica):
    """What one other voter has is committed, unless it ends in a record of an earlier epoch: of two
    or three voters two are a majority. One that lost its disk does not count."""
    when(leader in s.leading and v in VOTERS and v != leader and v not in s.wiped)
    offset = reached(s, leader, v)
    return offset <= s.high_watermark[leader] or (
        offset <= log_end(s, leader) and record(s, leader, max(0, offset - 1)) < s.epoch[leader]
    )


# What proofs need besides: two voters. Both are needed to elect one of them, so that no record of a
# log is ever replaced by another. Three voters are searched in scopes voters to large.


@lemma
def both_of_two_voters_know_the_newest_epoch(s, v: Replica):
    """Unless one of them lost its disk: then nobody is elected any more."""
    when(len(VOTERS) == 2 and v in VOTERS and v not in s.wiped)
    return s.epoch[v] == newest_epoch(s)


@lemma
def logs_of_two_voters_never_part(s, one: Replica, other: Replica, o: Offset):
    """No two logs have different records at an offset that both have."""
    when(len(VOTERS) == 2 and o < log_end(s, one) and o < log_end(s, other))
    return record(s, one, o) == record(s, other, o)


@lemma
def two_voters_commit_no_other_records(s, r: Replica, o: Offset):
    """A log and the committed records do not differ at any offset that both have."""
    when(len(VOTERS) == 2 and o < log_end(s, r) and o < len(s.committed))
    return record(s, r, o) == s.committed[o]


@lemma
def the_leader_of_two_voters_has_all_records(s, leader: Replica, r: Replica):
    """Nobody has a record that the leader lacks."""
    when(len(VOTERS) == 2 and leader in s.leading)
    return log_end(s, r) <= log_end(s, leader) and len(s.committed) <= log_end(s, leader)


@lemma
def one_of_two_voters_has_all_records(s, r: Replica):
    """As long as somebody may be elected, there is a voter that lacks no record."""
    when(len(VOTERS) == 2 and all(v not in s.wiped for v in VOTERS))
    return any(log_end(s, r) <= log_end(s, v) and len(s.committed) <= log_end(s, v) for v in VOTERS)


# What proofs need besides: downloads.


@lemma
def downloads_are_of_committed_records_that_are_lacking(s, r: Replica):
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
def responses_are_parts_of_snapshots(s, r: Replica):
    """What is under way is a part of a snapshot of committed records, damaged or not."""
    when(s.response[r] is not None and s.response[r].error == Error.NONE)
    answer = s.response[r]
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
