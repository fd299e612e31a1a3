"""What must hold of downloads (KIP-630 FetchSnapshot), and that nobody is left behind."""

from invariants.snapshot_fetch_replication import is_prefix
from lockstep import each, invariant, leads_to, present, sometimes, step_invariant, when
from models.snapshot_fetch_download import (
    answer_chunk,
    answer_fenced,
    answer_not_leader,
    answer_snapshot_not_found,
    answer_unknown_epoch,
    ignore_response,
    receive_chunk,
    receive_damaged,
    receive_error,
    receive_last_chunk,
)
from models.snapshot_fetch_replication import (
    fetch_diverging,
    fetch_nothing,
    fetch_record,
    fetch_snapshot_id,
    wait_for_records,
    wait_in_vain,
)
from models.snapshot_fetch_state import (
    CLEANS_BY_RETENTION,
    DAMAGED,
    FOOTER,
    GENERATORS,
    MAX_BYTES,
    SNAPSHOT_FOR_EMPTY_LOGS,
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

# What a fetch is answered with.


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
    """Who is told of a snapshot ends before the leader's log starts, or has other records; or has
    none at all, if a snapshot is the quicker way."""
    when(s.download[r] is None and new.download[r] is not None)
    leader = present(s.elected[s.epoch[r]])
    end = log_end(s, r)
    return (
        end < s.log_start[leader]
        or records(s, r) != records(s, leader)[:end]
        or (SNAPSHOT_FOR_EMPTY_LOGS and end == 0)
    )


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


# Chunks.


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
    """An answer bears the error of what is wrong, and none if nothing is; with an error it bears
    no bytes."""
    when(s.response[r] is None and new.response[r] is not None)
    asked = present(s.elected[s.epoch[r]])
    download = present(s.download[r])
    response = new.response[r]
    return response.error == error_due(s, r, asked, download.snapshot) and (
        response.error == Error.NONE or (response.size == 0 and len(response.units) == 0)
    )


@step_invariant("630-43")
def bytes_are_of_the_leader_asked(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """What an earlier leader has sent is no part of a later download."""
    when(s.download[r] is not None and s.response[r] is not None)
    when(s.response[r].error == Error.NONE and s.response[r].leader_epoch != s.epoch[r])
    end = s.download[r].snapshot.end_offset
    return new.download[r] == s.download[r] or (
        new.download[r] is None
        and (new.snapshots[r][end] is None or new.snapshots[r][end] == s.snapshots[r][end])
    )


@step_invariant("595-9")
def fenced_replica_takes_the_newer_epoch(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica that reads in the response to its request that there is a newer epoch takes that
    epoch, unless the response is lost to it."""
    when(s.download[r] is not None and s.response[r] is not None and new.response[r] is None)
    when(s.response[r].error == Error.FENCED_LEADER_EPOCH)
    when(s.response[r].leader_epoch > s.epoch[r])
    when(s.response[r].snapshot == s.download[r].snapshot)
    when(s.response[r].position == len(s.download[r].part))
    is_lost = new.disturbances != s.disturbances or new.wiped != s.wiped
    return is_lost or new.epoch[r] >= s.response[r].leader_epoch


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


@step_invariant("630-60")
def a_request_has_one_answer(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """While an answer is under way there is no other, but bytes of it may be damaged."""
    when(s.response[r] is not None and new.response[r] is not None)
    return (
        new.response[r].error == s.response[r].error
        and new.response[r].leader_epoch == s.response[r].leader_epoch
        and new.response[r].snapshot == s.response[r].snapshot
        and new.response[r].size == s.response[r].size
        and new.response[r].position == s.response[r].position
        and len(new.response[r].units) == len(s.response[r].units)
    )


@step_invariant("630-50", "630-60")
def responses_keep_within_max_bytes(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    when(s.response[r] is None and new.response[r] is not None)
    return len(new.response[r].units) <= MAX_BYTES


# Nobody is left behind.


def is_led(s: SnapshotFetch, r):
    """The replica is in the newest epoch, and another one leads in it."""
    epoch = newest_epoch(s)
    return s.epoch[r] == epoch and any(
        leader != r and leader in s.leading and s.epoch[leader] == epoch for leader in Replica
    )


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


def lacks_the_high_watermark(s: SnapshotFetch, r):
    """A replica's leader has committed a record of its epoch, and the replica does not know what of
    its own log is committed."""
    leader = leader_of(s, r)
    return (
        is_led(s, r)
        and s.download[r] is None
        and leader is not None
        and s.high_watermark[r] < min(s.high_watermark[leader], log_end(s, r))
        and any(record == s.epoch[r] for record in records(s, leader)[: s.high_watermark[leader]])
    )


@leads_to(
    "595-24",
    weak=(
        each(fetch_record, "r"),
        each(fetch_nothing, "r"),
        each(wait_for_records, "r"),
        each(wait_in_vain, "r"),
        each(fetch_diverging, "r"),
        each(fetch_snapshot_id, "r"),
    ),
)
def followers_learn_the_high_watermark(s: SnapshotFetch, r: Replica):
    """A replica comes to know how much of its log its leader has committed, unless it is told to
    fetch a snapshot."""
    return lacks_the_high_watermark(s, r), not lacks_the_high_watermark(s, r)


@sometimes("595-24")
def a_follower_does_not_know_what_is_committed(s: SnapshotFetch):
    """A replica has a record that its leader has committed, and does not know that."""
    return any(lacks_the_high_watermark(s, r) for r in Replica)


@sometimes("595-24")
def all_followers_know_what_is_committed(s: SnapshotFetch):
    """Something is committed, and whoever is led knows it."""
    return len(s.committed) > 0 and all(
        s.high_watermark[r] == len(s.committed) for r in Replica if is_led(s, r)
    )


@leads_to(
    "630-62",
    weak=(
        each(answer_chunk, "r"),
        each(answer_snapshot_not_found, "r"),
        each(answer_fenced, "r"),
        each(answer_unknown_epoch, "r"),
        each(answer_not_leader, "r"),
    ),
)
def every_request_is_answered(s: SnapshotFetch, r: Replica):
    """Whoever is asked for a chunk answers, whatever it is; unless the download is over first."""
    is_asked = s.download[r] is not None and s.response[r] is None and leader_of(s, r) != r
    return is_asked, not is_asked


# The scope reaches what it is about.


@sometimes("630-14")
def old_snapshots_go_though_live_replicas_lack_them(s: SnapshotFetch):
    """What is as old as the lag time is dropped although a live replica does not have it."""
    return any(
        r in s.leading
        and s.log_start[r] > 0
        and (CLEANS_BY_RETENTION or s.log_start[r] == s.aged)
        and any(
            s.fetched[other].leader_epoch == s.epoch[r] and log_end(s, other) < s.log_start[r]
            for other in Replica
        )
        for r in Replica
    )


@sometimes("630-14")
def what_all_live_replicas_have_goes_at_once(s: SnapshotFetch):
    """A leader drops all that it has, for it is on all live replicas. It waits neither for the lag
    time, nor for who is not live."""
    return any(
        r in s.leading
        and s.log_start[r] > s.aged
        and s.log_start[r] == log_end(s, r)
        and any(s.fetched[other].leader_epoch == 0 for other in Replica if other != r)
        for r in Replica
    )


@sometimes("630-44")
def a_snapshot_is_fetched_and_loaded(s: SnapshotFetch):
    """A replica that generates no snapshots has one, and its log starts where it ends."""
    return any(
        r not in GENERATORS and s.log_start[r] > 0 and latest(s, r) == s.log_start[r]
        for r in Replica
    )
