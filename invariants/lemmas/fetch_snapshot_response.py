"""Lemmas about the shares of FetchSnapshot responses: invariants that only help proofs."""

from lockstep import lemma, when
from models.fetch_snapshot_response import (
    Error,
    FetchSnapshotResponse,
    Partition,
    error_of,
    given_to,
    kept_for,
    left_of,
    response_max_bytes,
)

# What proofs need besides.


def spoken_for(s: FetchSnapshotResponse):
    """What is given, and what is kept for those that have had no turn."""
    return sum(given_to(s, p) + kept_for(s, p) for p in Partition)


@lemma
def answers_are_of_use(s: FetchSnapshotResponse, p: Partition):
    """A partition gets an error, or gets no more than there is."""
    when(s.answers[p] is not None)
    return (
        s.asked[p] is not None
        and s.answers[p].error == error_of(s.asked[p])
        and (s.answers[p].error == Error.NONE or s.answers[p].units == 0)
        and s.answers[p].units <= left_of(s, p)
    )


@lemma
def what_is_kept_fits(s: FetchSnapshotResponse):
    """The averages together are no more than the limit, and what is given beyond an average was
    kept for nobody."""
    when(s.building)
    return spoken_for(s) <= response_max_bytes()


@lemma
def who_waits_leaves_nothing_over(s: FetchSnapshotResponse, p: Partition):
    """A partition gets less than it could use only if all the rest is given or kept."""
    when(s.answers[p] is not None and given_to(s, p) < left_of(s, p))
    return spoken_for(s) == response_max_bytes()
