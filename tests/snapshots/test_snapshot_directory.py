"""Directories of snapshots, on a real disk and on one that crashes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep_kafka.files.snapshot_name import SnapshotId, snapshot_name
from tests.snapshots.snapshot_directory import (
    Disk,
    Recovered,
    finish_snapshot,
    part_name,
    recover,
    write_snapshot,
)
from tests.snapshots.snapshot_file import SnapshotDamaged, encode_snapshot, read_snapshot

OLD = SnapshotId(3, 1)
NEW = SnapshotId(7, 2)
VALUES = {OLD: [[b"old"]], NEW: [[b"new"], [b"newer", b"newest"]]}


def write(directory: Path, of: SnapshotId, disk: Disk | None = None) -> Path:
    return write_snapshot(
        directory, of, VALUES[of], last_contained_log_timestamp=1, written_ms=2, disk=disk
    )


def values(of: SnapshotId) -> tuple[bytes | None, ...]:
    return tuple(value for batch in VALUES[of] for value in batch)


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


class Crash(Exception):
    """The process, or the whole machine, is gone."""


@dataclass
class _File:
    """What was written to a file, by whatever names it has; `safe` bytes of it are on the disk."""

    content: bytes
    safe: int = 0


@dataclass
class CrashingDisk(Disk):
    """A real directory as the process sees it, and beside it what would survive a loss of power.

    It stops before the operation after `left` ones. Content that was not flushed may survive as any
    prefix; of a change of names that was not flushed either side may survive, each for itself.
    """

    directory: Path
    left: int
    flushes: bool = True
    """Whether a flush does what it promises."""
    _files: dict[str, _File] = field(default_factory=dict)
    _safe_names: dict[str, _File] = field(default_factory=dict)
    _unsafe: list[tuple[str | None, str | None, _File]] = field(default_factory=list)
    """Names taken away and given since the directory was flushed."""

    def __post_init__(self) -> None:
        for path in self.directory.iterdir():
            content = path.read_bytes()
            self._files[path.name] = _File(content, len(content))
        self._safe_names = dict(self._files)

    def append(self, file: Path, content: bytes) -> None:
        self._step()
        super().append(file, content)
        if file.name not in self._files:
            self._files[file.name] = _File(b"")
            self._unsafe.append((None, file.name, self._files[file.name]))
        self._files[file.name].content += content

    def flush(self, file: Path) -> None:
        self._step()
        if self.flushes:
            self._files[file.name].safe = len(self._files[file.name].content)

    def move(self, source: Path, target: Path) -> None:
        self._step()
        super().move(source, target)
        moved = self._files.pop(source.name)
        self._files[target.name] = moved
        self._unsafe.append((source.name, target.name, moved))

    def remove(self, file: Path) -> None:
        self._step()
        super().remove(file)
        self._unsafe.append((file.name, None, self._files.pop(file.name)))

    def flush_directory(self, directory: Path) -> None:
        self._step()
        if self.flushes:
            self._safe_names = dict(self._files)
            self._unsafe.clear()

    def after_loss_of_power(self, data: st.DataObject, directory: Path) -> None:
        """Put into an empty directory what a disk could hold now."""
        survivors = dict(self._safe_names)
        for taken, given_name, file in self._unsafe:
            if data.draw(st.booleans(), label=f"{taken} became {given_name}"):
                if taken is not None and survivors.get(taken) is file:
                    del survivors[taken]
                if given_name is not None:
                    survivors[given_name] = file
        for name, file in survivors.items():
            size = data.draw(st.integers(file.safe, len(file.content)), label=f"bytes of {name}")
            zeros = data.draw(st.booleans(), label="the rest is zeros")
            rest = bytes(len(file.content) - size) if zeros else b""
            (directory / name).write_bytes(file.content[:size] + rest)

    def _step(self) -> None:
        if self.left == 0:
            raise Crash
        self.left -= 1


@contextmanager
def directories(count: int) -> Iterator[list[Path]]:
    """Real directories, the first of which has the old snapshot and what a crash may leave."""
    with tempfile.TemporaryDirectory() as root:
        made = [Path(root) / str(number) for number in range(count)]
        for directory in made:
            directory.mkdir()
        write(made[0], OLD)
        yield made


WRITING = 4
"""Operations of writing a snapshot: append, flush, move, flush the directory."""
RECOVERING = 5
"""Most operations of a recovery: flush the directory, remove three files, flush it again."""


def crash(disk: CrashingDisk, of: SnapshotId) -> bool:
    """Whether the snapshot was written before the disk stopped."""
    try:
        write(disk.directory, of, disk)
    except Crash:
        return False
    return True


def holds_one_of(recovered: Recovered, *ids: SnapshotId) -> None:
    assert recovered.damaged == ()
    assert recovered.latest is not None
    assert recovered.latest.id in ids
    assert recovered.latest.values == values(recovered.latest.id)


@given(st.data(), st.integers(0, WRITING))
def test_no_loss_of_power_loses_a_snapshot(data: st.DataObject, left: int) -> None:
    with directories(2) as (before, after):
        disk = CrashingDisk(before, left)
        written = crash(disk, NEW)
        assert written == (left == WRITING)
        disk.after_loss_of_power(data, after)
        recovered = recover(after)
        if written:
            holds_one_of(recovered, NEW)
        else:
            holds_one_of(recovered, OLD, NEW)
        assert recovered.kept in ((OLD,), (OLD, NEW))
        assert names(after) == {snapshot_name(of) for of in recovered.kept}


@given(st.data(), st.integers(0, WRITING), st.integers(0, RECOVERING))
def test_no_loss_of_power_in_a_recovery_loses_what_it_found(
    data: st.DataObject, left: int, left_again: int
) -> None:
    """The process dies while it writes, the machine while or after the next process recovers."""
    with directories(2) as (before, after):
        disk = CrashingDisk(before, left)
        crash(disk, NEW)
        seen = {of for of in (OLD, NEW) if snapshot_name(of) in names(before)}
        start = data.draw(st.sampled_from([0, *(of.end_offset for of in seen)]), label="log start")
        disk.left = left_again
        found: Recovered | None = None
        try:
            found = recover(before, log_start_offset=start, disk=disk)
        except Crash:
            assert left_again < RECOVERING
        disk.after_loss_of_power(data, after)
        recovered = recover(after)
        holds_one_of(recovered, OLD, NEW)
        if found is not None:
            holds_one_of(found, max(seen))
            holds_one_of(recovered, max(seen))


@given(st.data(), st.integers(0, WRITING))
def test_a_disk_that_does_not_flush_is_found_out(data: st.DataObject, left: int) -> None:
    """Half a snapshot under a whole one's name is never taken for a snapshot."""
    with directories(2) as (before, after):
        disk = CrashingDisk(before, left, flushes=False)
        crash(disk, NEW)
        disk.after_loss_of_power(data, after)
        recovered = recover(after)
        assert recovered.latest is not None
        assert recovered.latest.values == values(recovered.latest.id)
        cut = {path for path in after.iterdir() if path.name == snapshot_name(NEW)}
        assert recovered.latest.id == NEW or {error.file for error in recovered.damaged} == cut


def test_a_damaged_snapshot_is_reported_and_stays(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    damaged = write(tmp_path, NEW)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    recovered = recover(tmp_path, log_start_offset=OLD.end_offset)
    assert recovered.latest is not None
    assert recovered.latest.id == OLD
    assert [error.file for error in recovered.damaged] == [damaged]
    assert recovered.kept == (OLD, NEW)
    assert damaged.exists()


def test_a_log_that_starts_after_the_whole_snapshots_does_not_start(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    damaged = write(tmp_path, NEW)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    before = names(tmp_path)
    with pytest.raises(SnapshotDamaged) as error:
        recover(tmp_path, log_start_offset=OLD.end_offset + 1)
    assert error.value.file == damaged
    assert error.value.at == damaged.stat().st_size
    assert names(tmp_path) == before


def test_a_log_above_zero_needs_a_snapshot(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    part = tmp_path / part_name(NEW)
    part.write_bytes(b"half")
    reported = (
        r"the log starts at 4, and no snapshot ends there or after it\n  cure: put a snapshot"
    )
    with pytest.raises(SnapshotDamaged, match=reported):
        recover(tmp_path, log_start_offset=4)
    assert names(tmp_path) == {snapshot_name(OLD), part.name}


def test_an_empty_directory_is_none(tmp_path: Path) -> None:
    assert recover(tmp_path) == Recovered(None, (), (), ())


def test_what_is_of_no_use_is_removed_and_no_more(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    write(tmp_path, NEW)
    unfinished = "00000000000000000009-0000000002-123456.checkpoint.part"
    deleted = f"{snapshot_name(SnapshotId(1, 1))}.deleted"
    again = part_name(NEW)
    others = {"leader-epoch-checkpoint", "00000000000000000003.log", "quorum-state"}
    for name in (unfinished, deleted, again, *others):
        (tmp_path / name).write_bytes(b"anything")
    recovered = recover(tmp_path, log_start_offset=NEW.end_offset)
    assert set(recovered.removed) == {unfinished, deleted, again, snapshot_name(OLD)}
    assert recovered.kept == (NEW,)
    assert names(tmp_path) == {snapshot_name(NEW), *others}


def test_the_snapshot_at_the_log_start_stays(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    assert recover(tmp_path, log_start_offset=OLD.end_offset).kept == (OLD,)


@pytest.mark.parametrize("other", [SnapshotId(9, 1), SnapshotId(7, 3)])
def test_snapshots_of_two_logs_are_refused(tmp_path: Path, other: SnapshotId) -> None:
    write(tmp_path, NEW)
    content = encode_snapshot(other, [], last_contained_log_timestamp=1, written_ms=2)
    (tmp_path / snapshot_name(other)).write_bytes(content)
    with pytest.raises(SnapshotDamaged, match=f"{snapshot_name(other)}: byte 0: it cannot be of"):
        recover(tmp_path)


def test_a_name_that_only_looks_like_a_snapshots_is_refused(tmp_path: Path) -> None:
    (tmp_path / "7-2.checkpoint").write_bytes(b"")
    with pytest.raises(SnapshotDamaged, match=r"7-2\.checkpoint: byte 0: the name is not of the"):
        recover(tmp_path)


def test_a_download_that_is_not_whole_gets_no_name(tmp_path: Path) -> None:
    part = tmp_path / part_name(NEW)
    content = encode_snapshot(NEW, VALUES[NEW], last_contained_log_timestamp=1, written_ms=2)
    footer = 75
    part.write_bytes(content[:-footer])
    with pytest.raises(SnapshotDamaged, match="does not end with a snapshot's footer"):
        finish_snapshot(tmp_path, NEW)
    assert names(tmp_path) == {part.name}
    with open(part, "ab") as rest:
        rest.write(content[-footer:])
    assert read_snapshot(finish_snapshot(tmp_path, NEW)).values == values(NEW)
    assert names(tmp_path) == {snapshot_name(NEW)}


def test_what_another_writer_left_is_not_written_after(tmp_path: Path) -> None:
    (tmp_path / part_name(NEW)).write_bytes(b"half of something")
    assert read_snapshot(write(tmp_path, NEW)).values == values(NEW)


def test_nothing_is_written_for_a_batch_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one value"):
        write_snapshot(tmp_path, NEW, [[]], last_contained_log_timestamp=1, written_ms=2)
    assert names(tmp_path) == set()
