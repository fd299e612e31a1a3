"""Mistakes in sharing the bytes of a response."""

from lockstep import fault
from models.fetch_snapshot_response import (
    LEADER_MAX_BYTES,
    REQUEST_MAX_BYTES,
    FetchSnapshotResponse,
    average,
    kept_for,
    left_of,
    response_max_bytes,
    room_for,
    share,
)


@fault(replaces=response_max_bytes, breaks="keeps_within_both_limits")
def only_the_request_limits():
    """The leader's own limit is ignored."""
    return REQUEST_MAX_BYTES


@fault(
    replaces=response_max_bytes,
    breaks="keeps_within_both_limits",
    constants={"REQUEST_MAX_BYTES": 2},
)
def only_the_leader_limits():
    """The request's limit is ignored."""
    return LEADER_MAX_BYTES


@fault(
    replaces=share,
    breaks="keeps_within_both_limits",
    source="KafkaRaftClient.handleFetchSnapshotRequest",
)
def limit_counted_anew_for_each_partition(s: FetchSnapshotResponse, p):
    """Each partition may fill the response: right for a request of one, as Kafka's are."""
    return min(left_of(s, p), response_max_bytes())


@fault(replaces=kept_for, breaks="gives_the_average_while_there_is_as_much")
def first_come_first_served(s: FetchSnapshotResponse, p):
    """Nothing is kept for the partitions whose turn comes later."""
    return 0


@fault(replaces=share, breaks="nothing_is_withheld_that_would_fit")
def average_and_no_more(s: FetchSnapshotResponse, p):
    """What one partition does not need is lost to the others."""
    return min(left_of(s, p), average(s))


@fault(
    replaces=kept_for,
    breaks="nothing_is_withheld_that_would_fit",
    constants={"LEADER_MAX_BYTES": 4},
)
def average_kept_for_small_rests(s: FetchSnapshotResponse, p):
    """The average is kept for each partition, even if its snapshot has less left."""
    return 0 if s.given[p] is not None or s.remaining[p] is None else average(s)


@fault(replaces=share, breaks="gives_no_more_than_is_left")
def average_even_beyond_the_end(s: FetchSnapshotResponse, p):
    """A partition gets the average, whatever its snapshot has left."""
    return max(min(average(s), room_for(s, p)), min(left_of(s, p), room_for(s, p)))
