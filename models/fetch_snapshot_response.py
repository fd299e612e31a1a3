"""KIP-630 FetchSnapshot for several partitions: the bytes of a response are shared evenly.

The leader goes through the partitions of a request one by one and gives each its bytes. What a
partition with little left does not need goes to the others, whichever comes first. Bytes are
counted in units of equal size.
"""

from lockstep import Constant, Domain, Map, OneOf, Range, State, action, require

PARTITIONS: Constant = ("p1", "p2")

MAX_REMAINING: Constant = 3
"""The most units that a snapshot has left from the position asked for; a request asks for no
position at its end."""

REQUEST_MAX_BYTES: Constant = 4
"""MaxBytes of the request."""

LEADER_MAX_BYTES: Constant = 3
"""replica.fetch.response.max.bytes of the leader."""

Partition: Domain = OneOf(PARTITIONS, interchangeable=True)
Remaining: Domain = Range(0, MAX_REMAINING)


class FetchSnapshotResponse(State):
    # What each snapshot of the request has left; None of a partition that it does not name.
    remaining: Map[Partition, Remaining | None] = {p: None for p in Partition}
    # The response that is being built: what each partition has got, None before its turn.
    given: Map[Partition, Remaining | None] = {p: None for p in Partition}
    building: bool = False


def response_max_bytes():
    """The lesser of what the request and the leader allow."""
    return min(REQUEST_MAX_BYTES, LEADER_MAX_BYTES)


@action
def ask(s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition, remaining: Remaining):
    """The request names one more partition."""
    require(not s.building and s.remaining[p] is None and remaining > 0)
    new.remaining[p] = remaining


@action
def begin_response(s: FetchSnapshotResponse, new: FetchSnapshotResponse):
    require(not s.building and any(s.remaining[p] is not None for p in Partition))
    new.building = True


def asked(s: FetchSnapshotResponse):
    return sum(1 for p in Partition if s.remaining[p] is not None)


def average(s: FetchSnapshotResponse):
    """What each partition may count on."""
    return response_max_bytes() // max(1, asked(s))


def left_of(s: FetchSnapshotResponse, p):
    """The units that a snapshot of the request has left; 0 of no snapshot."""
    return 0 if s.remaining[p] is None else s.remaining[p]


def given_to(s: FetchSnapshotResponse, p):
    return 0 if s.given[p] is None else s.given[p]


def kept_for(s: FetchSnapshotResponse, p):
    """What must be kept for a partition that has had no turn."""
    return 0 if s.given[p] is not None else min(left_of(s, p), average(s))


def room_for(s: FetchSnapshotResponse, p):
    """What is not given away, nor kept for the other partitions."""
    return max(
        0,
        response_max_bytes()
        - sum(given_to(s, q) for q in Partition)
        - sum(kept_for(s, q) for q in Partition if q != p),
    )


def share(s: FetchSnapshotResponse, p):
    return min(left_of(s, p), room_for(s, p))


@action
def give(s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition):
    """A partition gets its bytes."""
    require(s.building and s.remaining[p] is not None and s.given[p] is None)
    new.given[p] = share(s, p)


@action
def send_response(s: FetchSnapshotResponse, new: FetchSnapshotResponse):
    """Every partition has had its turn. The next request asks for what is left."""
    require(s.building and all((s.remaining[p] is None) == (s.given[p] is None) for p in Partition))
    new.building = False
    new.given = {p: None for p in Partition}
    new.remaining = {
        p: None if left_of(s, p) == given_to(s, p) else left_of(s, p) - given_to(s, p)
        for p in Partition
    }
