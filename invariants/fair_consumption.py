"""What must hold of a consumer's fetcher (KIP-41, KIP-387). Ids are rows of specs/kip_387.toml."""

from lockstep import each, invariant, leads_to, sometimes, step_invariant, when
from models.fair_consumption import (
    LONGEST_WAIT,
    MAX_POLL_RECORDS,
    OFFSETS,
    WATCHED,
    FairConsumption,
    Partition,
    Status,
    assign,
    discard,
    fetch,
    finish,
    raise_error,
    raise_unreadable,
    resume,
    return_all,
    return_before_error,
    return_part,
    set_aside,
    start_poll,
)

POLLING = (
    start_poll,
    discard,
    set_aside,
    return_all,
    return_part,
    raise_error,
    raise_unreadable,
    return_before_error,
    finish,
)
"""The application polls again, and every poll ends."""


def is_current(s: FairConsumption, p):
    """Something is buffered of p, at the offset that p's consumer is at."""
    return (
        s.buffered[p] is not None
        and s.status[p] != Status.REVOKED
        and s.buffered[p].first == s.position[p]
    )


def is_returnable(s: FairConsumption, p):
    """Records of p are buffered, at the offset that p's consumer is at, and p is not paused."""
    return is_current(s, p) and s.status[p] == Status.ASSIGNED and not s.buffered[p].failed


def ends(s: FairConsumption, new: FairConsumption):
    """A poll returns, or raises."""
    return s.polling and not new.polling


def gain(s: FairConsumption, new: FairConsumption, p):
    """How many records of p the application gets in a step."""
    return max(new.returned[p] - s.returned[p], 0)


@step_invariant("387-1")
def records_are_returned_once_and_in_order(s: FairConsumption, new: FairConsumption, p: Partition):
    """What is returned of a partition begins with the record after the last one returned."""
    when(gain(s, new, p) > 0)
    return (
        s.buffered[p] is not None
        and s.buffered[p].first == s.due[p]
        and new.due[p] == (s.due[p] + gain(s, new, p)) % OFFSETS
    )


@invariant("387-1")
def position_is_after_what_was_returned(s: FairConsumption, p: Partition):
    """The consumer wants next what comes after the last record returned."""
    when(s.status[p] != Status.REVOKED)
    return s.position[p] == s.due[p]


@invariant("387-2")
def poll_returns_at_most_max_poll_records(s: FairConsumption):
    """A poll returns max.poll.records at most, whatever number of partitions they are of."""
    return sum(s.returned[p] for p in Partition) <= MAX_POLL_RECORDS


@step_invariant("387-2")
def poll_returns_what_there_is(s: FairConsumption, new: FairConsumption):
    """A poll that returns fewer records leaves none behind, but for those behind an error; and that
    it leaves to the next poll only if it returns records."""
    count = sum(s.returned[p] for p in Partition)
    when(ends(s, new) and new.raised is None and count < MAX_POLL_RECORDS)
    has_error = any(is_current(s, p) and s.buffered[p].failed for p in Partition)
    return count > 0 if has_error else not any(is_returnable(s, p) for p in Partition)


@step_invariant("387-1")
def only_assigned_partitions_are_returned(s: FairConsumption, new: FairConsumption, p: Partition):
    """Nothing is returned of a partition that is paused or was revoked."""
    when(gain(s, new, p) > 0)
    return s.status[p] == Status.ASSIGNED


@step_invariant("387-1")
def new_partition_is_not_paused(s: FairConsumption, new: FairConsumption, p: Partition):
    """A partition that is assigned again can be returned, whether it was paused before or not."""
    when(s.status[p] == Status.REVOKED)
    return new.status[p] != Status.PAUSED


@step_invariant("387-1")
def paused_partition_keeps_its_records(s: FairConsumption, new: FairConsumption, p: Partition):
    """What is buffered of a paused partition is there when it is resumed."""
    when(s.status[p] == Status.PAUSED and is_current(s, p) and not s.buffered[p].failed)
    return (
        new.buffered[p] is not None
        and new.buffered[p].first == s.buffered[p].first
        and new.buffered[p].count == s.buffered[p].count
    )


@step_invariant("387-3", "387-8")
def records_stay_buffered_until_returned(s: FairConsumption, new: FairConsumption, p: Partition):
    """What a poll leaves of a fetch is there for the next one, which begins where it left off."""
    when(is_returnable(s, p))
    count = s.buffered[p].count - gain(s, new, p)
    return (new.buffered[p] is None and count == 0) or (
        new.buffered[p] is not None
        and new.buffered[p].count == count > 0
        and new.buffered[p].first == (s.buffered[p].first + gain(s, new, p)) % OFFSETS
    )


@step_invariant("387-3")
def partition_is_drained_before_the_next(
    s: FairConsumption, new: FairConsumption, p: Partition, q: Partition
):
    """A poll goes on to another partition when nothing is left of the one before."""
    when(p != q and gain(s, new, p) > 0 and s.returned[q] > 0)
    return s.buffered[q] is None


@step_invariant("387-3")
def poll_begins_where_the_last_left_off(
    s: FairConsumption, new: FairConsumption, p: Partition, q: Partition
):
    """The first records of a poll are of the partition that the last one left off in."""
    when(is_returnable(s, q) and s.buffered[q].begun)
    when(gain(s, new, p) > 0 and all(s.returned[r] == 0 for r in Partition))
    return p == q


@step_invariant("387-10", "387-11")
def error_blocks_no_other(s: FairConsumption, new: FairConsumption, p: Partition):
    """An error that was raised is not before the records of another partition in line: the next
    poll does not raise it again, and again, while these wait."""
    when(ends(s, new) and new.raised is not None and is_returnable(s, p))
    return not any(
        new.line[i] == new.raised and new.line[j] == p
        for j in range(len(new.line))
        for i in range(j)
    )


@step_invariant("387-10")
def error_without_records_is_raised_once(s: FairConsumption, new: FairConsumption, p: Partition):
    """What is raised is an error of a partition that is wanted, by a poll that has no records to
    return; and it goes then, unless records came with it."""
    when(ends(s, new) and new.raised == p)
    return (
        all(s.returned[q] == 0 for q in Partition)
        and is_current(s, p)
        and s.buffered[p].failed
        and (s.buffered[p].count > 0) == (new.buffered[p] is not None)
    )


@step_invariant("387-10")
def errors_are_raised(s: FairConsumption, new: FairConsumption, p: Partition):
    """An error of a partition that is wanted does not go unless it is raised."""
    when(is_current(s, p) and s.buffered[p].failed)
    return new.buffered[p] is not None or (ends(s, new) and new.raised == p)


@step_invariant("387-1")
def fetch_is_of_a_partition_without_records(s: FairConsumption, new: FairConsumption, p: Partition):
    """Only a partition that is assigned, not paused, and has nothing buffered is fetched, from the
    consumer's position."""
    when(not s.polling and new.buffered[p] != s.buffered[p])
    return (
        s.buffered[p] is None
        and s.status[p] == Status.ASSIGNED
        and new.buffered[p] is not None
        and new.buffered[p].first == s.position[p]
    )


@invariant("387-7")
def line_is_what_is_buffered(s: FairConsumption, p: Partition):
    """A partition is in line once if something is buffered of it, and else not at all."""
    return sum(1 for q in s.line if q == p) == (0 if s.buffered[p] is None else 1)


@invariant("387-10")
def error_is_of_the_last_poll(s: FairConsumption):
    """While a poll is under way, no error was raised by it."""
    when(s.polling)
    return s.raised is None


@step_invariant("387-11")
def waits_are_counted(s: FairConsumption, new: FairConsumption):
    """A poll counts if it could have returned records of the partition, and did not. It is counted
    from the last one that did, or could not."""
    passed_over = is_returnable(s, WATCHED) and s.returned[WATCHED] == 0
    after_poll = min(s.waited + 1, LONGEST_WAIT + 1) if passed_over else 0
    before_poll = s.waited if new.status[WATCHED] == Status.ASSIGNED else 0
    return new.waited == (after_poll if ends(s, new) else before_poll)


@invariant("387-7", "387-11")
def wait_is_bounded(s: FairConsumption):
    """No partition that has records is passed over by more polls in a row than that."""
    return s.waited <= LONGEST_WAIT


@leads_to("387-10", "387-11", weak=POLLING)
def records_come_to_be_returned(s: FairConsumption):
    """A partition that has records is not passed over for ever."""
    return (
        is_returnable(s, WATCHED),
        s.returned[WATCHED] > 0 or not is_returnable(s, WATCHED),
    )


@leads_to("387-11", weak=POLLING, strong=each(fetch, "p"))
def partition_without_records_is_fetched(s: FairConsumption, p: Partition):
    """A partition that has nothing buffered is fetched at last, whatever is buffered of others."""
    return (
        s.status[p] == Status.ASSIGNED and s.buffered[p] is None,
        s.status[p] != Status.ASSIGNED or s.buffered[p] is not None,
    )


@leads_to("387-1", weak=POLLING, strong=(each(assign, "p"), each(resume, "p")))
def partition_can_be_returned_again(s: FairConsumption, p: Partition):
    """A partition that was revoked or paused is one like all others once it is assigned or
    resumed."""
    return s.status[p] != Status.ASSIGNED, s.status[p] == Status.ASSIGNED


@sometimes("387-4")
def longest_wait_is_attained(s: FairConsumption):
    """The bound is a bound that is met."""
    return s.waited == LONGEST_WAIT
