"""Lemmas about the leaders of several partitions: invariants that only help proofs."""

from lockstep import lemma, when
from models.partition_leaders import Partition, PartitionLeaders


@lemma
def only_a_request_is_answered(s: PartitionLeaders, p: Partition):
    """There is no answer without a request."""
    when(s.answers[p] is not None)
    return s.requested[p]
