"""Mistakes in what goes once there are snapshots: where logs start (KIP-630)."""

from lockstep import edit, fault, require
from models import snapshot_fetch_replication as replication
from models import snapshot_fetch_snapshots as snapshots
from models import snapshot_fetch_state as state
from models.snapshot_fetch_snapshots import advance_log_start, all_have, generate_snapshot, reached
from models.snapshot_fetch_state import (
    FOOTER,
    GENERATORS,
    Replica,
    SnapshotFetch,
    kept,
    latest,
    log_end,
    records,
)
from models.snapshot_id import Offset


@fault(replaces=advance_log_start, breaks="leader_starts_its_log_where_a_snapshot_ends")
def log_starts_past_an_inclusive_end(s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset):
    """The leader drops the record at the snapshot's end offset, too."""
    advance_log_start(s, new, r, end)
    require(end < log_end(s, r))
    new.log_start[r] = end + 1
    new.log[r] = s.log[r][max(0, end + 1 - s.log_start[r]) :]


@fault(replaces=generate_snapshot, breaks="snapshots_go_only_below_the_log_start", scope="small")
def new_snapshot_deletes_the_ones_before(
    s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset
):
    """A replica keeps its latest snapshot alone, wherever its log starts."""
    generate_snapshot(s, new, r, end)
    new.snapshots[r] = {x: records(s, r)[:end] + (FOOTER,) if x == end else None for x in Offset}


@fault(replaces=snapshots.may_start_at, breaks="a_snapshot_is_fetched_and_loaded")
def log_start_waits_for_all(s: SnapshotFetch, r, end):
    """A leader drops records once every replica has them, however long that takes: nobody is ever
    in need of a snapshot."""
    return r in s.leading and all(reached(s, r, other) >= end for other in Replica)


@fault(
    replaces=snapshots.may_start_at,
    breaks="old_snapshots_go_though_live_replicas_lack_them",
    scope="default",
)
def log_start_waits_for_the_live_alone(s: SnapshotFetch, r, end):
    """A leader drops records once the live replicas have them, and never for their age."""
    return r in s.leading and all_have(s, r, end)


@fault(breaks="what_all_live_replicas_have_goes", scope="default")
@edit(snapshots.is_live, "return ...", "return s.fetched[r].leader_epoch > 0")
def replicas_stay_live_across_epochs():
    """A leader waits for replicas that it heard of in an earlier epoch, and not in its own."""


@fault(replaces=snapshots.may_start_at, breaks="what_all_live_replicas_have_goes_at_once")
def log_start_waits_for_the_lag_time(s: SnapshotFetch, r, end):
    """A leader drops records once its snapshot is old, and not before, no matter who has them."""
    return r in s.leading and end <= s.aged


@fault(replaces=snapshots.may_start_at, breaks="leader_drops_what_others_have_or_what_is_old")
def log_start_waits_for_nobody(s: SnapshotFetch, r, end):
    """A leader drops records as soon as it has a snapshot."""
    return r in s.leading


@fault(breaks="snapshots_go_only_below_the_log_start")
def latest_snapshot_is_deleted(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica deletes its only snapshot, even while it is downloaded."""
    require(r in s.leading and latest(s, r) > 0)
    new.snapshots[r] = {x: None for x in Offset}


@fault(breaks="log_start_is_covered_by_a_snapshot")
def delete_records_is_obeyed(s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset):
    """DeleteRecords moves the log start, as it does for other topics."""
    require(r in s.leading and s.log_start[r] < end and end <= s.high_watermark[r])
    new.log_start[r] = end
    new.log[r] = s.log[r][max(0, end - s.log_start[r]) :]
    new.snapshots[r] = kept(s.snapshots[r], end)


@fault(breaks="snapshots_lie_between_log_start_and_high_watermark")
@edit(state.kept, "return ...", "return files")
def old_snapshots_stay():
    """Snapshots are never deleted."""


@fault(replaces=replication.next_log_start, breaks="log_start_is_covered_by_a_snapshot")
def log_start_follows_the_leader_alone(s: SnapshotFetch, r, leaders):
    """A follower drops what the leader dropped, with or without a snapshot."""
    return max(s.log_start[r], min(leaders, log_end(s, r)))


@fault(
    breaks="follower_starts_its_log_no_later_than_leader_or_snapshot",
    constants={"GENERATORS": ("v1", "o1")},
    source="KafkaMetadataLog.deleteBeforeSnapshot",
)
@edit(replication.next_log_start, "return ...", "return max(s.log_start[r], latest(s, r))")
def log_start_follows_the_own_snapshot_alone():
    """A follower drops its log as soon as it has a snapshot."""


@fault(breaks="cleaned_log_starts_where_its_first_snapshot_ends", scope="retention")
def log_is_cleaned_as_any_other(s: SnapshotFetch, new: SnapshotFetch, r: Replica, start: Offset):
    """A follower's log is cleaned up to any record that is in a snapshot."""
    require(r not in s.leading and s.log_start[r] < start and start < latest(s, r))
    new.log_start[r] = start
    new.log[r] = s.log[r][max(0, start - s.log_start[r]) :]
    new.snapshots[r] = kept(s.snapshots[r], start)


@fault(breaks="cleaning_deletes_one_snapshot", scope="retention")
@edit(
    snapshots.ends_second,
    "return ...",
    "return any(x < end and s.snapshots[r][x] is not None for x in Offset)",
)
def log_is_cleaned_up_to_any_snapshot():
    """A log is cleaned up to the end of any snapshot but the first."""


@fault(breaks="generated_snapshots_end_after_the_latest")
def earlier_state_is_written_down(s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset):
    """A snapshot is generated where a later one is there already."""
    require(r in GENERATORS and 0 < end and end < latest(s, r))
    require(s.log_start[r] <= end and s.snapshots[r][end] is None)
    new.snapshots[r][end] = records(s, r)[:end] + (FOOTER,)
