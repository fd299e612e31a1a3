"""Mistakes in answering a FetchSnapshot request, and in sharing the bytes of a response."""

from lockstep import fault, replace, require
from models.fetch_snapshot_response import (
    LEADER_MAX_BYTES,
    REQUEST_MAX_BYTES,
    Asked,
    Error,
    FetchSnapshotResponse,
    Partition,
    ask,
    asked_next,
    average,
    error_of,
    error_of_another_epoch,
    error_of_the_snapshot,
    give,
    given_to,
    has_its_turn,
    has_position,
    is_answered,
    kept_for,
    left_of,
    number_asked,
    response_max_bytes,
    room_for,
    share,
)

# Errors.


@fault(
    replaces=error_of_another_epoch,
    breaks="older_epoch_is_fenced",
    constants={"ANY_REQUEST": True, "MAX_EPOCH": 1},
)
def epochs_are_compared_the_wrong_way_round(asked):
    """Who asks in an older epoch is told that the epoch is not known."""
    if asked.named_epoch > asked.epoch:
        return Error.FENCED_LEADER_EPOCH
    return Error.UNKNOWN_LEADER_EPOCH


@fault(
    replaces=error_of_another_epoch,
    breaks="newer_epoch_is_unknown",
    constants={"ANY_REQUEST": True, "MAX_EPOCH": 1},
)
def newer_epoch_is_fenced(asked):
    """Any other epoch than the receiver's is taken for an old one."""
    return Error.FENCED_LEADER_EPOCH


@fault(
    replaces=error_of_another_epoch,
    breaks="newer_epoch_is_unknown",
    constants={"ANY_REQUEST": True, "MAX_EPOCH": 1},
)
def newer_epoch_is_not_the_receivers_affair(asked):
    """Who asks in a newer epoch than the receiver's is told that another one leads."""
    if asked.named_epoch < asked.epoch:
        return Error.FENCED_LEADER_EPOCH
    return Error.NOT_LEADER_OR_FOLLOWER


@fault(replaces=error_of, breaks="only_the_leader_serves", constants={"ANY_REQUEST": True})
def anybody_serves(asked):
    """Whoever has the snapshot sends it, leader or not."""
    return error_of_the_snapshot(asked)


@fault(
    replaces=error_of_the_snapshot,
    breaks="missing_snapshot_is_not_found",
    constants={"ANY_REQUEST": True},
)
def missing_snapshot_has_no_position(asked):
    """A snapshot that is not there is taken for an empty one."""
    if asked.size is None or not has_position(asked):
        return Error.POSITION_OUT_OF_RANGE
    return Error.NONE


@fault(
    replaces=has_position,
    breaks="position_outside_the_snapshot_is_refused",
    constants={"ANY_REQUEST": True},
)
def position_at_the_end_is_served(asked):
    """The position after the last unit gets no units and no error."""
    return asked.position >= 0 and asked.position <= asked.size


@fault(replaces=share, breaks="bytes_come_without_an_error")
def average_even_beyond_the_end(s: FetchSnapshotResponse, p):
    """A partition gets the average, whatever its snapshot has left."""
    return max(min(average(s), room_for(s, p)), min(left_of(s, p), room_for(s, p)))


@fault(replaces=has_its_turn, breaks="answers_only_what_is_asked")
def answered_before_the_request_is_complete(s: FetchSnapshotResponse, p):
    """A partition is answered while others are still being named."""
    return s.asked[p] is not None and s.answers[p] is None


@fault(replaces=ask, breaks="only_a_response_answers")
def request_grows_while_it_is_answered(
    s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition, asked: Asked
):
    """One more partition is asked for after others were answered."""
    require(s.asked[p] is None and error_of(asked) == Error.NONE)
    new.asked[p] = asked


# Shares.


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


@fault(
    replaces=average,
    breaks="gives_the_average_while_there_is_as_much",
    constants={"LEADER_MAX_BYTES": 4},
)
def average_of_one_partition_more(s: FetchSnapshotResponse):
    """The bytes are divided by one partition too many."""
    return response_max_bytes() // (number_asked(s) + 1)


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
    return 0 if s.answers[p] is not None or s.asked[p] is None else average(s)


# What follows a response.


@fault(replaces=is_answered, breaks="what_was_not_sent_is_asked_for")
def sent_when_full(s: FetchSnapshotResponse):
    """A response is sent as soon as somebody has bytes; the others have had no turn."""
    return any(s.answers[p] is not None for p in Partition)


@fault(replaces=asked_next, breaks="what_was_not_sent_is_asked_for")
def rest_is_forgotten(s: FetchSnapshotResponse, p):
    """A partition that got bytes is taken for complete."""
    return None if given_to(s, p) > 0 else s.asked[p]


@fault(replaces=asked_next, breaks="what_was_not_sent_is_asked_for")
def same_bytes_are_asked_for_again(s: FetchSnapshotResponse, p):
    """The next request begins where the last one did."""
    asked = s.asked[p]
    if asked is None or left_of(s, p) == given_to(s, p):
        return None
    return asked


@fault(replaces=give, breaks="only_a_response_answers")
def request_moves_on_while_it_is_answered(
    s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition
):
    """The position is raised at once, before the response is sent."""
    give(s, new, p)
    new.asked[p] = replace(s.asked[p], position=s.asked[p].position + share(s, p))
