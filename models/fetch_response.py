"""KIP-227 responses under a size limit: at least one message, and nobody starves.

One session's list of partitions. The leader goes through the list once a response: it reads
records while there is room, reports changed offsets besides, and moves a partition to the end of
the list when it returned records of it. Backlogs are counted in messages of equal size.
"""

from lockstep import Constant, Domain, Map, OneOf, Range, Sequence, Set, State, action, require

PARTITIONS: Constant = ("p1", "p2")

MAX_BACKLOG: Constant = 2
"""The most messages that wait in one partition."""

MESSAGE_BYTES: Constant = 1
LIMIT: Constant = 2
"""The most bytes in a response; the first message is returned even if it is larger."""

PARTITION_LIMIT: Constant = 2
"""The most bytes of one partition in a response, with the same exception."""

Partition: Domain = OneOf(PARTITIONS)
Messages: Domain = Range(0, MAX_BACKLOG)
Order: Domain = Sequence[Partition, len(PARTITIONS)]
Wait: Domain = Range(0, len(PARTITIONS))


class FetchResponse(State):
    # The leader's view of the session's partitions.
    order: Order = PARTITIONS
    backlog: Map[Partition, Messages] = {p: 0 for p in Partition}
    changed: Set[Partition] = set()
    # The response that is being built: the partitions still to visit, None between responses.
    to_visit: Order | None = None
    taken: Map[Partition, Messages] = {p: 0 for p in Partition}
    reported: Set[Partition] = set()
    # For the reader: who had data when the response was begun, and how many responses each
    # partition with data has been left out of.
    due: Set[Partition] = set()
    waited: Map[Partition, Wait] = {p: 0 for p in Partition}


@action
def append(s: FetchResponse, new: FetchResponse, p: Partition):
    """A message arrives."""
    require(s.backlog[p] < MAX_BACKLOG)
    new.backlog[p] = s.backlog[p] + 1


@action
def change_offsets(s: FetchResponse, new: FetchResponse, p: Partition):
    """The high watermark or the log start offset moves."""
    require(p not in s.changed)
    new.changed = s.changed | {p}


@action
def begin_response(s: FetchResponse, new: FetchResponse):
    """Start at the head of the list, with all the room there is."""
    require(s.to_visit is None)
    new.to_visit = s.order
    new.due = {p for p in Partition if s.backlog[p] > 0}


def taken_in_all(s: FetchResponse):
    return sum(s.taken[p] for p in Partition)


def room(s: FetchResponse):
    """How many more messages fit into the response; the limit may be exceeded already."""
    return max(0, LIMIT - taken_in_all(s) * MESSAGE_BYTES) // MESSAGE_BYTES


def readable(s: FetchResponse, p):
    """How many messages of a partition go into the response (227-D34)."""
    fitting = min(room(s), PARTITION_LIMIT // MESSAGE_BYTES)
    if s.backlog[p] > 0 and taken_in_all(s) == 0 and fitting == 0:
        return 1
    return min(s.backlog[p], fitting)


def is_visiting(s: FetchResponse, p):
    return s.to_visit is not None and len(s.to_visit) > 0 and s.to_visit[0] == p


def to_the_tail(order, p):
    return tuple(q for q in order if q != p) + (p,)


@action
def read_records(s: FetchResponse, new: FetchResponse, p: Partition):
    """The partition at hand has records, and there is room for some: it goes to the tail."""
    require(is_visiting(s, p) and readable(s, p) > 0)
    new.taken[p] = readable(s, p)
    new.backlog[p] = s.backlog[p] - readable(s, p)
    new.changed = s.changed - {p}
    new.order = to_the_tail(s.order, p)
    new.to_visit = s.to_visit[1:]


@action
def report_change(s: FetchResponse, new: FetchResponse, p: Partition):
    """No records go in, but the partition's offsets changed: it keeps its place
    (227-D33, 227-D35)."""
    require(is_visiting(s, p) and readable(s, p) == 0 and p in s.changed)
    new.changed = s.changed - {p}
    new.reported = s.reported | {p}
    new.order = s.order
    new.to_visit = s.to_visit[1:]


@action
def pass_over(s: FetchResponse, new: FetchResponse, p: Partition):
    """The partition at hand has nothing to say, or nothing that fits."""
    require(is_visiting(s, p) and readable(s, p) == 0 and p not in s.changed)
    new.to_visit = s.to_visit[1:]


@action
def finish_response(s: FetchResponse, new: FetchResponse):
    """Every partition was visited: the response is sent."""
    require(s.to_visit is not None and len(s.to_visit) == 0)
    new.to_visit = None
    new.taken = {p: 0 for p in Partition}
    new.reported = set()
    new.due = set()
    new.waited = {
        p: min(s.waited[p] + 1, len(PARTITIONS)) if p in s.due and s.taken[p] == 0 else 0
        for p in Partition
    }
