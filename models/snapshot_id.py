"""How far a snapshot or a log goes, and which of two goes further.

KIP-630 calls it a snapshot id; KIP-595 the end offset and the last epoch of a log.
"""

from lockstep import Constant, Domain, Range, Record

MAX_OFFSET: Constant = 3
"""How many records there may be."""

MAX_EPOCH: Constant = 2
"""How many leader epochs there may be; the first is 1, and 0 is that of no record."""

Offset: Domain = Range(0, MAX_OFFSET)
Epoch: Domain = Range(0, MAX_EPOCH)


class OffsetAndEpoch(Record):
    """All records before an offset, the last of which was written in an epoch."""

    end_offset: Offset
    epoch: Epoch


EMPTY = OffsetAndEpoch(end_offset=0, epoch=0)
"""No records at all."""


def is_newer(one, other):
    """Whether one goes further: in epoch, or in the same epoch in offset (KIP-595)."""
    return one.epoch > other.epoch or (
        one.epoch == other.epoch and one.end_offset > other.end_offset
    )


def newer(one, other):
    """The one that goes further."""
    return one if is_newer(one, other) else other
