"""Snapshot ids, and the names that Apache Kafka gives to the files of snapshots (KIP-630).

A snapshot has the name `<end offset>-<epoch>.checkpoint`, of twenty and ten digits. What follows
`.checkpoint` marks a file that is no snapshot yet, or no longer: `.part` while it is written,
`.deleted` while its deletion waits. Kafka puts digits of its own choice between id and
`.checkpoint.part`, so that two writers never share a file.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

OFFSET_DIGITS = 20
EPOCH_DIGITS = 10
SUFFIX = ".checkpoint"

_LARGEST_OFFSET = 2**63 - 1
_LARGEST_EPOCH = 2**31 - 1
_NAME = re.compile(
    rf"(?P<offset>[0-9]{{{OFFSET_DIGITS}}})-(?P<epoch>[0-9]{{{EPOCH_DIGITS}}})"
    rf"(?:{re.escape(SUFFIX)}(?P<deleted>\.deleted)?|(?:-[0-9]+)?{re.escape(SUFFIX)}(?P<part>\.part))"
)
_CLAIMS = re.compile(rf"{re.escape(SUFFIX)}(?:\.part|\.deleted)?$")


class NotASnapshotName(ValueError):
    """The name claims to be a snapshot's, by its suffix, and is not of that form."""


class SnapshotId(NamedTuple):
    """How far a snapshot goes.

    As a tuple it sorts by the offset first, like the names of files. That one snapshot is *newer*
    than another is a matter of the epoch first; of the snapshots of one log both orders are one.
    """

    end_offset: int
    """One past the last record of the log that it includes: 0 to 2^63 - 1."""
    epoch: int
    """That of the last record: 0 to 2^31 - 1."""

    def __str__(self) -> str:
        return f"({self.end_offset}, {self.epoch})"


class Stage(Enum):
    """What a file is, by its name."""

    PART = "part"
    """Being written, or left behind by a crash."""
    WHOLE = "whole"
    DELETED = "deleted"
    """Waiting to be removed."""


class SnapshotName(NamedTuple):
    """What the name of a file says."""

    id: SnapshotId
    stage: Stage


def snapshot_name(of: SnapshotId) -> str:
    """The file name of a whole snapshot. Raises `ValueError` for an id out of its ranges."""
    if not 0 <= of.end_offset <= _LARGEST_OFFSET:
        raise ValueError(f"end offset {of.end_offset} is not from 0 to {_LARGEST_OFFSET}")
    if not 0 <= of.epoch <= _LARGEST_EPOCH:
        raise ValueError(f"epoch {of.epoch} is not from 0 to {_LARGEST_EPOCH}")
    return f"{of.end_offset:0{OFFSET_DIGITS}}-{of.epoch:0{EPOCH_DIGITS}}{SUFFIX}"


def parse_name(name: str) -> SnapshotName | None:
    """What a file name says; None for a name that does not claim to be a snapshot's.

    Raises `NotASnapshotName` for one that does and is not of the form, or out of the ranges.
    """
    if not _CLAIMS.search(name):
        return None
    match = _NAME.fullmatch(name)
    if match is None:
        form = f"{OFFSET_DIGITS} digits, a hyphen, {EPOCH_DIGITS} digits, {SUFFIX}"
        raise NotASnapshotName(f"the name is not of the form {form}")
    identity = SnapshotId(int(match["offset"]), int(match["epoch"]))
    if identity.end_offset > _LARGEST_OFFSET or identity.epoch > _LARGEST_EPOCH:
        raise NotASnapshotName("the end offset is no int64, or the epoch no int32")
    if match["part"]:
        return SnapshotName(identity, Stage.PART)
    return SnapshotName(identity, Stage.DELETED if match["deleted"] else Stage.WHOLE)
