"""Snapshots in a directory on a real disk: no crash loses one or leaves half of one (KIP-630).

The order of the steps is the whole of it. A file is flushed before it gets its final name, so that
the name never stands for less than the content; the directory is flushed after, so that the name
is not lost; and nothing is removed before a snapshot that can stand in for it has been read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lockstep_kafka.files.snapshot_name import (
    NotASnapshotName,
    SnapshotId,
    Stage,
    parse_name,
    snapshot_name,
)
from tests.snapshots.snapshot_file import (
    Snapshot,
    SnapshotDamaged,
    encode_snapshot,
    read_snapshot,
)


def part_name(of: SnapshotId) -> str:
    """The name under which a snapshot is written until it is whole."""
    return f"{snapshot_name(of)}.part"


class Disk:
    """The operations that change a disk; a test puts a failing one in its place."""

    def append(self, file: Path, content: bytes) -> None:
        """Write after what the file has; a missing file is created. May stay in memory."""
        with open(file, "ab") as opened:
            opened.write(content)

    def flush(self, file: Path) -> None:
        """The content of the file survives a crash from now on."""
        _flush(file)

    def move(self, source: Path, target: Path) -> None:
        """Give the file another name in its directory, whole or not at all."""
        os.replace(source, target)

    def remove(self, file: Path) -> None:
        """Remove the file."""
        file.unlink()

    def flush_directory(self, directory: Path) -> None:
        """The names in the directory survive a crash from now on."""
        _flush(directory)


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a directory holds once everything that is of no use has been removed."""

    latest: Snapshot | None
    """The one to load: the newest whole one. None when there is no whole one and none is needed."""
    kept: tuple[SnapshotId, ...]
    """Every snapshot that stays, by age, the damaged ones among them."""
    removed: tuple[str, ...]
    """The names of the files that were removed."""
    damaged: tuple[SnapshotDamaged, ...]
    """Newer ones than `latest` that are not whole. Their files stay, for somebody to look at."""


def write_snapshot(
    directory: Path,
    of: SnapshotId,
    batches: Iterable[Sequence[bytes]],
    *,
    last_contained_log_timestamp: int,
    written_ms: int,
    disk: Disk | None = None,
) -> Path:
    """Write a snapshot and give it its name; the path of the file.

    What another writer of the same id left unfinished is removed first.
    """
    disk = disk or Disk()
    part = directory / part_name(of)
    if part.exists():
        disk.remove(part)
    content = encode_snapshot(
        of,
        batches,
        last_contained_log_timestamp=last_contained_log_timestamp,
        written_ms=written_ms,
    )
    disk.append(part, content)
    return finish_snapshot(directory, of, disk=disk)


def finish_snapshot(directory: Path, of: SnapshotId, *, disk: Disk | None = None) -> Path:
    """Give the file that was written for a snapshot its final name, if it is whole; its path.

    Raises `SnapshotDamaged` if it is not: then nothing has changed.
    """
    disk = disk or Disk()
    part, whole = directory / part_name(of), directory / snapshot_name(of)
    disk.flush(part)
    read_snapshot(part, of)
    disk.move(part, whole)
    disk.flush_directory(directory)
    return whole


def recover(directory: Path, *, log_start_offset: int = 0, disk: Disk | None = None) -> Recovered:
    """Prepare a directory for a start: find the snapshot to load, remove what is of no use.

    Of no use are files that were never finished or wait for their deletion, and snapshots that end
    before the log starts. Files whose names are no snapshot's are left alone.

    Raises `SnapshotDamaged`, before anything is removed, when the log starts above 0 and no whole
    snapshot ends there or after, when the name of a file only looks like a snapshot's, and when two
    snapshots cannot be of one log.
    """
    disk = disk or Disk()
    names = _found(directory)
    ids = sorted(identity for identity, stage in names.values() if stage is Stage.WHOLE)
    _agree(directory, ids)
    kept = tuple(identity for identity in ids if identity.end_offset >= log_start_offset)
    latest, damaged = _latest(directory, kept)
    if latest is None and log_start_offset > 0:
        if damaged:
            raise damaged[0]
        why = f"the log starts at {log_start_offset}, and no snapshot ends there or after it"
        cure = "put a snapshot from another replica here that ends there or after it"
        raise SnapshotDamaged(directory, 0, why, cure)
    removed = sorted(
        name
        for name, (identity, stage) in names.items()
        if stage is not Stage.WHOLE or identity not in kept
    )
    # After a crash of the process alone, the name of the latest may be in memory only.
    disk.flush_directory(directory)
    for name in removed:
        disk.remove(directory / name)
    if removed:
        disk.flush_directory(directory)
    return Recovered(latest, kept, tuple(removed), damaged)


def _found(directory: Path) -> dict[str, tuple[SnapshotId, Stage]]:
    found: dict[str, tuple[SnapshotId, Stage]] = {}
    for path in sorted(directory.iterdir()):
        try:
            name = parse_name(path.name)
        except NotASnapshotName as error:
            cure = "remove the file, or give it the name of its id"
            raise SnapshotDamaged(path, 0, str(error), cure) from None
        if name is not None:
            found[path.name] = (name.id, name.stage)
    return found


def _agree(directory: Path, ids: Sequence[SnapshotId]) -> None:
    """In one log epochs never fall and an offset has one epoch."""
    for one, other in pairwise(ids):
        if other.epoch < one.epoch or other.end_offset == one.end_offset:
            why = f"it cannot be of the log of which {snapshot_name(one)} is"
            cure = "keep the one that another replica has too, and move the other away"
            raise SnapshotDamaged(directory / snapshot_name(other), 0, why, cure)


def _latest(
    directory: Path, ids: Sequence[SnapshotId]
) -> tuple[Snapshot | None, tuple[SnapshotDamaged, ...]]:
    damaged: list[SnapshotDamaged] = []
    for identity in reversed(ids):
        try:
            return read_snapshot(directory / snapshot_name(identity)), tuple(damaged)
        except SnapshotDamaged as error:
            damaged.append(error)
    return None, tuple(damaged)


def _flush(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
