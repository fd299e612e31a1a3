"""Mistakes in building responses. Those with a source really happened."""

from lockstep import fault, require
from models.fetch_response import (
    LIMIT,
    MESSAGE_BYTES,
    PARTITION_LIMIT,
    FetchResponse,
    Partition,
    after_report,
    finish_response,
    is_visiting,
    read_records,
    readable,
    report_change,
    room,
    taken_in_all,
    to_the_tail,
    visiting_order,
)


@fault(replaces=after_report, breaks="only_records_move_to_the_tail", source="KAFKA-12330")
def any_response_moves_to_tail(order, p):
    """A partition goes to the tail whenever it is in a response, with or without records."""
    return to_the_tail(order, p)


@fault(replaces=to_the_tail, breaks="records_move_to_the_tail")
def list_is_never_rotated(order, p):
    """The order is always the same."""
    return order


@fault(
    replaces=visiting_order,
    breaks="waits_at_most_as_many_responses_as_there_are_others",
    constants={"LIMIT": 1},
)
def list_is_visited_from_the_tail(order):
    """Whoever was served last is served first again."""
    return (order[-1],) + tuple(p for p in order if p != order[-1])


@fault(
    replaces=readable,
    breaks="returns_at_least_one_message",
    constants={"MESSAGE_BYTES": 4},
)
def limit_without_exception(s: FetchResponse, p):
    """A first message that is larger than the limit is not returned."""
    return min(s.backlog[p], room(s), PARTITION_LIMIT // MESSAGE_BYTES)


@fault(replaces=room, breaks="keeps_within_the_limit")
def limit_counted_anew_for_each_partition(s: FetchResponse):
    """What other partitions have taken is not counted."""
    return LIMIT // MESSAGE_BYTES


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


@fault(replaces=report_change, breaks="what_is_answered_is_news_no_more")
def change_stays_news(s: FetchResponse, new: FetchResponse, p: Partition):
    """The session does not remember which offsets it reported."""
    report_change(s, new, p)
    new.changed = s.changed


@fault(replaces=read_records, breaks="everybody_has_one_turn")
def list_is_rotated_while_it_is_visited(s: FetchResponse, new: FetchResponse, p: Partition):
    """What goes to the tail of the list is met there again by the same response."""
    read_records(s, new, p)
    new.to_visit = s.to_visit[1:] + (p,)


@fault(replaces=finish_response, breaks="every_response_begins_empty")
def limit_is_for_the_session(s: FetchResponse, new: FetchResponse):
    """What a response has taken is counted in those that follow."""
    finish_response(s, new)
    new.taken = s.taken


@fault(replaces=finish_response, breaks="every_response_ends")
def empty_response_is_never_sent(s: FetchResponse, new: FetchResponse):
    """A response with nothing in it waits for something: the list is visited again and again."""
    finish_response(s, new)
    is_empty = taken_in_all(s) == 0 and len(s.reported) == 0
    new.to_visit = visiting_order(s.order) if is_empty else None
