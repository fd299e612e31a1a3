"""Lemmas about the order of partitions in responses: invariants that only help proofs."""

from invariants.fetch_response import messages
from lockstep import lemma, when
from models.fetch_response import PARTITIONS, FetchResponse, Partition

# What proofs need besides.


def ahead_of(s: FetchResponse, p):
    """How many partitions come before p in the list."""
    return sum(i for i in range(len(s.order)) if s.order[i] == p)


@lemma
def every_partition_is_listed_once(s: FetchResponse):
    """The list begins with every partition, and what is done to it only moves them."""
    return len(s.order) == len(PARTITIONS) and all(p in s.order for p in Partition)


@lemma
def visits_follow_the_list(s: FetchResponse):
    """Partitions still to visit keep the list's order: only those visited move to the tail."""
    when(s.to_visit is not None)
    return s.to_visit == tuple(p for p in s.order if p in s.to_visit)


@lemma
def nothing_is_taken_before_the_visit(s: FetchResponse, p: Partition):
    """A partition is answered when it is visited, and the visit is over at once."""
    when(s.to_visit is not None and p in s.to_visit)
    return s.taken[p] == 0 and p not in s.reported


@lemma
def due_partitions_have_messages(s: FetchResponse, p: Partition):
    """Who had messages when the response was begun has them until they are read."""
    when(p in s.due and s.taken[p] == 0)
    return s.backlog[p] > 0


@lemma
def only_a_fuller_response_leaves_out(s: FetchResponse, p: Partition):
    """A partition with messages is passed over only when others' are in the response: the first
    message is returned whatever its size."""
    when(s.to_visit is not None and p not in s.to_visit and p in s.due)
    return messages(s) > 0


@lemma
def waiting_is_paid_back_in_places(s: FetchResponse, p: Partition):
    """Those left out move up the list: each response takes records of some partition, those
    ahead come first, and those read go behind. So nobody waits longer than there are places
    ahead."""
    when(s.to_visit is None or (p in s.due and s.taken[p] == 0))
    left_out = 1 if s.to_visit is not None and messages(s) > 0 else 0
    return s.waited[p] + left_out + ahead_of(s, p) < len(PARTITIONS)
