"""KIP-630 FetchSnapshot for several partitions: who gets an error, and who how many bytes.

The receiver goes through the partitions of a request one by one. One that it cannot serve gets an
error, any other its share of the bytes. What a partition with little left does not need goes to the
others, whichever comes first. Bytes are counted in units of equal size.
"""

from enum import Enum

from lockstep import Constant, Domain, Map, OneOf, Range, Record, State, action, replace, require

PARTITIONS: Constant = ("p1", "p2")

ANY_REQUEST: Constant = False
"""Whether a request may name what its receiver cannot serve."""

MAX_EPOCH: Constant = 0

MAX_SIZE: Constant = 3
"""The most units that a snapshot has."""

REQUEST_MAX_BYTES: Constant = 4
"""MaxBytes of the request."""

LEADER_MAX_BYTES: Constant = 3
"""replica.fetch.response.max.bytes of the leader."""

Partition: Domain = OneOf(PARTITIONS, interchangeable=True)
Epoch: Domain = Range(0, MAX_EPOCH)
Units: Domain = Range(0, MAX_SIZE)
Size: Domain = Range(1, MAX_SIZE)
Position: Domain = Range(-1, MAX_SIZE)


class Error(Enum):
    NONE = 0
    NOT_LEADER_OR_FOLLOWER = 6
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    SNAPSHOT_NOT_FOUND = 98
    POSITION_OUT_OF_RANGE = 99


class Asked(Record):
    """What the request asks of a partition, and what its receiver is and has."""

    named_epoch: Epoch  # the leader epoch in the request
    epoch: Epoch  # the leader epoch that the receiver knows
    leads: bool  # whether the receiver leads
    size: Size | None  # of the snapshot that the request names; None if the receiver lacks it
    position: Position


class Answer(Record):
    error: Error
    units: Units


class FetchSnapshotResponse(State):
    # What the request asks; None of a partition that it does not name.
    asked: Map[Partition, Asked | None] = {p: None for p in Partition}
    # The response that is being built; None of a partition before its turn.
    answers: Map[Partition, Answer | None] = {p: None for p in Partition}
    building: bool = False


def response_max_bytes():
    """The lesser of what the request and the leader allow."""
    return min(REQUEST_MAX_BYTES, LEADER_MAX_BYTES)


def error_of_another_epoch(asked):
    """Who is behind gets an error that says so."""
    if asked.named_epoch < asked.epoch:
        return Error.FENCED_LEADER_EPOCH
    return Error.UNKNOWN_LEADER_EPOCH


def has_position(asked):
    """The snapshot has a unit at the position (630-D25)."""
    return asked.position >= 0 and asked.position < asked.size


def error_of_the_snapshot(asked):
    """What is wrong with what a request names."""
    if asked.size is None:
        return Error.SNAPSHOT_NOT_FOUND
    if not has_position(asked):
        return Error.POSITION_OUT_OF_RANGE
    return Error.NONE


def error_of(asked):
    """What is wrong with a request: its epoch, then its receiver, then what it names (630-D25)."""
    if asked.named_epoch != asked.epoch:
        return error_of_another_epoch(asked)
    if not asked.leads:
        return Error.NOT_LEADER_OR_FOLLOWER
    return error_of_the_snapshot(asked)


@action
def ask(s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition, asked: Asked):
    """The request names one more partition."""
    require(not s.building and s.asked[p] is None)
    require(ANY_REQUEST or error_of(asked) == Error.NONE)
    new.asked[p] = asked


@action
def begin_response(s: FetchSnapshotResponse, new: FetchSnapshotResponse):
    """The request is complete, and has arrived."""
    require(not s.building and any(s.asked[p] is not None for p in Partition))
    new.building = True


def number_asked(s: FetchSnapshotResponse):
    return sum(1 for p in Partition if s.asked[p] is not None)


def average(s: FetchSnapshotResponse):
    """What each partition may count on."""
    return response_max_bytes() // max(1, number_asked(s))


def left_of(s: FetchSnapshotResponse, p):
    """The units from the position on; 0 of no snapshot."""
    asked = s.asked[p]
    if asked is None or asked.size is None or error_of(asked) != Error.NONE:
        return 0
    return asked.size - asked.position


def given_to(s: FetchSnapshotResponse, p):
    return 0 if s.answers[p] is None else s.answers[p].units


def kept_for(s: FetchSnapshotResponse, p):
    """What must be kept for a partition that has had no turn."""
    return 0 if s.answers[p] is not None else min(left_of(s, p), average(s))


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


def has_its_turn(s: FetchSnapshotResponse, p):
    return s.building and s.asked[p] is not None and s.answers[p] is None


@action
def give(s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition):
    """A partition gets its bytes."""
    require(has_its_turn(s, p) and error_of(s.asked[p]) == Error.NONE)
    new.answers[p] = Answer(error=Error.NONE, units=share(s, p))


@action
def refuse(s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition):
    """A partition gets an error."""
    require(has_its_turn(s, p) and error_of(s.asked[p]) != Error.NONE)
    new.answers[p] = Answer(error=error_of(s.asked[p]), units=0)


def is_answered(s: FetchSnapshotResponse):
    """Every partition of the request has had its turn."""
    return all((s.asked[p] is None) == (s.answers[p] is None) for p in Partition)


def asked_next(s: FetchSnapshotResponse, p):
    """What the next request asks of a partition: the units after those that it got."""
    asked = s.asked[p]
    if asked is None or left_of(s, p) == given_to(s, p):
        return None
    return replace(asked, position=asked.position + given_to(s, p))


@action
def send_response(s: FetchSnapshotResponse, new: FetchSnapshotResponse):
    """The response is sent. The next request asks for what is left of the snapshots."""
    require(s.building and is_answered(s))
    new.building = False
    new.answers = {p: None for p in Partition}
    new.asked = {p: asked_next(s, p) for p in Partition}
