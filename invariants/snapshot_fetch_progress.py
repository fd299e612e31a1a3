"""Nobody is left behind by downloads, and what a scope reaches (KIP-630 FetchSnapshot)."""

from invariants.snapshot_fetch_replica import (
    end_of,
    everything,
    is_in_the_newest_epoch,
    is_prefix,
    newest_snapshot,
)
from lockstep import each, leads_to, sometimes
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
    refuse_waiting,
    wait_for_records,
    wait_in_vain,
)
from models.snapshot_fetch_snapshots import advance_log_start
from models.snapshot_fetch_state import (
    CLEANS_BY_RETENTION,
    GENERATORS,
    MAX_DISTURBANCES,
    Error,
    Replica,
    SnapshotFetch,
)
from models.snapshot_id import Offset

# Nobody is left behind.


def is_led(s: SnapshotFetch, r):
    """The replica is in the newest epoch, and another one leads in it."""
    return is_in_the_newest_epoch(s, r) and any(
        leader != r and leader in s.leading and s.epoch[leader] == s.epoch[r] for leader in Replica
    )


def is_behind(s: SnapshotFetch, r):
    """The replica lacks records that its leader knows to be committed, or has others in place."""
    leader = s.elected[s.epoch[r]]
    return leader is not None and not is_prefix(
        everything(s, leader)[: s.high_watermark[leader]], everything(s, r)
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
    leader = s.elected[s.epoch[r]]
    return (
        is_led(s, r)
        and s.download[r] is None
        and leader is not None
        and s.high_watermark[r] < min(s.high_watermark[leader], end_of(s, r))
        and any(
            record == s.epoch[r] for record in everything(s, leader)[: s.high_watermark[leader]]
        )
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
    """A replica learns how much of its log its leader has committed, unless it is sent a snapshot
    id to fetch."""
    return lacks_the_high_watermark(s, r), not lacks_the_high_watermark(s, r)


@sometimes("595-24")
def a_follower_does_not_know_what_is_committed(s: SnapshotFetch):
    """A replica has a record that its leader has committed, and does not know that."""
    return any(lacks_the_high_watermark(s, r) for r in Replica)


@sometimes("595-24")
def all_followers_know_what_is_committed(s: SnapshotFetch):
    """Something is committed, and each replica that is led knows it."""
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
    """A request for a chunk is answered, whatever the answer is, or the download is over first."""
    is_asked = s.download[r] is not None and s.response[r] is None and s.elected[s.epoch[r]] != r
    return is_asked, not is_asked


@leads_to("595-18", weak=(each(refuse_waiting, "r"),))
def a_fetch_that_waits_where_nobody_leads_is_refused(s: SnapshotFetch, r: Replica):
    """A fetch does not wait for its time where its replica's epoch has a leader no more."""
    leader = s.elected[s.epoch[r]]
    is_lost = (
        s.waiting[r] is not None
        and leader is not None
        and (leader not in s.leading or s.epoch[leader] != s.epoch[r])
    )
    return is_lost, not is_lost


@leads_to("630-14", weak=(each(advance_log_start, "r", "end"),))
def what_all_live_replicas_have_goes(s: SnapshotFetch, r: Replica, end: Offset):
    """A leader drops what is in one of its snapshots and on all live replicas, as old as it is."""
    is_due = (
        not CLEANS_BY_RETENTION
        and r in s.leading
        and s.log_start[r] < end
        and s.snapshots[r][end] is not None
        and all(
            s.fetched[other].leader_epoch != s.epoch[r] or s.fetched[other].offset >= end
            for other in Replica
        )
    )
    return is_due, not is_due


# The scope reaches what it is about.


@sometimes("630-14")
def old_snapshots_go_though_live_replicas_lack_them(s: SnapshotFetch):
    """What is as old as the lag time is dropped although a live replica does not have it."""
    return any(
        r in s.leading
        and s.log_start[r] > 0
        and (CLEANS_BY_RETENTION or s.log_start[r] == s.aged)
        and any(
            s.fetched[other].leader_epoch == s.epoch[r] and end_of(s, other) < s.log_start[r]
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
        and s.log_start[r] == end_of(s, r)
        and any(s.fetched[other].leader_epoch == 0 for other in Replica if other != r)
        for r in Replica
    )


@sometimes("630-44")
def a_snapshot_is_fetched_and_loaded(s: SnapshotFetch):
    """A replica that generates no snapshots has one, and its log starts where it ends."""
    return any(
        r not in GENERATORS and s.log_start[r] > 0 and newest_snapshot(s, r) == s.log_start[r]
        for r in Replica
    )


@sometimes("630-59")
def a_response_arrives_again(s: SnapshotFetch):
    """What was taken in arrives once more, after the download that it ended."""
    return MAX_DISTURBANCES == 0 or any(
        s.download[r] is None
        and s.response[r] is not None
        and s.response[r].error == Error.NONE
        and s.response[r].leader_epoch == s.epoch[r]
        and s.snapshots[r][s.response[r].snapshot.end_offset] is not None
        for r in Replica
    )
