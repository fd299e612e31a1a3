"""Mistakes in downloading a snapshot, and in putting it in the place of the log (KIP-630)."""

from lockstep import edit, fault, present, replace, require
from models import snapshot_fetch_download as download
from models import snapshot_fetch_state as state
from models.faults.snapshot_fetch_replication import THREE_VOTERS, VOTERS_ALONE
from models.snapshot_fetch_download import (
    answer_not_leader,
    answer_with,
    ignore_response,
    put_in_place,
)
from models.snapshot_fetch_state import (
    Error,
    Replica,
    SnapshotFetch,
    kept,
    latest,
    leader_of,
    log_end,
    log_end_id,
)
from models.snapshot_id import MAX_OFFSET, Offset, OffsetAndEpoch, is_newer

# When the log gives way to a snapshot that was fetched. Each of these takes for granted that such a
# snapshot goes further than the log (630-30).


def put_in_place_if(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file, resets):
    """The file of a snapshot gets its name; the log gives way to it or stays as it is."""
    put_in_place_at(s, new, r, snapshot, file, resets, snapshot.end_offset)


def put_in_place_at(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file, resets, after):
    """The same; a log that gives way starts from then on at `after`."""
    end = snapshot.end_offset
    start = after if resets else s.log_start[r]
    new.download[r] = None
    new.snapshots[r] = kept({x: file if x == end else s.snapshots[r][x] for x in Offset}, start)
    new.log_start[r] = start
    new.log[r] = () if resets else s.log[r]
    new.high_watermark[r] = max(s.high_watermark[r], end) if resets else s.high_watermark[r]


@fault(replaces=download.put_in_place, breaks="log_and_snapshots_agree", constants=THREE_VOTERS)
def reset_only_by_a_newer_snapshot(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file):
    """The log stays unless the snapshot is newer by epoch, then offset."""
    put_in_place_if(s, new, r, snapshot, file, is_newer(snapshot, log_end_id(s, r)))


@fault(
    replaces=download.put_in_place,
    breaks="log_and_snapshots_agree",
    constants=THREE_VOTERS,
    source="KafkaMetadataLog.truncateToLatestSnapshot",
)
def reset_only_by_a_snapshot_newer_than_the_logs_records(
    s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file
):
    """The same, with epoch 0 for a log without records."""
    epoch = 0 if len(s.log[r]) == 0 else s.log[r][-1]
    log_id = OffsetAndEpoch(end_offset=log_end(s, r), epoch=epoch)
    put_in_place_if(s, new, r, snapshot, file, is_newer(snapshot, log_id))


@fault(replaces=download.put_in_place, breaks="log_and_snapshots_agree", constants=THREE_VOTERS)
def reset_only_beyond_the_log(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file):
    """The log stays unless the snapshot ends after it."""
    put_in_place_if(s, new, r, snapshot, file, snapshot.end_offset > log_end(s, r))


@fault(
    replaces=download.put_in_place,
    breaks="log_gives_way_to_what_was_fetched",
    constants=VOTERS_ALONE | {"MAX_EPOCH": 3, "MAX_OFFSET": 3, "MAX_DISTURBANCES": 0},
)
def reset_only_by_an_epoch_no_older(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file):
    """The log stays if it ends in a newer epoch than the snapshot."""
    put_in_place_if(s, new, r, snapshot, file, snapshot.epoch >= log_end_id(s, r).epoch)


# Ids with the wrong end.


@fault(replaces=download.put_in_place, breaks="high_watermark_lies_within_the_log")
def reset_past_an_inclusive_end(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file):
    """The end offset is taken for that of the last record: the log starts after it."""
    put_in_place_at(s, new, r, snapshot, file, True, min(snapshot.end_offset + 1, MAX_OFFSET))


@fault(replaces=download.put_in_place, breaks="log_gives_way_to_what_was_fetched")
def reset_before_an_exclusive_end(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file):
    """The last record that the snapshot holds is fetched again."""
    put_in_place_at(s, new, r, snapshot, file, True, max(0, snapshot.end_offset - 1))


# Downloads that outlive their epoch.


@fault(
    harmless="Responses of the old epoch are ignored, and the new leader's bytes are the same.",
    constants=THREE_VOTERS,
    unchanged=("download",),
)
@edit(state.takes_epoch, "new.download = ...", "")
def download_outlives_its_epoch():
    """A replica that hears of a newer epoch goes on with its download, from the new leader."""


@fault(replaces=download.is_current, breaks="bytes_are_of_the_leader_asked", constants=THREE_VOTERS)
def bytes_of_an_earlier_leader_count(s: SnapshotFetch, r, response):
    """A response is taken in although its epoch is over."""
    return response.leader_epoch <= s.epoch[r] or response.error == Error.FENCED_LEADER_EPOCH


@fault(
    breaks="fenced_replica_takes_the_newer_epoch", scope="default", unchanged=("epoch", "waiting")
)
@edit(
    download.receive_fenced,
    "takes_epoch(s, new, {r}, s.response[r].leader_epoch)",
    "new.download[r] = None",
)
def fenced_replica_stays_in_its_epoch():
    """A replica that hears of a newer epoch abandons its download, and forgets what it heard."""


def finish_late(s: SnapshotFetch, new: SnapshotFetch, r):
    """The last chunk of a download that is over is taken in all the same."""
    response = present(s.response[r])
    require(s.download[r] is None)
    require(response.error == Error.NONE and len(response.units) == response.size)
    new.response[r] = None
    put_in_place(s, new, r, response.snapshot, response.units)


@fault(breaks="leader_loads_no_snapshot", constants=THREE_VOTERS)
def download_ends_at_a_leader(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A download ends after its replica was elected."""
    require(r in s.leading)
    finish_late(s, new, r)


@fault(breaks="follower_starts_its_log_no_later_than_leader_or_snapshot", constants=THREE_VOTERS)
def download_ends_in_a_newer_epoch(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A download ends after its replica has followed a newer leader."""
    require(r not in s.leading)
    finish_late(s, new, r)


@fault(breaks="follower_starts_its_log_no_later_than_leader_or_snapshot", constants=THREE_VOTERS)
def download_ends_late_if_it_is_newer(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The same, but only a snapshot that is newer than the log takes its place, by epoch, then
    offset."""
    response = present(s.response[r])
    require(is_newer(response.snapshot, log_end_id(s, r)))
    finish_late(s, new, r)


# Answers.


@fault(replaces=download.requested, breaks="chunks_are_of_the_snapshot_asked_for")
def answers_from_the_latest(s: SnapshotFetch, r):
    """A request is answered from the leader's latest snapshot, whichever it names."""
    leader = leader_of(s, r)
    return None if leader is None else s.snapshots[leader][latest(s, leader)]


@fault(breaks="errors_say_what_is_wrong", scope="elections")
def old_epoch_is_taken_for_no_leader(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A request of an old epoch gets the error that its receiver does not lead."""
    leader = present(leader_of(s, r))
    require(s.epoch[leader] > s.epoch[r])
    answer_with(s, new, r, Error.NOT_LEADER_OR_FOLLOWER, size=0, units=())


@fault(breaks="responses_keep_within_max_bytes")
@edit(download.chunk, "return ...", "return file[position:]")
def whole_file_is_sent():
    """The request's limit is ignored."""


@fault(breaks="an_error_ends_the_download", scope="small")
@edit(
    download.receive_error,
    "new.download[r] = None",
    """
    is_missing = s.response[r].error == Error.SNAPSHOT_NOT_FOUND
    new.download[r] = s.download[r] if is_missing else None
    """,
)
def missing_snapshot_is_asked_for_again():
    """A download goes on although its snapshot is gone at the leader."""


@fault(replaces=ignore_response, breaks="a_download_changes_only_by_its_response", scope="small")
def ignored_response_ends_the_download(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A response that nobody waits for ends the download that goes on meanwhile."""
    ignore_response(s, new, r)
    new.download[r] = None


@fault(breaks="a_request_has_one_answer", scope="small")
def restarted_leader_takes_its_answer_back(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Who led, and has answered, answers once more that it does not lead."""
    leader = present(leader_of(s, r))
    response = present(s.response[r])
    require(leader not in s.leading and response.error == Error.NONE)
    new.response[r] = replace(response, error=Error.NOT_LEADER_OR_FOLLOWER, size=0, units=())


@fault(replaces=answer_not_leader, breaks="every_request_is_answered", scope="small")
def restarted_leader_is_silent(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Who led and restarted does not answer."""
    answer_not_leader(s, new, r)
    new.response[r] = None


# The .part file.


@fault(breaks="snapshots_are_whole_and_committed")
@edit(download.is_valid, "return ...", "return True")
def moved_before_it_is_checked():
    """A file of the right length gets its name."""


@fault(harmless="As long as the leader's and with right checksums, it has the leader's footer.")
@edit(download.is_valid, "return ...", "return all(unit != DAMAGED for unit in file)")
def footer_is_not_looked_for():
    """Only the checksums are checked."""


@fault(breaks="snapshots_are_whole_and_committed")
@edit(download.is_valid, "return ...", "return file[-1] == FOOTER")
def checksums_are_not_checked():
    """Only the footer is looked for."""


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
    harmless="A response whose position is not the end of the file is ignored.",
    constants={"MAX_BYTES": 1, "MAX_DISTURBANCES": 2},
)
@edit(download.written, "part[:response.position]", "part")
def chunk_is_appended():
    """Chunks are appended, whatever their position."""


@fault(
    harmless="Written at its own position, a repeated chunk replaces itself.",
    constants={"MAX_BYTES": 1, "MAX_DISTURBANCES": 2},
)
@edit(download.is_next, "return ...", "return response.position <= len(part)")
def repeated_chunk_is_taken():
    """A response is taken in whatever its position."""


@fault(
    breaks="a_response_that_is_read_stays_only_as_a_copy", scope="small", unchanged=("response",)
)
@edit(download.restart_follower, "new.response[r] = None", "")
def response_outlives_a_restart():
    """What is under way to a replica as it restarts reaches it afterwards."""


@fault(
    breaks="a_response_arrives_again",
    source="NetworkClient, of a connection with one request in flight (630-D28)",
)
@edit(download.deliver, "not repeated or ...", "not repeated")
def no_response_arrives_twice():
    """The network has no second copy of a response."""
