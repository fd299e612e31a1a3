"""The download of a snapshot (KIP-630 FetchSnapshot): requests, chunks, and what goes wrong."""

from lockstep import action, present, replace, require
from models.snapshot_fetch_state import (
    DAMAGED,
    FOOTER,
    MAX_BYTES,
    MAX_DISTURBANCES,
    Download,
    Error,
    Replica,
    Response,
    SnapshotFetch,
    disturb,
    kept,
    last_record,
    leader_of,
    takes_epoch,
)
from models.snapshot_id import Offset

# A replica asks for a chunk of a snapshot, and its leader answers.


def answer_with(s: SnapshotFetch, new: SnapshotFetch, r, error, size, units):
    """The answer of the replica that r takes for its leader."""
    download = present(s.download[r])
    require(s.response[r] is None)
    leader = present(leader_of(s, r))
    require(leader != r)
    new.response[r] = Response(
        error=error,
        leader_epoch=s.epoch[leader],
        snapshot=download.snapshot,
        size=size,
        position=len(download.part),
        units=units,
    )


def leads_epoch_of(s: SnapshotFetch, r):
    """The replica that r takes for its leader leads r's epoch."""
    leader = leader_of(s, r)
    return leader is not None and leader in s.leading and s.epoch[leader] == s.epoch[r]


def requested(s: SnapshotFetch, r):
    """The file at the leader that the replica's download names; None without it."""
    download = s.download[r]
    leader = leader_of(s, r)
    if download is None or leader is None:
        return None
    file = s.snapshots[leader][download.snapshot.end_offset]
    return file if last_record(file) == download.snapshot.epoch else None


def chunk(file, position):
    """As much of a file from a position on as one response may have."""
    return file[position : position + MAX_BYTES]


@action
def answer_chunk(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The leader has more of the file."""
    require(leads_epoch_of(s, r))
    download = present(s.download[r])
    file = present(requested(s, r))
    position = len(download.part)
    require(position < len(file))
    answer_with(s, new, r, Error.NONE, len(file), chunk(file, position))


@action
def answer_snapshot_not_found(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The leader has deleted the snapshot."""
    require(leads_epoch_of(s, r) and s.download[r] is not None and requested(s, r) is None)
    answer_with(s, new, r, Error.SNAPSHOT_NOT_FOUND, size=0, units=())


@action
def answer_fenced(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Whom the replica asks knows a newer epoch."""
    leader = present(leader_of(s, r))
    require(s.epoch[leader] > s.epoch[r])
    answer_with(s, new, r, Error.FENCED_LEADER_EPOCH, size=0, units=())


@action
def answer_unknown_epoch(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Whom the replica asks has lost its disk, and knows an older epoch."""
    leader = present(leader_of(s, r))
    require(s.epoch[leader] < s.epoch[r])
    answer_with(s, new, r, Error.UNKNOWN_LEADER_EPOCH, size=0, units=())


@action
def answer_not_leader(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """Whom the replica asks has restarted, and leads no more."""
    leader = present(leader_of(s, r))
    require(s.epoch[leader] == s.epoch[r] and leader not in s.leading)
    answer_with(s, new, r, Error.NOT_LEADER_OR_FOLLOWER, size=0, units=())


# What follows an answer.


def is_next(part, response):
    """The response carries on where the .part file ends (630-D28)."""
    return response.position == len(part)


def is_current(s: SnapshotFetch, r, response):
    """The response is no older than what the replica knows."""
    if response.error == Error.FENCED_LEADER_EPOCH:
        return response.leader_epoch > s.epoch[r]
    if response.error == Error.UNKNOWN_LEADER_EPOCH:
        return response.leader_epoch < s.epoch[r]
    return response.leader_epoch == s.epoch[r]


def is_awaited(s: SnapshotFetch, r):
    """The response is to the latest request of a download that goes on."""
    response = s.response[r]
    download = s.download[r]
    return (
        response is not None
        and download is not None
        and response.snapshot == download.snapshot
        and is_next(download.part, response)
        and is_current(s, r, response)
    )


def written(part, response):
    """The .part file once the units of a response are at their position."""
    return part[: response.position] + response.units


def is_valid(file):
    """The checksums are right, and the last thing in the file is its footer."""
    return file[-1] == FOOTER and all(unit != DAMAGED for unit in file)


def deliver(s: SnapshotFetch, new: SnapshotFetch, r, repeated):
    """A response arrives; the network may have another copy of it."""
    require(is_awaited(s, r) and (not repeated or s.disturbances < MAX_DISTURBANCES))
    new.response[r] = s.response[r] if repeated else None
    new.disturbances = s.disturbances + 1 if repeated else s.disturbances


def put_in_place(s: SnapshotFetch, new: SnapshotFetch, r, snapshot, file):
    """The file of a snapshot gets its name, and the log gives way to it, always (630-D17)."""
    end = snapshot.end_offset
    new.download[r] = None
    new.snapshots[r] = kept({x: file if x == end else s.snapshots[r][x] for x in Offset}, end)
    new.log_start[r] = end
    new.log[r] = ()
    new.high_watermark[r] = max(s.high_watermark[r], end)


@action
def receive_chunk(s: SnapshotFetch, new: SnapshotFetch, r: Replica, repeated: bool):
    """Units arrive, and more are to come."""
    deliver(s, new, r, repeated)
    download = s.download[r]
    response = s.response[r]
    require(response.error == Error.NONE)
    part = written(download.part, response)
    require(len(part) < response.size)
    new.download[r] = Download(snapshot=download.snapshot, part=part)


@action
def receive_last_chunk(s: SnapshotFetch, new: SnapshotFetch, r: Replica, repeated: bool):
    """The file is whole and valid. It gets its name, and the log gives way to it."""
    deliver(s, new, r, repeated)
    download = s.download[r]
    response = s.response[r]
    require(response.error == Error.NONE)
    file = written(download.part, response)
    require(len(file) >= response.size and is_valid(file))
    put_in_place(s, new, r, download.snapshot, file)


@action
def receive_damaged(s: SnapshotFetch, new: SnapshotFetch, r: Replica, repeated: bool):
    """The file is whole but not valid: the download is abandoned."""
    deliver(s, new, r, repeated)
    require(s.response[r].error == Error.NONE)
    file = written(s.download[r].part, s.response[r])
    require(len(file) >= s.response[r].size and not is_valid(file))
    new.download[r] = None


@action
def receive_error(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The download is abandoned: the next fetch finds out what to do (630-D26)."""
    deliver(s, new, r, repeated=False)
    require(s.response[r].error not in (Error.NONE, Error.FENCED_LEADER_EPOCH))
    new.download[r] = None


@action
def receive_fenced(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """The replica takes the newer epoch, and the download is abandoned."""
    deliver(s, new, r, repeated=False)
    require(s.response[r].error == Error.FENCED_LEADER_EPOCH)
    takes_epoch(s, new, {r}, s.response[r].leader_epoch)


@action
def ignore_response(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A response that nobody waits for: of an older epoch, an abandoned download, or repeated."""
    require(s.response[r] is not None and not is_awaited(s, r))
    new.response[r] = None


# What goes wrong.


@action
def lose_response(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    require(s.response[r] is not None)
    disturb(s, new)
    new.response[r] = None


@action
def damage_chunk(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A chunk arrives with a wrong byte in it."""
    response = present(s.response[r])
    require(len(response.units) > 0)
    disturb(s, new)
    new.response[r] = replace(response, units=(DAMAGED,) + response.units[1:])


@action
def restart_follower(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A replica that restarts has no .part file any more."""
    require(s.download[r] is not None)
    disturb(s, new)
    new.download[r] = None
    new.response[r] = None
