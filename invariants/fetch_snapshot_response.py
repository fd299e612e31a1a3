"""What must hold of a response to FetchSnapshot (KIP-630, "Request Handling").

Stated from what is asked and what is answered, without the model's own reckoning.
"""

from lockstep import invariant, sometimes, step_invariant, when
from models.fetch_snapshot_response import (
    LEADER_MAX_BYTES,
    REQUEST_MAX_BYTES,
    Error,
    FetchSnapshotResponse,
    Partition,
)


def is_complete(s: FetchSnapshotResponse):
    """The response is built and not sent yet."""
    return s.building and all(s.asked[p] is None or s.answers[p] is not None for p in Partition)


def sent_in_all(s: FetchSnapshotResponse):
    return sum(s.answers[p].units for p in Partition if s.answers[p] is not None)


def is_served(s: FetchSnapshotResponse, p):
    """A partition has been given bytes of a snapshot, or none for want of room."""
    return (
        s.asked[p] is not None
        and s.answers[p] is not None
        and s.answers[p].error == Error.NONE
        and s.asked[p].size is not None
    )


def end_of_chunk(s: FetchSnapshotResponse, p):
    """The position after the last unit that a partition is given."""
    return s.asked[p].position + s.answers[p].units


# Errors.


def is_answered(s: FetchSnapshotResponse, p):
    return s.asked[p] is not None and s.answers[p] is not None


def is_for_the_leader(s: FetchSnapshotResponse, p):
    """A request for a partition has the epoch of the one who leads it, and reached that one."""
    return s.asked[p].named_epoch == s.asked[p].epoch and s.asked[p].leads


@invariant("630-56")
def older_epoch_is_fenced(s: FetchSnapshotResponse, p: Partition):
    """A request that names an older epoch than the receiver's gets FENCED_LEADER_EPOCH."""
    when(is_answered(s, p) and s.asked[p].named_epoch < s.asked[p].epoch)
    return s.answers[p].error == Error.FENCED_LEADER_EPOCH


@invariant("630-57")
def newer_epoch_is_unknown(s: FetchSnapshotResponse, p: Partition):
    """A request that names a newer epoch than the receiver's gets UNKNOWN_LEADER_EPOCH."""
    when(is_answered(s, p) and s.asked[p].named_epoch > s.asked[p].epoch)
    return s.answers[p].error == Error.UNKNOWN_LEADER_EPOCH


@invariant("630-58")
def only_the_leader_serves(s: FetchSnapshotResponse, p: Partition):
    """Who does not lead in the epoch of the request answers NOT_LEADER_OR_FOLLOWER."""
    when(is_answered(s, p) and s.asked[p].named_epoch == s.asked[p].epoch)
    return (s.answers[p].error == Error.NOT_LEADER_OR_FOLLOWER) == (not s.asked[p].leads)


@invariant("630-54")
def missing_snapshot_is_not_found(s: FetchSnapshotResponse, p: Partition):
    """A leader that lacks the snapshot answers SNAPSHOT_NOT_FOUND, and no other leader does."""
    when(is_answered(s, p) and is_for_the_leader(s, p))
    return (s.answers[p].error == Error.SNAPSHOT_NOT_FOUND) == (s.asked[p].size is None)


@invariant("630-55")
def position_outside_the_snapshot_is_refused(s: FetchSnapshotResponse, p: Partition):
    """A position before the first byte or after the last one gets POSITION_OUT_OF_RANGE, and no
    other does."""
    when(is_answered(s, p) and is_for_the_leader(s, p) and s.asked[p].size is not None)
    return (s.answers[p].error == Error.POSITION_OUT_OF_RANGE) == (
        s.asked[p].position < 0 or s.asked[p].position > s.asked[p].size - 1
    )


@invariant("630-49")
def answers_only_what_is_asked(s: FetchSnapshotResponse, p: Partition):
    """A partition is answered if the request names it, and once the request is complete."""
    when(s.answers[p] is not None)
    return s.building and s.asked[p] is not None


@invariant("630-49")
def bytes_come_without_an_error(s: FetchSnapshotResponse, p: Partition):
    """A partition gets bytes of the snapshot from the position asked for, and no more than there
    are; with an error it gets none."""
    when(s.answers[p] is not None and s.answers[p].units > 0)
    return (
        is_served(s, p)
        and is_for_the_leader(s, p)
        and s.asked[p].position >= 0
        and end_of_chunk(s, p) <= s.asked[p].size
    )


# Shares.


@invariant("630-50")
def keeps_within_both_limits(s: FetchSnapshotResponse):
    """A response is no larger than the request allows, nor than the leader does."""
    return sent_in_all(s) <= REQUEST_MAX_BYTES and sent_in_all(s) <= LEADER_MAX_BYTES


@invariant("630-51", "630-52")
def gives_the_average_while_there_is_as_much(s: FetchSnapshotResponse, p: Partition):
    """A partition gets all that its snapshot has left, or so much that one unit more for each
    partition of the request would be beyond a limit."""
    when(is_served(s, p) and end_of_chunk(s, p) != s.asked[p].size)
    return (s.answers[p].units + 1) * sum(1 for q in Partition if s.asked[q] is not None) > min(
        REQUEST_MAX_BYTES, LEADER_MAX_BYTES
    )


@invariant("630-53")
def nothing_is_withheld_that_would_fit(s: FetchSnapshotResponse, p: Partition):
    """A response leaves something of a snapshot only if it is full."""
    when(is_complete(s) and is_served(s, p) and end_of_chunk(s, p) < s.asked[p].size)
    return sent_in_all(s) == REQUEST_MAX_BYTES or sent_in_all(s) == LEADER_MAX_BYTES


# What follows a response.


@step_invariant("630-60", "630-62")
def what_was_not_sent_is_asked_for(
    s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition
):
    """A response has an answer for each partition of the request. The next request asks for the
    bytes after those that came, and no more of a snapshot that is whole or was refused."""
    when(s.building and not new.building and s.asked[p] is not None)
    return s.answers[p] is not None and (
        new.asked[p] is None
        if s.answers[p].error != Error.NONE or end_of_chunk(s, p) == s.asked[p].size
        else new.asked[p] is not None
        and new.asked[p].position == end_of_chunk(s, p)
        and new.asked[p].size == s.asked[p].size
    )


@step_invariant("630-49", "630-60")
def only_a_response_answers(s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition):
    """What is asked stays until the response is sent, and so does what is answered; nothing more
    is asked while it is built."""
    when(not s.building or new.building)
    return (new.asked[p] == s.asked[p] or (s.asked[p] is None and not new.building)) and (
        s.answers[p] is None or new.answers[p] == s.answers[p]
    )


@sometimes("630-53")
def somebody_gets_more_than_the_average(s: FetchSnapshotResponse):
    """As much for every partition of the request would be beyond a limit."""
    return all(s.asked[p] is not None for p in Partition) and any(
        is_served(s, p)
        and s.answers[p].units * sum(1 for q in Partition if s.asked[q] is not None)
        > min(REQUEST_MAX_BYTES, LEADER_MAX_BYTES)
        for p in Partition
    )


@sometimes("630-52")
def somebody_waits(s: FetchSnapshotResponse):
    """The limit is small enough to leave bytes for the next response."""
    return is_complete(s) and any(
        is_served(s, p) and end_of_chunk(s, p) < s.asked[p].size for p in Partition
    )
