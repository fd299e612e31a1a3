"""What must hold of downloads (KIP-630 FetchSnapshot)."""

from invariants.snapshot_fetch_replica import (
    end_of,
    everything,
    last_epoch,
    newest_snapshot,
    something_failed,
)
from lockstep import invariant, present, step_invariant, when
from models.snapshot_fetch_state import (
    DAMAGED,
    FETCHES_WAIT,
    FOOTER,
    MAX_BYTES,
    SNAPSHOT_FOR_EMPTY_LOGS,
    Error,
    Replica,
    SnapshotFetch,
)


def has_file(s: SnapshotFetch, r, snapshot):
    """Whether a replica has the snapshot of an id: one that ends there, in that epoch."""
    file = s.snapshots[r][snapshot.end_offset]
    return file is not None and file[-2] == snapshot.epoch


# What a fetch is answered with.


@step_invariant("630-41", "630-42")
def named_snapshot_exists(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A fetch is answered with a snapshot that the leader has, its latest."""
    when(s.download[r] is None and new.download[r] is not None)
    leader = present(s.elected[s.epoch[r]])
    named = new.download[r].snapshot
    return named.end_offset == newest_snapshot(s, leader) and has_file(s, leader, named)


@step_invariant("630-42")
def snapshot_is_named_only_if_the_log_cannot_serve(
    s: SnapshotFetch, new: SnapshotFetch, r: Replica
):
    """Who is referred to a snapshot ends before the leader's log starts, or has other records; or
    has none at all, if a snapshot is the quicker way."""
    when(s.download[r] is None and new.download[r] is not None)
    leader = present(s.elected[s.epoch[r]])
    end = end_of(s, r)
    return (
        end < s.log_start[leader]
        or everything(s, r) != everything(s, leader)[:end]
        or (SNAPSHOT_FOR_EMPTY_LOGS and end == 0)
    )


@step_invariant("595-19")
def what_counts_is_answered_with_the_next_record(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Whose fetch counts gets on by a record, unless its leader has none, or the answer is
    lost. A fetch that repeats what counts already is not judged."""
    when(new.fetched[r] != s.fetched[r])
    leader = present(s.elected[s.epoch[r]])
    return (
        end_of(new, r) > end_of(s, r)
        or end_of(s, r) == end_of(s, leader)
        or something_failed(s, new)
    )


def reported_high_watermark(s: SnapshotFetch, leader):
    """What a leader reports: 0 as long as no record before its high watermark is of its epoch."""
    before = everything(s, leader)[: s.high_watermark[leader]]
    return s.high_watermark[leader] if any(e == s.epoch[leader] for e in before) else 0


@step_invariant("595-14", "595-19", "595-24")
def only_what_finds_nothing_new_waits(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A fetch waits only where fetches do, and its leader has what the fetcher has and no more.
    What is reported in the end is what was so once it was taken in: the leader's log start, and its
    high watermark if a record of its epoch is committed."""
    reported = new.waiting[r]
    leader = s.elected[s.epoch[r]]
    return reported is None or (
        reported == s.waiting[r]
        if s.waiting[r] is not None
        else FETCHES_WAIT
        and leader is not None
        and everything(s, r) == everything(s, leader)
        and reported.log_start == s.log_start[leader]
        and reported.high_watermark == reported_high_watermark(new, leader)
    )


@step_invariant("630-23", "630-43")
def nothing_is_fetched_during_a_download(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Who is referred to a snapshot fetches that one, and nothing of the log meanwhile."""
    when(s.download[r] is not None and new.download[r] is not None)
    return (
        new.download[r].snapshot == s.download[r].snapshot
        and new.fetched[r] == s.fetched[r]
        and new.log_start[r] == s.log_start[r]
        and new.log[r] == s.log[r]
    )


# Chunks.


@step_invariant("630-47", "630-48")
def chunks_are_of_the_snapshot_asked_for(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A response without an error has some bytes of the leader's snapshot of that id, from the
    position asked for, and names the size of the file."""
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
    when(is_to_its_request(s, r) and new.response[r] is None)
    when(s.response[r].error == Error.FENCED_LEADER_EPOCH)
    when(s.response[r].leader_epoch > s.epoch[r])
    return something_failed(s, new) or new.epoch[r] >= s.response[r].leader_epoch


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
    return (
        end_of(new, r) == new.log_start[r] == fetched.end_offset
        and last_epoch(new, r) == fetched.epoch
    )


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


# What becomes of a download.


def is_to_its_request(s: SnapshotFetch, r):
    """The response is to the last request of the replica's download."""
    response = s.response[r]
    download = s.download[r]
    return (
        response is not None
        and download is not None
        and response.snapshot == download.snapshot
        and response.position == len(download.part)
    )


@step_invariant("630-62")
def an_error_ends_the_download(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica that reads an error of its own epoch, or of a receiver that has not come to it,
    abandons the download."""
    when(is_to_its_request(s, r) and new.response[r] is None)
    error = s.response[r].error
    reported = s.response[r].leader_epoch
    is_one = (
        reported < s.epoch[r]
        if error == Error.UNKNOWN_LEADER_EPOCH
        else error in (Error.SNAPSHOT_NOT_FOUND, Error.NOT_LEADER_OR_FOLLOWER)
        and reported == s.epoch[r]
    )
    return not is_one or new.download[r] is None or something_failed(s, new)


@step_invariant("630-60", "630-43")
def a_download_changes_only_by_its_response(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """As long as its replica stays in its epoch and nothing fails, a download ends by the response
    to its last request alone. What it has may be written again, where that was."""
    when(s.download[r] is not None and new.download[r] != s.download[r])
    is_repeated = (
        new.download[r] is not None
        and s.response[r] is not None
        and s.response[r].snapshot == s.download[r].snapshot
        and s.response[r].position < len(s.download[r].part)
    )
    has_moved_on = new.epoch[r] != s.epoch[r] or something_failed(s, new)
    return is_to_its_request(s, r) or is_repeated or has_moved_on


@step_invariant("630-59", "630-60")
def a_response_that_is_read_stays_only_as_a_copy(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """What a download reads, or ends with, is gone. But the network may have another copy of a
    response to one of its requests, which is a disturbance; only a last one ends the download."""
    when(s.download[r] is not None and new.download[r] != s.download[r])
    when(s.response[r] is not None and new.epoch[r] == s.epoch[r])
    return new.response[r] is None or (
        s.response[r].snapshot == s.download[r].snapshot
        and s.response[r].position <= len(s.download[r].part)
        and s.response[r].leader_epoch == s.epoch[r]
        and new.disturbances == s.disturbances + 1
        and s.response[r].error == Error.NONE
        and (
            new.download[r] is not None
            or s.response[r].position + len(s.response[r].units) >= s.response[r].size
        )
    )
