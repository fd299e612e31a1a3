"""A KIP-630 snapshot as a file: a header, the records, a footer, and how much of it is written."""

from enum import Enum

from lockstep import Domain, Range, Record, Sequence
from models.snapshot_id import MAX_EPOCH, MAX_OFFSET, Epoch, OffsetAndEpoch

RecordEpoch: Domain = Range(1, MAX_EPOCH)
Records: Domain = Sequence[RecordEpoch, MAX_OFFSET]
"""The epochs in which records were written: with their offsets, that is which records they are."""

HEADER = 0
FOOTER = MAX_EPOCH + 1

Batch: Domain = Range(HEADER, FOOTER)
"""A batch of a file: its header, its footer, or a record of the epoch between."""

Batches: Domain = Sequence[Batch, MAX_OFFSET + 2]
Length: Domain = Range(0, MAX_OFFSET + 2)


class Stage(Enum):
    """What the last step of writing a file was."""

    CREATED = 0
    HEADER = 1
    RECORDS = 2
    FOOTER = 3
    FLUSHED = 4


class Part(Record):
    """A .checkpoint.part file: the snapshot that it is to become, and how far it has got."""

    id: OffsetAndEpoch
    records: Records
    stage: Stage


class Snapshot(Record):
    """A .checkpoint file; its end offset is the place where it is kept."""

    epoch: Epoch
    batches: Batches
    flushed: bool  # the file's content is on the disk
    named: bool  # and so is its name in the directory


def written(part):
    """The batches of a file at its stage."""
    if part.stage == Stage.CREATED:
        return ()
    if part.stage == Stage.HEADER:
        return (HEADER,)
    if part.stage == Stage.RECORDS:
        return (HEADER,) + part.records
    return (HEADER,) + part.records + (FOOTER,)


def is_whole(batches):
    """Whether a file has its header first and its footer last."""
    return len(batches) >= 2 and batches[0] == HEADER and batches[-1] == FOOTER


def content(snapshot):
    """The records in a whole file; none without a file."""
    return () if snapshot is None else snapshot.batches[1:-1]
