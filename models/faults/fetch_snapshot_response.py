"""Mistakes in answering a FetchSnapshot request, and in sharing the bytes of a response."""

from lockstep import edit, fault, replace, require
from models import fetch_snapshot_response as leader
from models.fetch_snapshot_response import (
    Asked,
    Error,
    FetchSnapshotResponse,
    Partition,
    average,
    error_of,
    error_of_the_snapshot,
    give,
    given_to,
    has_position,
    left_of,
    room_for,
    share,
)

# Errors.


@fault(breaks="older_epoch_is_fenced", constants={"ANY_REQUEST": True, "MAX_EPOCH": 1})
@edit(
    leader.error_of_another_epoch,
    "asked.named_epoch < asked.epoch",
    "asked.named_epoch > asked.epoch",
)
def epochs_are_compared_the_wrong_way_round():
    """Who asks in an older epoch gets the error that the epoch is not known."""


@fault(
    replaces=leader.error_of_another_epoch,
    breaks="newer_epoch_is_unknown",
    constants={"ANY_REQUEST": True, "MAX_EPOCH": 1},
)
def newer_epoch_is_fenced(asked):
    """Any other epoch than the receiver's is taken for an old one."""
    return Error.FENCED_LEADER_EPOCH


@fault(breaks="newer_epoch_is_unknown", constants={"ANY_REQUEST": True, "MAX_EPOCH": 1})
@edit(leader.error_of_another_epoch, "Error.UNKNOWN_LEADER_EPOCH", "Error.NOT_LEADER_OR_FOLLOWER")
def newer_epoch_is_not_the_receivers_affair():
    """Who asks in a newer epoch than the receiver's gets the error that another one leads."""


@fault(replaces=error_of, breaks="only_the_leader_serves", constants={"ANY_REQUEST": True})
def anybody_serves(asked):
    """A replica that has the snapshot sends it, leader or not."""
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


@fault(breaks="position_outside_the_snapshot_is_refused", constants={"ANY_REQUEST": True})
@edit(leader.has_position, "asked.position < asked.size", "asked.position <= asked.size")
def position_at_the_end_is_served():
    """The position after the last unit gets no units and no error."""


@fault(replaces=share, breaks="bytes_come_without_an_error")
def average_even_beyond_the_end(s: FetchSnapshotResponse, p):
    """A partition gets the average, whatever its snapshot has left."""
    return max(min(average(s), room_for(s, p)), min(left_of(s, p), room_for(s, p)))


@fault(breaks="answers_only_what_is_asked")
@edit(leader.has_its_turn, "s.building", "True")
def answered_before_the_request_is_complete():
    """A partition is answered while others are still being named."""


@fault(replaces=leader.ask, breaks="only_a_response_answers")
def request_grows_while_it_is_answered(
    s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition, asked: Asked
):
    """One more partition is asked for after others were answered."""
    require(s.asked[p] is None and error_of(asked) == Error.NONE)
    new.asked[p] = asked


# Shares.


@fault(breaks="keeps_within_both_limits")
@edit(leader.response_max_bytes, "return ...", "return REQUEST_MAX_BYTES")
def only_the_request_limits():
    """The leader's own limit is ignored."""


@fault(breaks="keeps_within_both_limits", constants={"REQUEST_MAX_BYTES": 2})
@edit(leader.response_max_bytes, "return ...", "return LEADER_MAX_BYTES")
def only_the_leader_limits():
    """The request's limit is ignored."""


@fault(breaks="keeps_within_both_limits", source="KafkaRaftClient.handleFetchSnapshotRequest")
@edit(leader.share, "room_for(s, p)", "response_max_bytes()")
def limit_counted_for_each_partition():
    """Each partition may fill the response: right for a request of one, as Kafka's are."""


@fault(breaks="gives_the_average_while_there_is_as_much")
@edit(leader.kept_for, "return ...", "return 0")
def first_come_first_served():
    """Nothing is kept for the partitions whose turn comes later."""


@fault(breaks="gives_the_average_while_there_is_as_much", constants={"LEADER_MAX_BYTES": 4})
@edit(leader.average, "max(1, number_asked(s))", "number_asked(s) + 1")
def average_of_one_partition_more():
    """The bytes are divided by one partition too many."""


@fault(breaks="nothing_is_withheld_that_would_fit")
@edit(leader.share, "room_for(s, p)", "average(s)")
def average_and_no_more():
    """What one partition does not need is lost to the others."""


@fault(breaks="nothing_is_withheld_that_would_fit", constants={"LEADER_MAX_BYTES": 4})
@edit(leader.kept_for, "s.answers[p] is not None", "s.answers[p] is not None or s.asked[p] is None")
@edit(leader.kept_for, "min(left_of(s, p), average(s))", "average(s)")
def average_kept_for_small_rests():
    """The average is kept for each partition, even if its snapshot has less left."""


# What follows a response.


@fault(breaks="what_was_not_sent_is_asked_for")
@edit(leader.is_answered, "return ...", "return any(s.answers[p] is not None for p in Partition)")
def sent_when_full():
    """A response is sent as soon as somebody has bytes; the others have had no turn."""


@fault(replaces=leader.asked_next, breaks="what_was_not_sent_is_asked_for")
def rest_is_forgotten(s: FetchSnapshotResponse, p):
    """A partition that got bytes is taken for complete."""
    return None if given_to(s, p) > 0 else s.asked[p]


@fault(breaks="what_was_not_sent_is_asked_for")
@edit(leader.asked_next, "replace(asked, position=asked.position + given_to(s, p))", "asked")
def same_bytes_are_asked_for_again():
    """The next request begins where the last one did."""


@fault(replaces=give, breaks="only_a_response_answers")
def request_moves_on_while_it_is_answered(
    s: FetchSnapshotResponse, new: FetchSnapshotResponse, p: Partition
):
    """The position is raised at once, before the response is sent."""
    give(s, new, p)
    new.asked[p] = replace(s.asked[p], position=s.asked[p].position + share(s, p))
