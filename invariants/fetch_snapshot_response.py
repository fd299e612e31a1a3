"""What must hold of the bytes in a response to FetchSnapshot (KIP-630, "Request Handling")."""

from lockstep import invariant, lemma, sometimes, when
from models.fetch_snapshot_response import (
    LEADER_MAX_BYTES,
    REQUEST_MAX_BYTES,
    Partition,
    average,
    given_to,
    kept_for,
    left_of,
    response_max_bytes,
)


def is_complete(s):
    """The response is built and not sent yet."""
    return s.building and all((s.remaining[p] is None) == (s.given[p] is None) for p in Partition)


def given_in_all(s):
    return sum(given_to(s, p) for p in Partition)


@invariant("630-50")
def keeps_within_both_limits(s):
    """A response is no larger than the request allows, nor than the leader does."""
    when(s.building)
    return given_in_all(s) <= REQUEST_MAX_BYTES and given_in_all(s) <= LEADER_MAX_BYTES


@invariant("630-49")
def gives_no_more_than_is_left(s, p: Partition):
    """A partition gets no bytes that its snapshot does not have."""
    when(s.given[p] is not None)
    return given_to(s, p) <= left_of(s, p)


@invariant("630-51", "630-52")
def gives_the_average_while_there_is_as_much(s, p: Partition):
    """A partition gets at least the average, or all that its snapshot has left."""
    when(s.given[p] is not None)
    return given_to(s, p) >= min(left_of(s, p), average(s))


@invariant("630-53")
def nothing_is_withheld_that_would_fit(s):
    """A response is full, or each of its snapshots is complete."""
    when(is_complete(s))
    return given_in_all(s) == min(response_max_bytes(), sum(left_of(s, p) for p in Partition))


@sometimes("630-53")
def somebody_gets_more_than_the_average(s):
    return any(given_to(s, p) > average(s) for p in Partition) and all(
        s.remaining[p] is not None for p in Partition
    )


@sometimes("630-52")
def somebody_waits(s):
    """The limit is small enough to leave bytes for the next response."""
    return is_complete(s) and any(given_to(s, p) < left_of(s, p) for p in Partition)


# What proofs need besides.


def spoken_for(s):
    """What is given, and what is kept for those that have had no turn."""
    return sum(given_to(s, p) + kept_for(s, p) for p in Partition)


@lemma
def gives_only_to_those_asked_for(s, p: Partition):
    """A partition gets bytes only if the request names it, and while the response is built."""
    when(s.given[p] is not None)
    return s.building and s.remaining[p] is not None


@lemma
def what_is_kept_fits(s):
    """The averages together are no more than the limit, and what is given beyond an average was
    kept for nobody."""
    when(s.building)
    return spoken_for(s) <= response_max_bytes()


@lemma
def who_waits_leaves_nothing_over(s, p: Partition):
    """A partition gets less than it could use only if all the rest is given or kept."""
    when(s.given[p] is not None and given_to(s, p) < left_of(s, p))
    return spoken_for(s) == response_max_bytes()
