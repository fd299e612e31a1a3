"""Lemmas about KIP-630 offsets: invariants that only help proofs."""

from lockstep import lemma
from models.snapshot_offsets import SnapshotOffsets, latest


@lemma
def waiting_snapshot_ends_beyond_the_log(s: SnapshotOffsets):
    """A snapshot is fetched only when the log ends before it, and nothing moves until the reset."""
    return not s.unapplied or latest(s) > s.log_end
