"""Mistakes in a consumer's fetcher. Those with a source really happened, or were proposed."""

from lockstep import fault, replace, require
from models.fair_consumption import (
    MAX_POLL_RECORDS,
    FairConsumption,
    Partition,
    Status,
    after_unreadable,
    allowed,
    arrived,
    discard,
    end_poll,
    give,
    goes_on,
    has_records,
    is_erring,
    is_held_back,
    is_wanted,
    later,
    left_off,
    may_be_fetched,
    raise_error,
    return_before_error,
    return_part,
    room,
    set_aside,
    start_poll,
    withdraw,
)


@fault(
    replaces=allowed,
    breaks="poll_returns_at_most_max_poll_records",
    source="KAFKA-15836; apache/kafka pull request 14789",
)
def limit_is_a_partitions(s: FairConsumption):
    """max.poll.records of each partition, whatever the poll has of others already."""
    return min(MAX_POLL_RECORDS, s.buffered[s.line[0]].count)


@fault(
    replaces=raise_error,
    breaks="error_without_records_is_raised_once",
    source="KAFKA-6877; apache/kafka pull request 4974",
    unchanged=("buffered", "line"),
)
def error_stays_at_the_head(s: FairConsumption, new: FairConsumption):
    """An error is raised before it is taken out of the line, so it is raised for ever."""
    require(is_erring(s) and room(s) == MAX_POLL_RECORDS)
    require(s.buffered[s.line[0]].count == 0)
    end_poll(s, new, s.line[0])


@fault(
    replaces=set_aside,
    breaks="paused_partition_keeps_its_records",
    source="KAFKA-7548; apache/kafka pull request 6988",
)
def paused_records_are_thrown_away(s: FairConsumption, new: FairConsumption):
    """A poll that comes to a paused partition drops what is buffered of it."""
    require(goes_on(s) and is_held_back(s, s.line[0]))
    new.buffered[s.line[0]] = None
    new.line = s.line[1:]


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
    replaces=may_be_fetched,
    breaks="partition_without_records_is_fetched",
    constants={"LONGEST_WAIT": 0},
    source="KAFKA-17182; apache/kafka pull request 17700, mended by 18795",
)
def buffered_partition_blocks_the_others(s: FairConsumption, p):
    """Nothing is fetched from a broker while something is buffered of one of its partitions, be it
    paused; all partitions are one broker's here."""
    return s.status[p] == Status.ASSIGNED and all(s.buffered[q] is None for q in Partition)


@fault(replaces=may_be_fetched, breaks="fetch_is_of_a_partition_without_records")
def paused_partitions_are_fetched(s: FairConsumption, p):
    """A fetch asks for paused partitions, too."""
    return s.status[p] != Status.REVOKED and s.buffered[p] is None


@fault(replaces=is_wanted, breaks="records_are_returned_once_and_in_order")
def offsets_are_not_compared(s: FairConsumption, p):
    """Whatever is buffered of an assigned partition is returned, wherever its consumer is now."""
    return s.status[p] != Status.REVOKED


@fault(replaces=give, breaks="position_is_after_what_was_returned", unchanged=("position",))
def position_stays(s: FairConsumption, new: FairConsumption, count):
    """Records are returned, and the position stays before them."""
    p = s.line[0]
    new.returned[p] = s.returned[p] + count
    new.due[p] = later(s.buffered[p].first, count)


@fault(replaces=return_part, breaks="records_stay_buffered_until_returned")
def rest_is_thrown_away(s: FairConsumption, new: FairConsumption):
    """What the poll has no room for is dropped, to be fetched again."""
    return_part(s, new)
    new.buffered[s.line[0]] = None
    new.line = s.line[1:]


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


@fault(replaces=left_off, breaks="poll_begins_where_the_last_left_off")
def left_off_goes_to_the_end(s: FairConsumption):
    """A partition that is left off in waits until all others had their turn."""
    return s.line[1:] + (s.line[0],)


@fault(replaces=arrived, breaks="wait_is_bounded")
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
    replaces=raise_error,
    breaks="records_come_to_be_returned",
    unchanged=("polling", "returned", "line", "waited", "raised"),
)
def poll_tries_again_for_ever(s: FairConsumption, new: FairConsumption):
    """A poll that comes to an error tries once more instead of raising it."""
    require(is_erring(s) and room(s) == MAX_POLL_RECORDS)
    erring = s.buffered[s.line[0]]
    new.buffered[s.line[0]] = replace(erring, begun=not erring.begun)


@fault(replaces=discard, breaks="line_is_what_is_buffered", unchanged=("buffered",))
def discarded_stays_buffered(s: FairConsumption, new: FairConsumption):
    """What is not wanted any more leaves the line, and still counts as buffered."""
    require(goes_on(s) and not is_wanted(s, s.line[0]))
    new.line = s.line[1:]


@fault(
    replaces=arrived,
    breaks="poll_begins_where_the_last_left_off",
    source="KIP-387, Proposed Changes",
)
def completed_fetches_go_first(s: FairConsumption, p):
    """What comes in goes before what a poll has begun: see the proposal round_robin."""
    return (
        tuple(q for q in s.line if not s.buffered[q].begun)
        + (p,)
        + tuple(q for q in s.line if s.buffered[q].begun)
    )


@fault(replaces=start_poll, breaks="error_is_of_the_last_poll", unchanged=("raised",))
def error_is_remembered(s: FairConsumption, new: FairConsumption):
    """A poll begins with the error of the last one."""
    require(not s.polling)
    new.polling = True


@fault(replaces=withdraw, breaks="waits_are_counted")
def pause_of_any_ends_the_wait(s: FairConsumption, new: FairConsumption, p, status):
    """Whatever partition is paused, waiting begins again."""
    withdraw(s, new, p, status)
    new.waited = 0
