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
)
from models.snapshot_fetch_state import (
    DAMAGED,
    FOOTER,
    GENERATORS,
    MAX_BYTES,
    Error,
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
    """A leader raises its log start to where the logs of all live replicas have come, or to what is
    older than the lag time. Live is who has fetched in its epoch, and lost nothing since."""
    when(r in s.leading and raised_its_log_start(s, new, r))
    return new.log_start[r] <= s.aged or all(
        log_end(s, other) >= new.log_start[r]
        for other in Replica
        if s.fetched[other].leader_epoch == s.epoch[r] and other not in s.wiped
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


@step_invariant("630-41", "630-42")
def named_snapshot_exists(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A fetch is answered with a snapshot that the leader has, its latest."""
    when(s.download[r] is None and new.download[r] is not None)
    leader = present(s.elected[s.epoch[r]])
    named = new.download[r].snapshot
    return (
        named.end_offset == latest(s, leader)
        and s.snapshots[leader][named.end_offset] is not None
        and last_record(s.snapshots[leader][named.end_offset]) == named.epoch
    )


@step_invariant("630-42")
def snapshot_is_named_only_if_the_log_cannot_serve(
    s: SnapshotFetch, new: SnapshotFetch, r: Replica
):
    """Who is told of a snapshot ends before the leader's log starts, or has other records."""
    when(s.download[r] is None and new.download[r] is not None)
    leader = present(s.elected[s.epoch[r]])
    end = log_end(s, r)
    return end < s.log_start[leader] or records(s, r) != records(s, leader)[:end]


@step_invariant("630-23", "630-43")
def nothing_is_fetched_during_a_download(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Who is told of a snapshot fetches that one, and nothing of the log meanwhile."""
    when(s.download[r] is not None and new.download[r] is not None)
    return (
        new.download[r].snapshot == s.download[r].snapshot
        and new.fetched[r] == s.fetched[r]
        and new.log_start[r] == s.log_start[r]
        and new.log[r] == s.log[r]
    )


@step_invariant("595-18")
def fetches_are_answered_by_leaders(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica gets records, or is told of a snapshot, and counts as having fetched, only where
    its epoch is led still."""
    appended = r not in s.leading and len(s.log[r]) < len(new.log[r])
    named = s.download[r] is None and new.download[r] is not None
    when(new.fetched[r] != s.fetched[r] or appended or named)
    leader = s.elected[s.epoch[r]]
    return leader is not None and leader in s.leading and s.epoch[leader] == s.epoch[r]


def has_file(s: SnapshotFetch, r, snapshot):
    """Whether a replica has the snapshot of an id: one that ends there, in that epoch."""
    file = s.snapshots[r][snapshot.end_offset]
    return file is not None and file[-2] == snapshot.epoch


@step_invariant("630-47", "630-48")
def chunks_are_of_the_snapshot_asked_for(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A response without an error has some bytes of the leader's snapshot of that id, from the
    position asked for, and tells its size."""
    when(s.response[r] is None and new.response[r] is not None)
    response = new.response[r]
    when(response.error == Error.NONE)
    download = present(s.download[r])
    leader = present(s.elected[s.epoch[r]])
    file = s.snapshots[leader][download.snapshot.end_offset]
    start = len(download.part)
    return (
        has_file(s, leader, download.snapshot)
        and response.snapshot == download.snapshot
        and response.size == len(file)
        and response.position == start
        and len(response.units) > 0
        and response.units == file[start : start + len(response.units)]
    )


def error_due(s: SnapshotFetch, r, asked, snapshot):
    """What is wrong with a replica's request: first its epoch, then whom it asks, then the
    snapshot."""
    if s.epoch[asked] > s.epoch[r]:
        return Error.FENCED_LEADER_EPOCH
    if s.epoch[asked] < s.epoch[r]:
        return Error.UNKNOWN_LEADER_EPOCH
    if asked not in s.leading:
        return Error.NOT_LEADER_OR_FOLLOWER
    if has_file(s, asked, snapshot):
        return Error.NONE
    return Error.SNAPSHOT_NOT_FOUND


@step_invariant("595-18")
def errors_say_what_is_wrong(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """An answer bears the error of what is wrong, and none if nothing is."""
    when(s.response[r] is None and new.response[r] is not None)
    asked = present(s.elected[s.epoch[r]])
    download = present(s.download[r])
    return new.response[r].error == error_due(s, r, asked, download.snapshot)


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


def has_committed(s: SnapshotFetch, r, o):
    """Whether a replica has the committed record at an offset, in its log or in a snapshot."""
    in_log = (
        s.log_start[r] <= o
        and o < log_end(s, r)
        and s.log[r][max(0, o - s.log_start[r])] == s.committed[o]
    )
    return in_log or any(
        o < x and s.snapshots[r][x] is not None and s.snapshots[r][x][o] == s.committed[o]
        for x in Offset
    )


@invariant("595-16", "630-2")
def newest_leader_has_every_committed_record(s: SnapshotFetch, r: Replica):
    """The leader of the newest epoch has the committed records, each in its log or in a snapshot:
    whatever is committed was committed in that epoch or before."""
    when(r in s.leading and s.epoch[r] == newest_epoch(s))
    return all(has_committed(s, r, o) for o in Offset if o < len(s.committed))


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
    """A replica that generates no snapshots has one, and its log starts where it ends."""
    return any(
        r not in GENERATORS and s.log_start[r] > 0 and latest(s, r) == s.log_start[r]
        for r in Replica
    )
