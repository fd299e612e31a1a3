"""KIP-41 max.poll.records: a consumer's fetcher, and the order in which polls drain its buffer.

A fetch of a partition that is over waits in line, in order of arrival. A poll goes through the line
and returns at most `MAX_POLL_RECORDS` records. The rule is greedy: the partition at the head is
drained before the next one is begun, and the next poll begins where the last one left off (see
models/proposals/fair_consumption for what KIP-387 puts in its place).

Apache Kafka's names: what is `buffered` of a partition is its `CompletedFetch`, `line` is
`FetchBuffer.completedFetches` with `nextInLineFetch` at its head, and `position` is that of
`SubscriptionState`.

Offsets are read modulo `OFFSETS`, so that records never come to an end. The environment acts
between two polls (387-D6).
"""

from enum import Enum

from lockstep import (
    Constant,
    Domain,
    Map,
    OneOf,
    Range,
    Record,
    Sequence,
    State,
    action,
    present,
    replace,
    require,
)

PARTITIONS: Constant = ("p1", "p2")

WATCHED: Constant = "p1"
"""The partition whose waiting is counted. The rules treat all partitions alike."""

MAX_POLL_RECORDS: Constant = 2
"""max.poll.records: 500 in Kafka."""

MAX_FETCH_RECORDS: Constant = 4
"""The most records that one fetch brings of a partition: max.partition.fetch.bytes in Kafka."""

OFFSETS: Constant = 2

LONGEST_WAIT: Constant = 2
"""The most polls in a row that may pass a partition over which has records to return."""

PREFETCHING: Constant = True
"""Whether fetches come in while polls still return the rest of another one."""

UNREADABLE: Constant = False
"""Whether a fetch may bring records that cannot be parsed (387-D4)."""

Partition: Domain = OneOf(PARTITIONS)
Offset: Domain = Range(0, OFFSETS - 1)
FetchedRecords: Domain = Range(0, MAX_FETCH_RECORDS)
SomeRecords: Domain = Range(1, MAX_FETCH_RECORDS)
Ahead: Domain = Range(0, 1)
PolledRecords: Domain = Range(0, MAX_POLL_RECORDS)
Polls: Domain = Range(0, LONGEST_WAIT + 1)
Line: Domain = Sequence[Partition, len(PARTITIONS)]


class Status(Enum):
    REVOKED = 0
    ASSIGNED = 1
    PAUSED = 2


class Fetch(Record):
    """What one fetch brought of a partition, and no poll has returned yet."""

    first: Offset
    count: FetchedRecords
    failed: bool  # it cannot be parsed; without records it is an error of the broker's
    begun: bool  # a poll left off in it


class FairConsumption(State):
    status: Map[Partition, Status] = {p: Status.ASSIGNED for p in Partition}
    # The offset that the consumer wants next.
    position: Map[Partition, Offset] = {p: 0 for p in Partition}
    buffered: Map[Partition, Fetch | None] = {p: None for p in Partition}
    line: Line = ()
    # The poll that is under way, and how many records it has of each partition.
    polling: bool = False
    returned: Map[Partition, PolledRecords] = {p: 0 for p in Partition}
    # The partition whose error the last poll raised.
    raised: Partition | None = None
    # What really happened; the fetcher never looks at it.
    due: Map[Partition, Offset] = {p: 0 for p in Partition}  # after all that was returned
    waited: Polls = 0  # in a row, by the partition that is watched


def later(offset, count):
    return (offset + count) % OFFSETS


# The line.


def arrived(s: FairConsumption, p):
    """The line after a fetch of p has come in."""
    return s.line + (p,)


def left_off(s: FairConsumption):
    """The line after a poll that returned a part of its head: the next poll begins there."""
    return s.line


def after_unreadable(s: FairConsumption):
    """The line after a poll that could not parse its head: the next poll tries again."""
    return s.line


# Fetches come in: of a partition that is wanted, and has nothing buffered.


def may_be_fetched(s: FairConsumption, p):
    return (
        s.status[p] == Status.ASSIGNED
        and s.buffered[p] is None
        and (PREFETCHING or not any(has_records(s, q) and s.buffered[q].begun for q in Partition))
    )


def come_in(s: FairConsumption, new: FairConsumption, p, count, failed):
    require(not s.polling and may_be_fetched(s, p))
    new.buffered[p] = Fetch(first=s.position[p], count=count, failed=failed, begun=False)
    new.line = arrived(s, p)


@action
def fetch(s: FairConsumption, new: FairConsumption, p: Partition, count: SomeRecords):
    """A fetch brings records of a partition."""
    come_in(s, new, p, count, False)


@action
def fetch_error(s: FairConsumption, new: FairConsumption, p: Partition):
    """A fetch brings an error instead, such as TOPIC_AUTHORIZATION_FAILED."""
    come_in(s, new, p, 0, True)


@action
def fetch_unreadable(s: FairConsumption, new: FairConsumption, p: Partition):
    """A fetch brings records that cannot be parsed."""
    require(UNREADABLE)
    come_in(s, new, p, 1, True)


# The application pauses and resumes partitions; the group revokes and assigns them.


def withdraw(s: FairConsumption, new: FairConsumption, p, status):
    """No poll may return records of p any more: whatever p has waited is over."""
    require(not s.polling)
    new.status[p] = status
    new.waited = 0 if p == WATCHED else s.waited


@action
def pause(s: FairConsumption, new: FairConsumption, p: Partition):
    require(s.status[p] == Status.ASSIGNED)
    withdraw(s, new, p, Status.PAUSED)


@action
def resume(s: FairConsumption, new: FairConsumption, p: Partition):
    require(not s.polling and s.status[p] == Status.PAUSED)
    new.status[p] = Status.ASSIGNED


@action
def revoke(s: FairConsumption, new: FairConsumption, p: Partition):
    """A partition goes to another consumer. What is buffered of it stays until a poll reaches it
    (387-D7)."""
    require(s.status[p] != Status.REVOKED)
    withdraw(s, new, p, Status.REVOKED)


@action
def assign(s: FairConsumption, new: FairConsumption, p: Partition, ahead: Ahead):
    """A partition comes back, after another consumer has taken some of its records or none."""
    require(not s.polling and s.status[p] == Status.REVOKED)
    new.status[p] = Status.ASSIGNED
    new.position[p] = later(s.due[p], ahead)
    new.due[p] = later(s.due[p], ahead)


# A poll.


def is_wanted(s: FairConsumption, p):
    """What is buffered of p is what the consumer wants next of it."""
    return s.status[p] != Status.REVOKED and s.buffered[p].first == s.position[p]


def is_held_back(s: FairConsumption, p):
    """What is buffered of p stays where it is, since p is paused."""
    return is_wanted(s, p) and not s.buffered[p].failed and s.status[p] == Status.PAUSED


def room(s: FairConsumption):
    """How many records the poll may still return."""
    return MAX_POLL_RECORDS - sum(s.returned[p] for p in Partition)


def goes_on(s: FairConsumption):
    """The poll has room, and something in line is not held back."""
    return s.polling and room(s) > 0 and any(not is_held_back(s, p) for p in s.line)


def has_records(s: FairConsumption, p):
    """A poll could return records of p."""
    return (
        s.buffered[p] is not None
        and is_wanted(s, p)
        and not s.buffered[p].failed
        and s.status[p] != Status.PAUSED
    )


def allowed(s: FairConsumption):
    """How many records the poll may return of the partition at the head of the line."""
    return min(room(s), s.buffered[s.line[0]].count)


def end_poll(s: FairConsumption, new: FairConsumption, raised):
    """The poll returns to the application. A poll that could have returned records of the watched
    partition, and did not, has passed it over."""
    new.polling = False
    new.raised = raised
    new.returned = {p: 0 for p in Partition}
    passed_over = s.returned[WATCHED] == 0 and has_records(s, WATCHED)
    new.waited = min(s.waited + 1, LONGEST_WAIT + 1) if passed_over else 0


@action
def start_poll(s: FairConsumption, new: FairConsumption):
    """The application calls poll()."""
    require(not s.polling)
    new.polling = True
    new.raised = None


@action
def discard(s: FairConsumption, new: FairConsumption):
    """The head of the line is of a partition that was revoked, or not what is wanted of it now."""
    require(goes_on(s) and not is_wanted(s, s.line[0]))
    new.buffered[s.line[0]] = None
    new.line = s.line[1:]


@action
def set_aside(s: FairConsumption, new: FairConsumption):
    """The head of the line is paused: it goes to the end, as if it had just come in (387-D5)."""
    require(goes_on(s) and is_held_back(s, s.line[0]))
    new.buffered[s.line[0]] = replace(s.buffered[s.line[0]], begun=False)
    new.line = s.line[1:] + (s.line[0],)


def give(s: FairConsumption, new: FairConsumption, count):
    """The application gets the first records of the head of the line."""
    p = s.line[0]
    new.position[p] = later(s.position[p], count)
    new.returned[p] = s.returned[p] + count
    new.due[p] = later(s.buffered[p].first, count)


@action
def return_all(s: FairConsumption, new: FairConsumption):
    """The poll has room for all records of the head of the line."""
    require(goes_on(s) and has_records(s, s.line[0]))
    require(allowed(s) == s.buffered[s.line[0]].count)
    give(s, new, allowed(s))
    new.buffered[s.line[0]] = None
    new.line = s.line[1:]


@action
def return_part(s: FairConsumption, new: FairConsumption):
    """The poll has room for some records of the head of the line; the rest stays buffered."""
    require(goes_on(s) and has_records(s, s.line[0]))
    rest = s.buffered[s.line[0]]
    require(allowed(s) < rest.count)
    give(s, new, allowed(s))
    new.buffered[s.line[0]] = replace(
        rest, first=later(rest.first, allowed(s)), count=rest.count - allowed(s), begun=True
    )
    new.line = left_off(s)


def is_erring(s: FairConsumption):
    return goes_on(s) and is_wanted(s, s.line[0]) and s.buffered[s.line[0]].failed


@action
def raise_error(s: FairConsumption, new: FairConsumption):
    """The head of the line is an error without records, and the poll has nothing to return: it
    raises, and the error is gone (387-D3)."""
    require(is_erring(s) and room(s) == MAX_POLL_RECORDS)
    require(s.buffered[s.line[0]].count == 0)
    new.buffered[s.line[0]] = None
    new.line = s.line[1:]
    end_poll(s, new, s.line[0])


@action
def raise_unreadable(s: FairConsumption, new: FairConsumption):
    """The head of the line cannot be parsed, and the poll has nothing to return: it raises, and
    the records stay buffered."""
    require(is_erring(s) and room(s) == MAX_POLL_RECORDS)
    require(s.buffered[s.line[0]].count > 0)
    new.line = after_unreadable(s)
    end_poll(s, new, s.line[0])


@action
def return_before_error(s: FairConsumption, new: FairConsumption):
    """The head of the line cannot be parsed: the poll returns what it has, and the next one
    raises."""
    require(is_erring(s) and room(s) < MAX_POLL_RECORDS)
    end_poll(s, new, None)


@action
def finish(s: FairConsumption, new: FairConsumption):
    """The poll is full, or nothing is left to return."""
    require(s.polling and not goes_on(s))
    end_poll(s, new, None)


@action
def seek_past(s: FairConsumption, new: FairConsumption, p: Partition):
    """The application skips the record that could not be parsed."""
    require(not s.polling and s.raised == p and s.status[p] != Status.REVOKED)
    rest = present(s.buffered[p])
    require(rest.failed and rest.count > 0)
    new.position[p] = later(s.position[p], 1)
    new.due[p] = later(s.due[p], 1)
    new.raised = None
