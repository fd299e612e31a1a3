"""What must hold of the bytes in a response to FetchSnapshot (KIP-630, "Request Handling")."""

from lockstep import invariant, sometimes, when
from models.fetch_snapshot_response import (
    LEADER_MAX_BYTES,
    REQUEST_MAX_BYTES,
    FetchSnapshotResponse,
    Partition,
    average,
    given_to,
    left_of,
    response_max_bytes,
)


def is_complete(s: FetchSnapshotResponse):
    """The response is built and not sent yet."""
    return s.building and all((s.remaining[p] is None) == (s.given[p] is None) for p in Partition)


def given_in_all(s: FetchSnapshotResponse):
    return sum(given_to(s, p) for p in Partition)


@invariant("630-50")
def keeps_within_both_limits(s: FetchSnapshotResponse):
    """A response is no larger than the request allows, nor than the leader does."""
    when(s.building)
    return given_in_all(s) <= REQUEST_MAX_BYTES and given_in_all(s) <= LEADER_MAX_BYTES


@invariant("630-49")
def gives_no_more_than_is_left(s: FetchSnapshotResponse, p: Partition):
    """A partition gets no bytes that its snapshot does not have."""
    when(s.given[p] is not None)
    return given_to(s, p) <= left_of(s, p)


@invariant("630-51", "630-52")
def gives_the_average_while_there_is_as_much(s: FetchSnapshotResponse, p: Partition):
    """A partition gets at least the average, or all that its snapshot has left."""
    when(s.given[p] is not None)
    return given_to(s, p) >= min(left_of(s, p), average(s))


@invariant("630-53")
def nothing_is_withheld_that_would_fit(s: FetchSnapshotResponse):
    """A response is full, or each of its snapshots is complete."""
    when(is_complete(s))
    return given_in_all(s) == min(response_max_bytes(), sum(left_of(s, p) for p in Partition))


@sometimes("630-53")
def somebody_gets_more_than_the_average(s: FetchSnapshotResponse):
    return any(given_to(s, p) > average(s) for p in Partition) and all(
        s.remaining[p] is not None for p in Partition
    )


@sometimes("630-52")
def somebody_waits(s: FetchSnapshotResponse):
    """The limit is small enough to leave bytes for the next response."""
    return is_complete(s) and any(given_to(s, p) < left_of(s, p) for p in Partition)
