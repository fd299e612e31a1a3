"""What must hold of responses under a size limit (KIP-227, "Handling Partition Size Limits")."""

from lockstep import each, invariant, leads_to, sometimes, step_invariant, when
from models.fetch_response import (
    LIMIT,
    MESSAGE_BYTES,
    PARTITION_LIMIT,
    PARTITIONS,
    FetchResponse,
    Partition,
    finish_response,
    pass_over,
    read_records,
    report_change,
)


def is_complete(s: FetchResponse):
    """The response is built and not sent yet."""
    return s.to_visit is not None and len(s.to_visit) == 0


def messages(s: FetchResponse):
    return sum(s.taken[p] for p in Partition)


@invariant("227-55")
def every_response_begins_empty(s: FetchResponse):
    """Between responses nothing is in one: what the last one had takes no room of the next."""
    when(s.to_visit is None)
    return messages(s) == 0 and len(s.reported) == 0


@invariant("227-56")
def returns_at_least_one_message(s: FetchResponse):
    """A response carries a message whenever some partition had one when it was begun."""
    when(is_complete(s) and len(s.due) > 0)
    return messages(s) > 0


@invariant("227-55")
def keeps_within_the_limit(s: FetchResponse):
    """A response is no larger than the limit, unless it is one single message."""
    when(messages(s) > 1)
    return messages(s) * MESSAGE_BYTES <= LIMIT


@invariant("227-55")
def keeps_within_the_partition_limit(s: FetchResponse, p: Partition):
    """A partition's records are no more than its limit, unless they are one single message."""
    when(s.taken[p] > 1)
    return s.taken[p] * MESSAGE_BYTES <= PARTITION_LIMIT


@invariant("227-58", "227-60")
def waits_at_most_as_many_responses_as_there_are_others(s: FetchResponse, p: Partition):
    """A partition with data is left out of fewer responses in a row than there are partitions
    (227-D36)."""
    return s.waited[p] < len(PARTITIONS)


@step_invariant("227-59")
def only_records_move_to_the_tail(s: FetchResponse, new: FetchResponse):
    """The list changes only when records of a partition are returned: that one goes to the tail,
    all others keep their order."""
    when(s.order != new.order)
    return any(
        new.taken[p] > s.taken[p] and new.order == tuple(q for q in s.order if q != p) + (p,)
        for p in Partition
    )


@step_invariant("227-58", "227-59")
def records_move_to_the_tail(s: FetchResponse, new: FetchResponse, p: Partition):
    """A partition of which records are returned is the last of the list."""
    when(new.taken[p] > s.taken[p])
    return new.order[-1] == p


@step_invariant("227-13")
def changes_are_reported(s: FetchResponse, new: FetchResponse, p: Partition):
    """A partition with changed offsets is in the response, whether records of it fit or not."""
    when(s.to_visit is not None and new.to_visit is not None)
    when(p in s.to_visit and p not in new.to_visit and p in s.changed)
    return p in new.reported or new.taken[p] > 0


@step_invariant("227-13", "227-52")
def changes_wait_until_they_are_answered(s: FetchResponse, new: FetchResponse, p: Partition):
    """A change of offsets is news until a response has its partition."""
    when(p in s.changed and p not in new.changed)
    return (p in new.reported and p not in s.reported) or new.taken[p] > s.taken[p]


@step_invariant("227-52", "227-53")
def nothing_is_reported_needlessly(s: FetchResponse, new: FetchResponse, p: Partition):
    """A partition is in the response only for records or changed offsets."""
    when(p in new.reported and p not in s.reported)
    return p in s.changed


@step_invariant("227-52")
def what_is_answered_is_news_no_more(s: FetchResponse, new: FetchResponse, p: Partition):
    """A response that has a partition says how its offsets are: the next one has it for them only
    if they change again."""
    when((p in new.reported and p not in s.reported) or new.taken[p] > s.taken[p])
    return p not in new.changed


@step_invariant("227-59", "227-60")
def everybody_has_one_turn(s: FetchResponse, new: FetchResponse, p: Partition):
    """A partition that had its turn in a response, with or without records, has no other in it."""
    when((p in new.reported and p not in s.reported) or new.taken[p] > s.taken[p])
    return p in s.to_visit and p not in new.to_visit


@step_invariant("227-60")
def no_message_is_skipped(s: FetchResponse, new: FetchResponse, p: Partition):
    """What is returned of a partition is what leaves its backlog, neither more nor less."""
    when(new.taken[p] > s.taken[p] or new.backlog[p] < s.backlog[p])
    return new.backlog[p] + new.taken[p] == s.backlog[p] + s.taken[p]


@leads_to(
    "227-60",
    weak=(each(read_records, "p"), each(report_change, "p"), each(pass_over, "p"), finish_response),
)
def every_response_ends(s: FetchResponse):
    """A response that was begun is sent: a partition left out of it has a turn in another."""
    return s.to_visit is not None, s.to_visit is None


@sometimes("227-55")
def a_partition_with_records_is_passed_over(s: FetchResponse):
    """The limit is small enough to leave somebody out."""
    return any(s.waited[p] > 0 for p in Partition)
