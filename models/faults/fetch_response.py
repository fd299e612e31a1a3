"""Mistakes in building responses. Those with a source really happened."""

from lockstep import edit, fault, require
from models import fetch_response as response
from models.fetch_response import (
    MESSAGE_BYTES,
    PARTITION_LIMIT,
    FetchResponse,
    Partition,
    finish_response,
    is_visiting,
    read_records,
    readable,
    room,
    taken_in_all,
)


@fault(breaks="only_records_move_to_the_tail", source="KAFKA-12330")
@edit(response.report_change, "s.order", "to_the_tail(s.order, p)")
def any_response_moves_to_tail():
    """A partition goes to the tail whenever it is in a response, with or without records."""


@fault(breaks="records_move_to_the_tail")
@edit(response.to_the_tail, "return ...", "return order")
def list_is_never_rotated():
    """The order is always the same."""


@fault(breaks="waits_at_most_as_many_responses_as_there_are_others", constants={"LIMIT": 1})
@edit(
    response.begin_response,
    "s.order",
    "(s.order[-1],) + tuple(p for p in s.order if p != s.order[-1])",
)
def list_is_visited_from_the_tail():
    """The partition that was served last is served first again."""


@fault(replaces=readable, breaks="returns_at_least_one_message", constants={"MESSAGE_BYTES": 4})
def limit_without_exception(s: FetchResponse, p):
    """A first message that is larger than the limit is not returned."""
    return min(s.backlog[p], room(s), PARTITION_LIMIT // MESSAGE_BYTES)


@fault(breaks="keeps_within_the_limit")
@edit(response.room, "return ...", "return LIMIT // MESSAGE_BYTES")
def limit_counted_for_each_partition():
    """What other partitions have taken is not counted."""


@fault(
    replaces=readable,
    breaks="keeps_within_the_partition_limit",
    constants={"LIMIT": 3, "MAX_BACKLOG": 3},
)
def partition_limit_ignored(s: FetchResponse, p):
    """One partition may fill the response."""
    return max(readable(s, p), min(s.backlog[p], room(s)))


@fault(breaks="changes_are_reported")
def change_passed_over(s: FetchResponse, new: FetchResponse, p: Partition):
    """A partition with changed offsets and no room for records is left out."""
    require(is_visiting(s, p) and readable(s, p) == 0 and p in s.changed)
    new.to_visit = s.to_visit[1:]


@fault(breaks="nothing_is_reported_needlessly")
def unchanged_partition_reported(s: FetchResponse, new: FetchResponse, p: Partition):
    """A partition with nothing to say is in the response all the same."""
    require(is_visiting(s, p) and readable(s, p) == 0 and p not in s.changed)
    new.reported = s.reported | {p}
    new.to_visit = s.to_visit[1:]


@fault(replaces=read_records, breaks="no_message_is_skipped", constants={"MAX_BACKLOG": 3})
def unread_messages_are_dropped(s: FetchResponse, new: FetchResponse, p: Partition):
    """What does not fit is forgotten."""
    read_records(s, new, p)
    new.backlog[p] = 0 if taken_in_all(s) == 0 else s.backlog[p] - readable(s, p)


@fault(breaks="what_is_answered_is_news_no_more")
@edit(response.report_change, "s.changed - {p}", "s.changed")
def change_stays_news():
    """The session does not remember which offsets it reported."""


@fault(breaks="changes_wait_until_they_are_answered")
@edit(response.finish_response, "new.reported = set()", "new.reported = set(); new.changed = set()")
def changes_end_with_the_response():
    """What changed after a partition had its turn is forgotten when the response is sent."""


@fault(breaks="everybody_has_one_turn")
@edit(response.read_records, "s.to_visit[1:]", "s.to_visit[1:] + (p,)")
def list_is_rotated_while_it_is_visited():
    """What goes to the tail of the list is met there again by the same response."""


@fault(breaks="every_response_begins_empty")
@edit(response.finish_response, "{p: 0 for p in Partition}", "s.taken")
def limit_is_for_the_session():
    """What a response has taken is counted in those that follow."""


@fault(replaces=finish_response, breaks="every_response_ends")
def empty_response_is_never_sent(s: FetchResponse, new: FetchResponse):
    """A response with nothing in it waits for something: the list is visited again and again."""
    finish_response(s, new)
    is_empty = taken_in_all(s) == 0 and len(s.reported) == 0
    new.to_visit = s.order if is_empty else None
