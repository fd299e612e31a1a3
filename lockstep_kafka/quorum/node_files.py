"""The files of a node's metadata partition: what their names say, and the headers of batches.

A record batch has Kafka's format of magic 2: base offset, length, leader epoch, magic, check sum,
attributes and the last offset's distance stand in its first 27 bytes. Nothing behind the header is
read, so that no check sum is computed, and no record decoded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct as Format
from typing import Annotated, BinaryIO, NamedTuple

from msgspec import DecodeError, Meta, Struct
from msgspec import field as renamed
from msgspec.json import Decoder

from lockstep.errors import LockstepError
from lockstep_kafka.files.snapshot_name import NotASnapshotName, SnapshotId, parse_name
from lockstep_kafka.findings import FileFinding

FOLDER = "__cluster_metadata-0"
_STATE = "quorum-state"
_LARGEST_STATE = 2**20
_SEGMENT = re.compile(r"([0-9]{20})\.log")
_HEADER = Format(">qiibIhi")
_BEFORE_LENGTH = 12
_SHORTEST = 61 - _BEFORE_LENGTH
_MAGIC = 2
_IS_CONTROL = 0x20
_LARGEST_OFFSET = 2**63 - 1

_Epoch = Annotated[int, Meta(ge=0, le=2**31 - 1)]
_Replica = Annotated[int, Meta(ge=-1, le=2**31 - 1)]


class QuorumState(Struct, rename="camel", kw_only=True):
    """What a node keeps of elections; fields of its two versions that it does not name are left."""

    leader_id: _Replica
    leader_epoch: _Epoch
    voted_id: _Replica
    data_version: Annotated[int, Meta(ge=0, le=1)] = renamed(name="data_version")


_QUORUM_STATE = Decoder(QuorumState)


class Damaged(ValueError):
    """A file is not as Kafka writes it; the message says where, and why."""


class Batch(NamedTuple):
    """The header of a record batch."""

    position: int
    """Of its first byte in the file."""
    base_offset: int
    last_offset: int
    epoch: int
    is_control: bool


@dataclass(slots=True)
class Log:
    """The log, from the base offset of its first segment on.

    `epochs` has the first offset of each run of records of one epoch, and that epoch. `torn` counts
    the bytes behind its last whole batch.
    """

    start: int
    end: int
    epochs: list[tuple[int, int]] = field(default_factory=list)
    torn: int = 0

    def epoch_at(self, offset: int) -> int | None:
        """The epoch of the record at an offset; None where the log does not have it."""
        found = None
        if self.start <= offset < self.end:
            for first, epoch in self.epochs:
                found = epoch if first <= offset else found
        return found

    @property
    def last_epoch(self) -> int | None:
        """That of the last record; None without any."""
        return self.epochs[-1][1] if self.epochs else None


@dataclass(slots=True)
class NodeFiles:
    """What was read; `damaged` are files that are not as Kafka writes them, with the reasons."""

    directory: Path
    state: QuorumState | None = None
    snapshots: list[SnapshotId] = field(default_factory=list)
    """Those with whole files, by end offset, then by epoch."""
    log: Log | None = None
    damaged: list[FileFinding] = field(default_factory=list)


def read_node(given: Path) -> NodeFiles:
    """The files in a directory, or in its `__cluster_metadata-0`.

    `LockstepError` where neither has a file of a metadata partition.
    """
    directory = given / FOLDER if (given / FOLDER).is_dir() else given
    try:
        names = sorted(os.listdir(directory))
    except OSError as error:
        raise LockstepError(
            f"{given} cannot be read: {error.strerror}",
            cure=f"name the directory {FOLDER} of a node, or the log directory that it is in",
        ) from None
    files = NodeFiles(directory)
    segments = [name for name in names if _SEGMENT.fullmatch(name)]
    snapshots = [name for name in names if name.endswith(".checkpoint")]
    if _STATE not in names and not segments and not snapshots:
        raise LockstepError(
            f"{given} has no file of a metadata partition",
            cure=f"name the directory {FOLDER} of a node, or the log directory that it is in",
        )
    if _STATE in names:
        _state(files)
    for name in snapshots:
        _snapshot(files, name)
    files.snapshots.sort()
    _log(files, segments)
    return files


def _state(files: NodeFiles) -> None:
    try:
        with _opened(files.directory / _STATE) as file:
            files.state = _QUORUM_STATE.decode(file.read(_LARGEST_STATE))
    except (DecodeError, RecursionError) as error:
        _damage(files, _STATE, f"it is no state of a quorum: {error}")
    except Damaged as error:
        _damage(files, _STATE, str(error))
    except OSError as error:
        _damage(files, _STATE, error.strerror or str(error))


def _snapshot(files: NodeFiles, name: str) -> None:
    """A snapshot: batches from offset 0, in the epoch of its id, between a header and a footer."""
    try:
        named = parse_name(name)
        assert named is not None, "the name ends in .checkpoint"
        first = last = None
        expected = 0
        for batch in _batches(files.directory / name):
            if batch.base_offset != expected:
                why = f"a batch begins at offset {batch.base_offset}, {expected} is next"
                raise Damaged(f"byte {batch.position}: {why}")
            if batch.epoch != named.id.epoch:
                why = f"a batch is of epoch {batch.epoch}, the snapshot of {named.id.epoch}"
                raise Damaged(f"byte {batch.position}: {why}")
            first, last, expected = first or batch, batch, batch.last_offset + 1
        if first is None or last is None or not first.is_control:
            raise Damaged("it does not begin with a snapshot's header")
        if last is first or not last.is_control:
            raise Damaged("it does not end with a snapshot's footer")
        files.snapshots.append(named.id)
    except (Damaged, NotASnapshotName) as error:
        _damage(files, name, str(error))
    except OSError as error:
        _damage(files, name, error.strerror or str(error))


def _log(files: NodeFiles, segments: list[str]) -> None:
    """The log that the segments are, as far as they follow each other.

    The last one may end within a batch: a process that dies leaves it so, and cuts it off when it
    starts again.
    """
    for number, name in enumerate(segments):
        base = int(name[:20])
        log = files.log = files.log or Log(base, base)
        is_last = number == len(segments) - 1
        try:
            if base > _LARGEST_OFFSET:
                raise Damaged(f"its name says offset {base}, which no log has")
            if base != log.end:
                raise Damaged(
                    f"it begins at offset {base}, but the segment before ends at {log.end}"
                )
            for batch in _batches(files.directory / name, log if is_last else None):
                if batch.base_offset != log.end:
                    why = f"a batch begins at offset {batch.base_offset}, {log.end} is next"
                    raise Damaged(f"byte {batch.position}: {why}")
                if log.last_epoch != batch.epoch:
                    log.epochs.append((batch.base_offset, batch.epoch))
                log.end = batch.last_offset + 1
        except Damaged as error:
            _damage(files, name, str(error))
            return
        except OSError as error:
            _damage(files, name, error.strerror or str(error))
            return
    if not segments:
        _damage(files, "", "it has no segment of the log")


def _damage(files: NodeFiles, name: str, because: str) -> None:
    files.damaged.append(FileFinding(str(files.directory / name), because))


def _opened(path: Path) -> BinaryIO:
    """A file to read; a pipe, whose other end nobody may ever open, is none."""
    if not path.is_file():
        raise Damaged("it is no regular file")
    return open(path, "rb")


def _batches(path: Path, may_be_torn: Log | None = None) -> Iterator[Batch]:
    """The headers of a file's batches; `Damaged` where it is not batches from end to end.

    A log that may be torn gets the size of the part behind them.
    """
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        position = 0
        while position < size:
            file.seek(position)
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                length = _SHORTEST  # it is not there: the file ends within it
            else:
                base, length, epoch, magic, _, attributes, delta = _HEADER.unpack(header)
                if length < _SHORTEST or magic != _MAGIC or min(base, epoch, delta) < 0:
                    raise Damaged(f"byte {position}: there is no record batch of magic 2")
            if position + _BEFORE_LENGTH + length > size:
                if may_be_torn is not None:
                    may_be_torn.torn = size - position
                    return
                raise Damaged(f"byte {size}: it ends within the batch that begins at {position}")
            last = base + delta
            if last >= _LARGEST_OFFSET:
                raise Damaged(f"byte {position}: the batch ends at offset {last}")
            yield Batch(position, base, last, epoch, bool(attributes & _IS_CONTROL))
            position += _BEFORE_LENGTH + length
