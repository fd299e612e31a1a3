"""What must hold of snapshots that are fetched. Ids such as 630-14 are rows of specs/kip_630.toml,
595-22 one of specs/kip_595.toml."""

from lockstep import each, invariant, leads_to, present, sometimes, step_invariant, when
from models.snapshot_fetch_download import (
    answer_chunk,
    answer_snapshot_not_found,
    ignore_response,
    leads_epoch_of,
    receive_chunk,
    receive_damaged,
    receive_error,
    receive_last_chunk,
)
from models.snapshot_fetch_replication import (
    fetch_diverging,
    fetch_record,
    fetch_snapshot_id,
    reached,
)
from models.snapshot_fetch_state import (
    DAMAGED,
    FOOTER,
    MAX_BYTES,
    Replica,
    SnapshotFetch,
    last_record,
    latest,
    leader_of,
    log_end,
    log_end_id,
    newest_epoch,
    records,
)
from models.snapshot_id import Offset


def lost_its_disk(s: SnapshotFetch, new: SnapshotFetch, r):
    return r in new.wiped and r not in s.wiped


def is_prefix(one, other):
    return one == other[: len(one)]


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
    return latest(s, r) >= s.log_start[r]


@invariant("630-17", "630-33", "630-34")
def snapshots_lie_between_log_start_and_high_watermark(s: SnapshotFetch, r: Replica, end: Offset):
    """Those that end before the log start are deleted, and none goes beyond what is committed."""
    when(s.snapshots[r][end] is not None)
    return s.log_start[r] <= end and end <= s.high_watermark[r]


# Log start offsets.


def raised_its_log_start(s: SnapshotFetch, new: SnapshotFetch, r):
    return new.log_start[r] > s.log_start[r]


@step_invariant("630-13")
def leader_starts_its_log_where_a_snapshot_ends(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    when(r in s.leading and raised_its_log_start(s, new, r))
    return (
        s.snapshots[r][new.log_start[r]] is not None
        and new.snapshots[r][new.log_start[r]] is not None
    )


@step_invariant("630-14")
def leader_drops_what_others_have_or_what_is_old(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader raises its log start to what every replica has replicated, or to what is older than
    the lag time."""
    when(r in s.leading and raised_its_log_start(s, new, r))
    return new.log_start[r] <= s.aged or all(
        reached(s, r, other) >= new.log_start[r] for other in Replica
    )


@step_invariant("630-15")
def follower_starts_its_log_no_later_than_leader_or_snapshot(
    s: SnapshotFetch, new: SnapshotFetch, r: Replica
):
    """A replica that does not lead raises its log start to the lesser of two: its leader's, and the
    end of its own latest snapshot."""
    when(r not in s.leading and raised_its_log_start(s, new, r) and s.download[r] is None)
    leader = present(s.elected[s.epoch[r]])
    return new.log_start[r] == min(s.log_start[leader], latest(s, r))


@step_invariant("595-11")
def leader_only_appends(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """What a leader has, in its log or below, is only ever added to."""
    when(r in s.leading and r in new.leading)
    return is_prefix(records(s, r), records(new, r))


@step_invariant("630-21")
def leader_loads_no_snapshot(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader gets new snapshots by generating them: they leave its log as it is."""
    when(r in s.leading and r in new.leading and latest(s, r) < latest(new, r))
    return new.log[r] == s.log[r] and new.log_start[r] == s.log_start[r]


# Downloads.


@step_invariant("630-41", "630-42", "630-47")
def named_snapshot_exists(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A fetch is answered with a snapshot that the leader has, its latest, and then only when the
    log cannot serve it."""
    when(s.download[r] is None and new.download[r] is not None)
    leader = present(s.elected[s.epoch[r]])
    named = new.download[r].snapshot
    return (
        named.end_offset == latest(s, leader)
        and s.snapshots[leader][named.end_offset] is not None
        and last_record(s.snapshots[leader][named.end_offset]) == named.epoch
    )


@invariant("630-49", "630-59", "630-60", "630-55")
def every_byte_counts_once(s: SnapshotFetch, r: Replica):
    """The .part file is the beginning of the snapshot, each unit where it belongs, if damaged."""
    download = present(s.download[r])
    end = download.snapshot.end_offset
    part = download.part
    whole = s.committed[:end] + (FOOTER,)
    return len(part) < len(whole) and all(
        part[i] == whole[i] or part[i] == DAMAGED for i in range(len(part))
    )


@step_invariant("630-28", "630-29", "630-35", "630-44", "630-61")
def log_gives_way_to_what_was_fetched(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Once a snapshot is fetched, the log starts and ends where it ends, with its epoch."""
    when(s.download[r] is not None and new.download[r] is None)
    fetched = s.download[r].snapshot
    when(s.snapshots[r][fetched.end_offset] is None)
    when(new.snapshots[r][fetched.end_offset] is not None)
    return log_end_id(new, r) == fetched and new.log_start[r] == fetched.end_offset


@step_invariant("630-50", "630-60")
def responses_keep_within_max_bytes(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    when(s.response[r] is None and new.response[r] is not None)
    return len(new.response[r].units) <= MAX_BYTES


# Committed records.


@invariant("595-16", "630-2")
def newest_leader_has_every_committed_record(s: SnapshotFetch, r: Replica):
    """The leader of the newest epoch has the committed records, in its log or below it."""
    when(r in s.leading and s.epoch[r] == newest_epoch(s))
    return is_prefix(s.committed, records(s, r))


@invariant("595-24", "630-22")
def what_lies_below_the_high_watermark_is_committed(s: SnapshotFetch, r: Replica):
    """A replica's records up to its high watermark are the committed ones."""
    when(s.high_watermark[r] > 0)
    return records(s, r)[: s.high_watermark[r]] == s.committed[: s.high_watermark[r]]


@step_invariant("595-15")
def high_watermark_never_moves_back(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A high watermark is only lost with the whole disk."""
    when(not lost_its_disk(s, new, r))
    return new.high_watermark[r] >= s.high_watermark[r]


@invariant("595-22", "630-33")
def high_watermark_lies_within_the_log(s: SnapshotFetch, r: Replica):
    """What is committed is not truncated: log start, high watermark and log end are in order."""
    return s.log_start[r] <= s.high_watermark[r] and s.high_watermark[r] <= log_end(s, r)


@invariant("595-19", "595-20", "630-2", "630-29")
def logs_agree(s: SnapshotFetch, one: Replica, other: Replica, end: Offset):
    """If two replicas have the same epoch at an offset, in their logs or below, they have the same
    records before it."""
    when(0 < end and end <= len(records(s, one)) and end <= len(records(s, other)))
    when(records(s, one)[max(0, end - 1)] == records(s, other)[max(0, end - 1)])
    return records(s, one)[:end] == records(s, other)[:end]


# Nobody is left behind.


def is_led(s: SnapshotFetch, r):
    """The replica follows a leader of the newest epoch, and can reach it."""
    return s.epoch[r] == newest_epoch(s) and r not in s.leading and leads_epoch_of(s, r)


def is_behind(s: SnapshotFetch, r):
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
def lagging_replica_catches_up(s: SnapshotFetch, r: Replica):
    """A replica gets what its leader knows to be committed, unless the leader goes first."""
    return is_led(s, r) and is_behind(s, r), not is_led(s, r) or not is_behind(s, r)


# The scope reaches what it is about.


@sometimes("630-44")
def a_snapshot_is_fetched_and_loaded(s: SnapshotFetch):
    return any(
        s.log_start[r] > 0 and s.fetched[r].offset < s.log_start[r] and r not in s.leading
        for r in Replica
    )
