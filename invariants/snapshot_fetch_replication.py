"""What must hold of leaders, logs and snapshots (KIP-630 FetchSnapshot)."""

from invariants.snapshot_fetch_replica import (
    end_of,
    everything,
    is_in_the_newest_epoch,
    is_prefix,
    last_epoch,
    lost_its_disk,
    newest_snapshot,
    raised_its_log_start,
    was_truncated,
)
from lockstep import invariant, present, step_invariant, when
from models.snapshot_fetch_state import (
    CLEANS_BY_RETENTION,
    FOOTER,
    SNAPSHOT_FOR_EMPTY_LOGS,
    VOTERS,
    Replica,
    SnapshotFetch,
)
from models.snapshot_id import Offset

# Snapshots.


@invariant("630-1", "630-2", "630-25", "630-26", "630-27")
def snapshots_are_whole_and_committed(s: SnapshotFetch, r: Replica, end: Offset):
    """Every snapshot is the committed records before its end, and the footer: none is half-used."""
    when(s.snapshots[r][end] is not None)
    return s.snapshots[r][end] == s.committed[:end] + (FOOTER,)


@invariant("630-2", "630-30", "630-35")
def log_and_snapshots_agree(s: SnapshotFetch, r: Replica, end: Offset):
    """A replica's log says of no record what its own snapshot does not."""
    when(s.snapshots[r][end] is not None)
    return all(
        s.log[r][i] == s.snapshots[r][end][s.log_start[r] + i]
        for i in range(len(s.log[r]))
        if s.log_start[r] + i < end
    )


@invariant("630-33", "630-34")
def log_start_is_covered_by_a_snapshot(s: SnapshotFetch, r: Replica):
    """A log that does not start at 0 has a snapshot that stands for what is missing."""
    when(s.log_start[r] > 0)
    return newest_snapshot(s, r) >= s.log_start[r]


@invariant("630-17", "630-33", "630-34")
def snapshots_lie_between_log_start_and_high_watermark(s: SnapshotFetch, r: Replica, end: Offset):
    """Those that end before the log start are deleted, and none goes beyond what is committed."""
    when(s.snapshots[r][end] is not None)
    return s.log_start[r] <= end and end <= s.high_watermark[r]


@step_invariant("630-11")
def generated_snapshots_end_after_the_latest(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Who downloads none has a new snapshot only by going further than the latest one; and none is
    written again."""
    when(s.download[r] is None and s.snapshots[r] != new.snapshots[r])
    return all(
        new.snapshots[r][x] is None
        or new.snapshots[r][x] == s.snapshots[r][x]
        or (s.snapshots[r][x] is None and x > newest_snapshot(s, r))
        for x in Offset
    )


@step_invariant("630-17")
def snapshots_go_only_below_the_log_start(
    s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset
):
    """A replica keeps each of its snapshots, as it is, until its log starts after the end of it."""
    when(s.snapshots[r][end] is not None and not lost_its_disk(s, new, r))
    return new.snapshots[r][end] == s.snapshots[r][end] or end < new.log_start[r]


# Log start offsets.


@step_invariant("630-13")
def leader_starts_its_log_where_a_snapshot_ends(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    when(r in s.leading and raised_its_log_start(s, new, r))
    return (
        s.snapshots[r][new.log_start[r]] is not None
        and new.snapshots[r][new.log_start[r]] is not None
    )


@step_invariant("630-14")
def leader_drops_what_others_have_or_what_is_old(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader raises its log start to where the logs of all live replicas have come, or to what is
    older than the lag time. Live is who has fetched in its epoch, and lost nothing since."""
    when(not CLEANS_BY_RETENTION and r in s.leading and raised_its_log_start(s, new, r))
    return new.log_start[r] <= s.aged or all(
        end_of(s, other) >= new.log_start[r]
        for other in Replica
        if s.fetched[other].leader_epoch == s.epoch[r] and other not in s.wiped
    )


@step_invariant("630-15")
def follower_starts_its_log_no_later_than_leader_or_snapshot(
    s: SnapshotFetch, new: SnapshotFetch, r: Replica
):
    """A replica that does not lead raises its log start to the lesser of two: its leader's, and the
    end of its own latest snapshot."""
    when(not CLEANS_BY_RETENTION and s.download[r] is None)
    when(r not in s.leading and raised_its_log_start(s, new, r))
    leader = present(s.elected[s.epoch[r]])
    return new.log_start[r] == min(s.log_start[leader], newest_snapshot(s, r))


@invariant("630-13", "630-34")
def cleaned_log_starts_where_its_first_snapshot_ends(s: SnapshotFetch, r: Replica):
    """Where logs are cleaned by retention, one that does not start at 0 starts at the end of the
    first of its snapshots."""
    when(s.log_start[r] > 0)
    return not CLEANS_BY_RETENTION or (
        s.snapshots[r][s.log_start[r]] is not None
        and all(s.snapshots[r][x] is None for x in Offset if x < s.log_start[r])
    )


@step_invariant("630-13", "630-17")
def cleaning_deletes_one_snapshot(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Where logs are cleaned by retention, one that starts later has lost one snapshot to that, and
    no more: a replica that has but one keeps its log."""
    when(s.download[r] is None and raised_its_log_start(s, new, r))
    kept = {x for x in Offset if new.snapshots[r][x] is not None}
    return not CLEANS_BY_RETENTION or (
        sum(1 for x in Offset if s.snapshots[r][x] is not None and x not in kept) == 1
    )


# Leaders.


@step_invariant("595-1")
def epochs_never_go_back(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """An epoch is only lost with the whole disk."""
    when(not lost_its_disk(s, new, r))
    return new.epoch[r] >= s.epoch[r]


@step_invariant("595-1")
def a_lost_disk_leaves_nothing(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Who counts as having lost its disk has neither epoch nor log nor snapshot any more, and
    nothing is under way to it."""
    when(lost_its_disk(s, new, r))
    return (
        new.epoch[r] == 0
        and new.log_start[r] == new.high_watermark[r] == end_of(new, r) == 0
        and all(new.snapshots[r][x] is None for x in Offset)
        and r not in new.leading
        and new.waiting[r] is None
        and new.download[r] is None
        and new.response[r] is None
    )


@step_invariant("595-9")
def an_office_ends_by_a_newer_epoch_or_a_failure(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader goes on until it knows a newer epoch, loses its disk or restarts; that it restarts
    ends no other's office."""
    when(r in s.leading and r not in new.leading)
    has_restarted = new.disturbances != s.disturbances and all(
        other in new.leading for other in s.leading if other != r
    )
    return new.epoch[r] > s.epoch[r] or lost_its_disk(s, new, r) or has_restarted


@step_invariant("595-7", "595-8", "630-31", "630-32")
def leaders_are_voted_for(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A new leader of an epoch knows of it, and so do most of the voters and nobody else: an
    earlier leader that is not among them goes on. None of them goes further than the leader: by the
    last epoch, and then by the number of records."""
    when(r in new.leading and r not in s.leading)
    voters = {v for v in Replica if new.epoch[v] == new.epoch[r]}
    return (
        2 * len(voters) > len(VOTERS)
        and all(v in VOTERS and v not in s.wiped for v in voters)
        and all(v in new.leading or v in voters for v in s.leading)
        and all(
            last_epoch(s, v) < last_epoch(s, r)
            or (
                last_epoch(s, v) == last_epoch(s, r)
                and len(everything(s, v)) <= len(everything(s, r))
            )
            for v in Replica
            if v in voters
        )
    )


@step_invariant("595-11")
def leader_only_appends(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """What a leader has, in its log or below, is only ever added to."""
    when(r in s.leading and r in new.leading)
    return is_prefix(everything(s, r), everything(new, r))


@step_invariant("630-21")
def leader_loads_no_snapshot(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader gets new snapshots by generating them: they leave its log as it is."""
    when(r in s.leading and r in new.leading and newest_snapshot(s, r) < newest_snapshot(new, r))
    return new.log[r] == s.log[r] and new.log_start[r] == s.log_start[r]


# Fetches.


@step_invariant("595-18")
def fetches_are_answered_by_leaders(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica gets records, truncates its log, or is referred to a snapshot, and counts as having
    fetched, only where another one leads its epoch still."""
    appended = r not in s.leading and len(s.log[r]) < len(new.log[r])
    named = s.download[r] is None and new.download[r] is not None
    when(new.fetched[r] != s.fetched[r] or appended or named or was_truncated(s, new, r))
    leader = s.elected[s.epoch[r]]
    return (
        leader is not None and leader != r and leader in s.leading and s.epoch[leader] == s.epoch[r]
    )


@step_invariant("595-20", "595-21")
def only_what_diverges_is_truncated(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Who truncates its log has something in it that its leader has not. The leader's log goes on
    from what is left, or that ends in an older epoch than both logs, and the next fetch goes on."""
    when(was_truncated(s, new, r))
    leader = present(s.elected[s.epoch[r]])
    return not is_prefix(everything(s, r), everything(s, leader)) and (
        is_prefix(everything(new, r), everything(s, leader))
        or last_epoch(new, r) < min(last_epoch(s, r), last_epoch(s, leader))
    )


@step_invariant("595-23")
def only_what_agrees_counts(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """What counts as replicated is all that the fetcher has, and as far as the leader still has its
    log, that is what the fetcher has. Who has nothing counts only where no snapshot is quicker."""
    when(new.fetched[r] != s.fetched[r])
    leader = present(s.elected[s.epoch[r]])
    is_quicker = SNAPSHOT_FOR_EMPTY_LOGS and newest_snapshot(s, leader) > 0
    return (
        end_of(s, r) <= end_of(s, leader)
        and not (is_quicker and end_of(s, r) == 0)
        and all(
            everything(s, r)[x] == s.log[leader][max(0, x - s.log_start[leader])]
            for x in Offset
            if s.log_start[leader] <= x and x < end_of(s, r)
        )
        and new.fetched[r].offset == end_of(s, r)
        and new.fetched[r].leader_epoch == s.epoch[r]
    )


@step_invariant("595-14", "595-19")
def what_leaders_committed_is_reported_to_followers(
    s: SnapshotFetch, new: SnapshotFetch, r: Replica
):
    """A follower learns of a high watermark only from a leader of whose epoch a record is
    committed, and with the next record if there is one."""
    when(s.high_watermark[r] < new.high_watermark[r])
    when(r not in s.leading and s.download[r] is None)
    leader = present(s.elected[s.epoch[r]])
    return any(epoch == s.epoch[r] for epoch in new.committed) and (
        end_of(new, r) > end_of(s, r)
        or end_of(new, r) >= end_of(s, leader)
        or s.waiting[r] is not None
    )


# Committed records.


@step_invariant("595-13", "595-14")
def leaders_commit_up_to_a_record_of_their_epoch(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """What a leader counts as committed ends with a record that it wrote in its epoch."""
    when(r in s.leading and r in new.leading)
    when(s.high_watermark[r] < new.high_watermark[r])
    return everything(new, r)[max(0, new.high_watermark[r] - 1)] == s.epoch[r]


@invariant("595-13")
def a_leader_commits_what_a_majority_fetched(s: SnapshotFetch, leader: Replica, end: Offset):
    """A leader has committed what most of the voters had, itself included, when they fetched in its
    epoch last, if that ends with a record of its epoch."""
    when(leader in s.leading and 0 < end and end <= end_of(s, leader))
    when(everything(s, leader)[max(0, end - 1)] == s.epoch[leader])
    others = sum(
        1
        for v in Replica
        if v in VOTERS and v != leader and v not in s.wiped
        if s.fetched[v].leader_epoch == s.epoch[leader] and s.fetched[v].offset >= end
    )
    return 2 * (1 + others) <= len(VOTERS) or s.high_watermark[leader] >= end


def has_committed(s: SnapshotFetch, r, o):
    """Whether a replica has the committed record at an offset, in its log or in a snapshot."""
    in_log = (
        s.log_start[r] <= o
        and o < end_of(s, r)
        and s.log[r][max(0, o - s.log_start[r])] == s.committed[o]
    )
    return in_log or any(
        o < x and s.snapshots[r][x] is not None and s.snapshots[r][x][o] == s.committed[o]
        for x in Offset
    )


@invariant("595-13", "595-23")
def a_majority_has_what_is_committed(s: SnapshotFetch, o: Offset):
    """Each committed record is in the logs or the snapshots of most of the voters, as long as none
    of them loses its disk. Observers do not count."""
    when(o < len(s.committed) and all(v not in s.wiped for v in VOTERS))
    return 2 * sum(1 for v in Replica if v in VOTERS and has_committed(s, v, o)) > len(VOTERS)


@invariant("595-16", "630-2")
def newest_leader_has_every_committed_record(s: SnapshotFetch, r: Replica):
    """The leader of the newest epoch has the committed records, each in its log or in a snapshot:
    whatever is committed was committed in that epoch or before."""
    when(r in s.leading and is_in_the_newest_epoch(s, r))
    return all(has_committed(s, r, o) for o in Offset if o < len(s.committed))


@invariant("595-24", "630-22")
def what_lies_below_the_high_watermark_is_committed(s: SnapshotFetch, r: Replica):
    """A replica's records up to its high watermark are the committed ones."""
    when(s.high_watermark[r] > 0)
    return everything(s, r)[: s.high_watermark[r]] == s.committed[: s.high_watermark[r]]


@step_invariant("595-15")
def high_watermark_never_moves_back(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A high watermark is only lost with the whole disk."""
    when(not lost_its_disk(s, new, r))
    return new.high_watermark[r] >= s.high_watermark[r]


@invariant("595-22", "630-33")
def high_watermark_lies_within_the_log(s: SnapshotFetch, r: Replica):
    """What is committed is not truncated: log start, high watermark and log end are in order."""
    return s.log_start[r] <= s.high_watermark[r] and s.high_watermark[r] <= end_of(s, r)


@invariant("595-19", "595-20", "630-2", "630-29")
def logs_agree(s: SnapshotFetch, one: Replica, other: Replica, end: Offset):
    """If two replicas have the same epoch at an offset, in their logs or below, they have the same
    records before it."""
    when(0 < end and end <= len(everything(s, one)) and end <= len(everything(s, other)))
    when(everything(s, one)[max(0, end - 1)] == everything(s, other)[max(0, end - 1)])
    return everything(s, one)[:end] == everything(s, other)[:end]
