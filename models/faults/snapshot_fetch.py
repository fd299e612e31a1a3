"""Mistakes in fetching snapshots."""

from lockstep import fault, present, replace, require
from models.snapshot_fetch_download import (
    abandons_after,
    answer_with,
    chunk,
    gives_way,
    is_next,
    is_valid,
    leads_epoch_of,
    requested,
    start_after,
    written,
)
from models.snapshot_fetch_replication import (
    advance_log_start,
    agrees,
    all_have,
    counted,
    end_of_epoch,
    epoch_start,
    fetch_diverging,
    is_below,
    may_fetch,
    may_start_at,
    named_snapshot,
    next_high_watermark,
    next_log_start,
    on_a_majority,
    reached,
    would_vote,
)
from models.snapshot_fetch_state import (
    DAMAGED,
    FOOTER,
    VOTERS,
    Error,
    Replica,
    SnapshotFetch,
    epoch_before,
    kept,
    latest,
    leader_of,
    left_over,
    log_end,
    log_end_id,
)
from models.snapshot_id import MAX_OFFSET, Offset, OffsetAndEpoch, is_newer

VOTERS_ALONE = {"REPLICAS": ("v1", "v2", "v3"), "VOTERS": ("v1", "v2", "v3")}
THREE_VOTERS = VOTERS_ALONE | {"MAX_EPOCH": 3, "MAX_DISTURBANCES": 0}
ONE_WIPED = THREE_VOTERS | {"MAX_WIPED": 1, "MAX_EPOCH": 2, "MAX_OFFSET": 1}

# When the log gives way to a snapshot that was fetched. Each of these takes for granted that such a
# snapshot goes further than the log (630-30).


@fault(replaces=gives_way, breaks="log_and_snapshots_agree", constants=THREE_VOTERS)
def reset_only_by_a_newer_snapshot(s: SnapshotFetch, r, snapshot):
    """The log stays unless the snapshot is newer by epoch, then offset."""
    return is_newer(snapshot, log_end_id(s, r))


@fault(
    replaces=gives_way,
    breaks="log_and_snapshots_agree",
    constants=THREE_VOTERS,
    source="KafkaMetadataLog.truncateToLatestSnapshot",
)
def reset_only_by_a_snapshot_newer_than_the_logs_records(s: SnapshotFetch, r, snapshot):
    """The same, with epoch 0 for a log without records."""
    epoch = 0 if len(s.log[r]) == 0 else s.log[r][-1]
    return is_newer(snapshot, OffsetAndEpoch(end_offset=log_end(s, r), epoch=epoch))


@fault(replaces=gives_way, breaks="log_and_snapshots_agree", constants=THREE_VOTERS)
def reset_only_beyond_the_log(s: SnapshotFetch, r, snapshot):
    """The log stays unless the snapshot ends after it."""
    return snapshot.end_offset > log_end(s, r)


@fault(
    replaces=gives_way,
    breaks="log_gives_way_to_what_was_fetched",
    constants=VOTERS_ALONE | {"MAX_EPOCH": 3, "MAX_OFFSET": 3, "MAX_DISTURBANCES": 0},
)
def reset_only_by_an_epoch_no_older(s: SnapshotFetch, r, snapshot):
    """The log stays if it ends in a newer epoch than the snapshot."""
    return snapshot.epoch >= log_end_id(s, r).epoch


# Ids with the wrong end.


@fault(replaces=start_after, breaks="high_watermark_lies_within_the_log")
def reset_past_an_inclusive_end(end):
    """The end offset is taken for that of the last record: the log starts after it."""
    return min(end + 1, MAX_OFFSET)


@fault(replaces=start_after, breaks="log_gives_way_to_what_was_fetched")
def reset_before_an_exclusive_end(end):
    """The last record that the snapshot holds is fetched again."""
    return max(0, end - 1)


@fault(replaces=advance_log_start, breaks="leader_starts_its_log_where_a_snapshot_ends")
def log_starts_past_an_inclusive_end(s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset):
    """The leader drops the record at the snapshot's end offset, too."""
    advance_log_start(s, new, r, end)
    require(end < log_end(s, r))
    new.log_start[r] = end + 1
    new.log[r] = s.log[r][max(0, end + 1 - s.log_start[r]) :]


# Comparing a fetch with a log that starts late.


@fault(
    replaces=is_below,
    breaks="lagging_replica_catches_up",
    constants=THREE_VOTERS | {"MAX_OFFSET": 1},
)
def only_offsets_are_below(s: SnapshotFetch, leader, at):
    """A fetch from the log start on is compared with the records that the leader still has."""
    return at.end_offset < s.log_start[leader]


@fault(replaces=agrees, breaks="logs_agree", constants=THREE_VOTERS)
def epochs_below_the_log_are_taken_for_known(s: SnapshotFetch, leader, at):
    """A fetch from the log start on agrees if its epoch is older than all that the leader has."""
    start = s.log_start[leader]
    end = end_of_epoch(s, leader, at.epoch)
    return (
        at.end_offset >= start
        and end >= at.end_offset
        and (end == start or epoch_before(s, leader, end) == at.epoch)
    )


# Downloads that outlive their epoch.


@fault(
    replaces=left_over,
    harmless="Responses of the old epoch are ignored, and the new leader's bytes are the same.",
    constants=THREE_VOTERS,
)
def download_outlives_its_epoch(s: SnapshotFetch, r):
    """A replica that hears of a newer epoch goes on with its download, from the new leader."""
    return s.download[r]


def finish_late(s: SnapshotFetch, new: SnapshotFetch, r):
    """The last chunk of a download that is over is taken in all the same."""
    response = present(s.response[r])
    require(s.download[r] is None)
    require(response.error == Error.NONE and len(response.units) == response.size)
    end = response.snapshot.end_offset
    files = {x: response.units if x == end else s.snapshots[r][x] for x in Offset}
    new.snapshots[r] = kept(files, end)
    new.log_start[r] = end
    new.log[r] = ()


@fault(breaks="leader_loads_no_snapshot", constants=THREE_VOTERS)
def download_ends_at_a_leader(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A download ends after its replica was elected."""
    require(r in s.leading)
    finish_late(s, new, r)


@fault(breaks="high_watermark_lies_within_the_log", constants=THREE_VOTERS)
def download_ends_in_a_newer_epoch(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A download ends after its replica has followed a newer leader."""
    require(r not in s.leading)
    finish_late(s, new, r)


@fault(breaks="high_watermark_lies_within_the_log", constants=THREE_VOTERS)
def download_ends_late_if_it_is_newer(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The same, but only a snapshot that is newer than the log takes its place, by epoch, then
    offset."""
    response = present(s.response[r])
    require(is_newer(response.snapshot, log_end_id(s, r)))
    finish_late(s, new, r)


# The leader's log start and its snapshots.


@fault(replaces=may_start_at, breaks="a_snapshot_is_fetched_and_loaded")
def log_start_waits_for_all(s: SnapshotFetch, leader, end):
    """A leader drops records once every replica has them, however long that takes: nobody is ever
    in need of a snapshot."""
    return all(reached(s, leader, r) >= end for r in Replica)


@fault(
    replaces=may_start_at,
    harmless="Who was not live when the log start was raised fetches the snapshot.",
    scope="default",
)
def log_start_waits_for_the_live_alone(s: SnapshotFetch, leader, end):
    """A leader drops records once the live replicas have them, and never for their age."""
    return all_have(s, leader, end)


@fault(replaces=may_start_at, breaks="leader_drops_what_others_have_or_what_is_old")
def log_start_waits_for_nobody(s: SnapshotFetch, leader, end):
    """A leader drops records as soon as it has a snapshot."""
    return True


@fault(breaks="log_start_is_covered_by_a_snapshot")
def latest_snapshot_is_deleted(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica deletes its only snapshot, whoever downloads it."""
    require(r in s.leading and latest(s, r) > 0)
    new.snapshots[r] = {x: None for x in Offset}


@fault(breaks="leader_starts_its_log_where_a_snapshot_ends")
def delete_records_is_obeyed(s: SnapshotFetch, new: SnapshotFetch, r: Replica, end: Offset):
    """DeleteRecords moves the log start, as it does for other topics."""
    require(r in s.leading and s.log_start[r] < end and end <= s.high_watermark[r])
    new.log_start[r] = end
    new.log[r] = s.log[r][max(0, end - s.log_start[r]) :]
    new.snapshots[r] = kept(s.snapshots[r], end)


@fault(replaces=kept, breaks="snapshots_lie_between_log_start_and_high_watermark")
def old_snapshots_stay(files, start):
    """Snapshots are never deleted."""
    return files


@fault(replaces=named_snapshot, breaks="named_snapshot_exists")
def high_watermark_is_named(s: SnapshotFetch, leader):
    """The leader names the snapshot that it could generate."""
    end = s.high_watermark[leader]
    return OffsetAndEpoch(end_offset=end, epoch=epoch_before(s, leader, end))


@fault(
    replaces=is_below,
    breaks="snapshot_is_named_only_if_the_log_cannot_serve",
    source="KafkaRaftClient.validateFetchOffsetAndEpoch, of a fetch from offset 0",
)
def snapshot_is_named_to_whoever_has_nothing(s: SnapshotFetch, leader, at):
    """A fetch from offset 0 is answered with a snapshot whenever there is one."""
    return is_below(s, leader, at) or (at.end_offset == 0 and latest(s, leader) > 0)


@fault(replaces=requested, breaks="chunks_are_of_the_snapshot_asked_for")
def answers_from_the_latest(s: SnapshotFetch, r):
    """A request is answered from the leader's latest snapshot, whichever it names."""
    leader = leader_of(s, r)
    return None if leader is None else s.snapshots[leader][latest(s, leader)]


@fault(breaks="errors_say_what_is_wrong", scope="elections")
def old_epoch_is_taken_for_no_leader(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A request of an old epoch is told that its receiver does not lead."""
    leader = present(leader_of(s, r))
    require(s.epoch[leader] > s.epoch[r])
    answer_with(s, new, r, Error.NOT_LEADER_OR_FOLLOWER, size=0, units=())


@fault(replaces=next_log_start, breaks="log_start_is_covered_by_a_snapshot")
def log_start_follows_the_leader_alone(s: SnapshotFetch, leader, r):
    """A follower drops what the leader dropped, with or without a snapshot."""
    return max(s.log_start[r], min(s.log_start[leader], log_end(s, r)))


@fault(
    replaces=next_log_start,
    breaks="follower_starts_its_log_no_later_than_leader_or_snapshot",
    constants={"GENERATORS": ("v1", "o1")},
    source="KafkaMetadataLog.deleteBeforeSnapshot",
)
def log_start_follows_the_own_snapshot_alone(s: SnapshotFetch, leader, r):
    """A follower drops its log as soon as it has a snapshot."""
    return max(s.log_start[r], latest(s, r))


# The .part file.


@fault(replaces=is_valid, breaks="snapshots_are_whole_and_committed")
def moved_before_it_is_checked(file):
    """A file of the right length gets its name."""
    return True


@fault(
    replaces=is_valid,
    harmless="As long as the leader's and with right checksums, it has the leader's footer.",
)
def footer_is_not_looked_for(file):
    """Only the checksums are checked."""
    return all(unit != DAMAGED for unit in file)


@fault(replaces=is_valid, breaks="snapshots_are_whole_and_committed")
def checksums_are_not_checked(file):
    """Only the footer is looked for."""
    return file[-1] == FOOTER


@fault(breaks="every_byte_counts_once", constants={"MAX_BYTES": 1})
def chunk_counted_twice(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A response that was taken in already is appended once more."""
    download = present(s.download[r])
    response = present(s.response[r])
    require(len(download.part) > 0)
    require(response.snapshot == download.snapshot and len(download.part) < response.size)
    require(response.position + len(response.units) == len(download.part))
    require(len(download.part) <= MAX_OFFSET)
    new.download[r] = replace(download, part=download.part + response.units)


@fault(
    replaces=written,
    harmless="A response whose position is not the end of the file is ignored.",
    constants={"MAX_BYTES": 1, "MAX_DISTURBANCES": 2},
)
def chunk_is_appended(part, response):
    """Chunks are appended, whatever their position."""
    return part + response.units


@fault(
    replaces=is_next,
    harmless="Written at its own position, a repeated chunk replaces itself.",
    constants={"MAX_BYTES": 1, "MAX_DISTURBANCES": 2},
)
def repeated_chunk_is_taken(part, response):
    """A response is taken in whatever its position."""
    return response.position <= len(part)


@fault(replaces=chunk, breaks="responses_keep_within_max_bytes")
def whole_file_is_sent(file, position):
    """The request's limit is ignored."""
    return file[position:]


# The high watermark, votes.


@fault(
    replaces=counted,
    breaks="newest_leader_has_every_committed_record",
    scope="observer",
)
def observers_count(s: SnapshotFetch):
    """A leader counts whoever fetches from it, observers, too."""
    return {r for r in Replica if r not in s.wiped}


@fault(
    replaces=next_high_watermark,
    breaks="newest_leader_has_every_committed_record",
    constants=THREE_VOTERS | {"MAX_EPOCH": 4},
)
def high_watermark_at_the_epochs_start(s: SnapshotFetch, leader, fetcher):
    """A majority that has reached where the leader's epoch begins commits what is before it."""
    reached_by_most = on_a_majority(s, leader, fetcher, counted(s))
    if reached_by_most >= epoch_start(s, leader):
        return max(s.high_watermark[leader], reached_by_most)
    return s.high_watermark[leader]


@fault(
    replaces=next_high_watermark,
    breaks="high_watermark_never_moves_back",
    constants={"MAX_WIPED": 1},
)
def high_watermark_follows_a_wiped_disk(s: SnapshotFetch, leader, fetcher):
    """A leader takes the smaller offset of a follower that lost its disk for less committed."""
    reached_by_most = on_a_majority(s, leader, fetcher, {v for v in Replica if v in VOTERS})
    return reached_by_most if reached_by_most > epoch_start(s, leader) else s.high_watermark[leader]


@fault(
    replaces=epoch_start,
    breaks="newest_leader_has_every_committed_record",
    constants=THREE_VOTERS | {"MAX_EPOCH": 4, "MAX_OFFSET": 1},
)
def earlier_epochs_are_committed_by_count(s: SnapshotFetch, leader):
    """A leader counts the replicas of records of earlier epochs, too."""
    return 0


@fault(replaces=would_vote, breaks="newest_leader_has_every_committed_record", constants=ONE_WIPED)
def wiped_voter_votes(s: SnapshotFetch, voter, candidate):
    """A voter that lost its disk votes as if it had never had any records."""
    return voter in VOTERS and not is_newer(log_end_id(s, voter), log_end_id(s, candidate))


@fault(replaces=counted, breaks="newest_leader_has_every_committed_record", constants=ONE_WIPED)
def wiped_voter_counts(s: SnapshotFetch):
    """A leader counts the fetches of a voter that lost its disk, and with it what it promised to
    the leader of a later epoch."""
    return {v for v in Replica if v in VOTERS}


@fault(
    replaces=fetch_diverging, breaks="high_watermark_lies_within_the_log", constants=THREE_VOTERS
)
def diverging_log_is_cut_to_the_log_start(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A log that parts from the leader's is thrown away, committed records and all."""
    fetch_diverging(s, new, r)
    new.log[r] = ()


# Fetches.


@fault(replaces=may_fetch, breaks="nothing_is_fetched_during_a_download")
def fetches_during_a_download(s: SnapshotFetch, r):
    """A replica goes on fetching the log while it downloads a snapshot."""
    return leads_epoch_of(s, r) and r not in s.leading


@fault(replaces=may_fetch, breaks="fetches_are_answered_by_leaders")
def restarted_leader_answers_fetches(s: SnapshotFetch, r):
    """Who led an epoch and restarted in it answers fetches as its leader."""
    leader = leader_of(s, r)
    return (
        r not in s.leading
        and s.download[r] is None
        and leader is not None
        and leader != r
        and s.epoch[leader] == s.epoch[r]
    )


# Replicas that get stuck.


@fault(replaces=fetch_diverging, breaks="lagging_replica_catches_up", scope="diverging")
def diverging_log_stays(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica that is told where its log parts from the leader's keeps it."""
    fetch_diverging(s, new, r)
    new.log[r] = s.log[r]


@fault(
    replaces=may_fetch,
    breaks="lagging_replica_catches_up",
    source="KAFKA-12181",
    constants={"MAX_OFFSET": 1, "MAX_WIPED": 1},
)
def smaller_offset_is_refused(s: SnapshotFetch, r):
    """A leader does not answer a fetch from before the offset that it knows of the replica."""
    leader = leader_of(s, r)
    return may_fetch(s, r) and leader is not None and log_end(s, r) >= reached(s, leader, r)


@fault(replaces=abandons_after, breaks="lagging_replica_catches_up")
def missing_snapshot_is_asked_for_again(error):
    """A download goes on although its snapshot is gone at the leader."""
    return error != Error.SNAPSHOT_NOT_FOUND
