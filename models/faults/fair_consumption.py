"""Mistakes in a consumer's fetcher. Those with a source really happened, or were proposed."""

from lockstep import edit, fault, replace, require
from models import fair_consumption as consumer
from models.fair_consumption import (
    MAX_POLL_RECORDS,
    FairConsumption,
    Partition,
    Status,
    after_unreadable,
    give,
    goes_on,
    has_records,
    is_erring,
    is_wanted,
    later,
    return_before_error,
    room,
)


@fault(
    breaks="poll_returns_at_most_max_poll_records",
    source="KAFKA-15836; apache/kafka pull request 14789",
)
@edit(consumer.allowed, "room(s)", "MAX_POLL_RECORDS")
def limit_is_a_partitions():
    """max.poll.records of each partition, whatever the poll has of others already."""


@fault(
    breaks="error_without_records_is_raised_once",
    source="KAFKA-6877; apache/kafka pull request 4974",
    unchanged=("buffered", "line"),
)
@edit(consumer.raise_error, "new.buffered[s.line[0]] = None; new.line = s.line[1:]", "")
def error_stays_at_the_head():
    """An error is raised before it is taken out of the line, so it is raised for ever."""


@fault(
    breaks="paused_partition_keeps_its_records", source="KAFKA-7548; apache/kafka pull request 6988"
)
@edit(consumer.set_aside, "replace(s.buffered[s.line[0]], begun=False)", "None")
@edit(consumer.set_aside, "s.line[1:] + (s.line[0],)", "s.line[1:]")
def paused_records_are_thrown_away():
    """A poll that reaches a paused partition drops what is buffered of it."""


@fault(
    replaces=is_wanted,
    breaks="only_assigned_partitions_are_returned",
    source="KAFKA-2632; apache/kafka pull request 295, as first proposed",
)
def looked_at_when_begun_only(s: FairConsumption, p):
    """Whether a partition is still assigned is asked when its fetch is begun, and not when a later
    poll returns the rest."""
    return s.buffered[p].begun or is_wanted(s, p)


@fault(
    replaces=consumer.may_be_fetched,
    breaks="partition_without_records_is_fetched",
    constants={"LONGEST_WAIT": 0},
    source="KAFKA-17182; apache/kafka pull request 17700, mended by 18795",
)
def buffered_partition_blocks_the_others(s: FairConsumption, p):
    """Nothing is fetched from a broker while something is buffered of one of its partitions, be it
    paused; all partitions are one broker's here."""
    return s.status[p] == Status.ASSIGNED and all(s.buffered[q] is None for q in Partition)


@fault(replaces=consumer.may_be_fetched, breaks="fetch_is_of_a_partition_without_records")
def paused_partitions_are_fetched(s: FairConsumption, p):
    """A fetch asks for paused partitions, too."""
    return s.status[p] != Status.REVOKED and s.buffered[p] is None


@fault(breaks="records_are_returned_once_and_in_order")
@edit(consumer.is_wanted, "return ...", "return s.status[p] != Status.REVOKED")
def offsets_are_not_compared():
    """Whatever is buffered of an assigned partition is returned, wherever its consumer is now."""


@fault(breaks="position_is_after_what_was_returned", unchanged=("position",))
@edit(consumer.give, "new.position[p] = ...", "")
def position_stays():
    """Records are returned, and the position stays before them."""


@fault(breaks="records_stay_buffered_until_returned")
@edit(consumer.return_part, "new.buffered[s.line[0]] = ...", "new.buffered[s.line[0]] = None")
@edit(consumer.return_part, "left_off(s)", "s.line[1:]")
def rest_is_thrown_away():
    """What the poll has no room for is dropped, to be fetched again."""


@fault(breaks="records_stay_buffered_until_returned")
@edit(consumer.return_part, "later(rest.first, allowed(s))", "rest.first")
def rest_is_taken_for_the_whole():
    """What is left of a fetch has the offset of what was returned: the next poll wants another one,
    and drops it."""


@fault(replaces=return_before_error, breaks="errors_are_raised")
def error_behind_records_is_swallowed(s: FairConsumption, new: FairConsumption):
    """A poll that has records to return forgets the error that ended it."""
    return_before_error(s, new)
    new.buffered[s.line[0]] = None
    new.line = s.line[1:]


@fault(replaces=goes_on, breaks="poll_returns_what_there_is")
def poll_is_of_one_partition(s: FairConsumption):
    """A poll ends with the first partition that it returned records of."""
    return goes_on(s) and all(s.returned[p] == 0 for p in Partition)


@fault(breaks="partition_is_drained_before_the_next")
def poll_takes_turns(s: FairConsumption, new: FairConsumption):
    """A poll takes one record of a partition and goes on with the next."""
    require(goes_on(s) and has_records(s, s.line[0]))
    rest = s.buffered[s.line[0]]
    require(rest.count > 1 and room(s) > 1)
    give(s, new, 1)
    new.buffered[s.line[0]] = replace(rest, first=later(rest.first, 1), count=rest.count - 1)
    new.line = s.line[1:] + (s.line[0],)


@fault(breaks="poll_begins_where_the_last_left_off")
@edit(consumer.left_off, "s.line", "s.line[1:] + (s.line[0],)")
def left_off_goes_to_the_end():
    """A partition that is left off in waits until all others had their turn."""


@fault(replaces=consumer.arrived, breaks="wait_is_bounded")
def last_come_first_served(s: FairConsumption, p):
    """What comes in goes before all that waits, but for what a poll left off in."""
    return (
        (s.line[0], p) + s.line[1:]
        if len(s.line) > 0 and s.buffered[s.line[0]].begun
        else (p,) + s.line
    )


@fault(
    replaces=after_unreadable,
    breaks="error_blocks_no_other",
    constants={"UNREADABLE": True},
    source="KIP-387, Proposed Changes",
)
def unreadable_stays_at_the_head(s: FairConsumption):
    """What cannot be parsed stays where it is, as it does in Apache Kafka: see 387-D2."""
    return after_unreadable(s)


@fault(
    replaces=consumer.raise_error,
    breaks="records_come_to_be_returned",
    unchanged=("polling", "returned", "line", "waited", "raised"),
)
def poll_tries_again_for_ever(s: FairConsumption, new: FairConsumption):
    """A poll that reaches an error tries once more instead of raising it."""
    require(is_erring(s) and room(s) == MAX_POLL_RECORDS)
    erring = s.buffered[s.line[0]]
    new.buffered[s.line[0]] = replace(erring, begun=not erring.begun)


@fault(breaks="line_is_what_is_buffered", unchanged=("buffered",))
@edit(consumer.discard, "new.buffered[s.line[0]] = ...", "")
def discarded_stays_buffered():
    """What is not wanted any more leaves the line, and still counts as buffered."""


@fault(breaks="poll_begins_where_the_last_left_off", source="KIP-387, Proposed Changes")
@edit(consumer.arrived, "s.line", "tuple(q for q in s.line if not s.buffered[q].begun) + (p,)")
@edit(consumer.arrived, "(p,)", "tuple(q for q in s.line if s.buffered[q].begun)")
def completed_fetches_go_first():
    """What comes in goes before what a poll has begun: see the proposal round_robin."""


@fault(breaks="error_is_of_the_last_poll", unchanged=("raised",))
@edit(consumer.start_poll, "new.raised = ...", "")
def error_is_remembered():
    """A poll begins with the error of the last one."""


@fault(breaks="waits_are_counted")
@edit(consumer.withdraw, "new.waited = ...", "new.waited = 0")
def pause_of_any_ends_the_wait():
    """Whatever partition is paused, waiting begins again."""


@fault(breaks="new_partition_is_not_paused")
@edit(consumer.assign, "Status.ASSIGNED", "Status.PAUSED")
def assigned_partition_is_paused():
    """A partition comes back as an application might have left it."""


@fault(breaks="partition_can_be_returned_again")
@edit(consumer.resume, "new.status[p] = Status.ASSIGNED", "new.status[p] = s.status[p]")
def resumed_partition_stays_paused():
    """What the application resumes is returned no more than before."""
