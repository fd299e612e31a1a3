"""Names of snapshot files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep_kafka.files.snapshot_name import (
    EPOCH_DIGITS,
    OFFSET_DIGITS,
    NotASnapshotName,
    SnapshotId,
    SnapshotName,
    Stage,
    parse_name,
    snapshot_name,
)
from tests.snapshots.snapshot_directory import part_name

if TYPE_CHECKING:
    from tests.conftest import KafkaOutput

IDS = st.builds(SnapshotId, st.integers(0, 2**63 - 1), st.integers(0, 2**31 - 1))
REAL = "00000000000000000334-0000000001.checkpoint"


@given(IDS)
def test_a_name_encodes_its_id(of: SnapshotId) -> None:
    assert parse_name(snapshot_name(of)) == SnapshotName(of, Stage.WHOLE)
    assert parse_name(part_name(of)) == SnapshotName(of, Stage.PART)
    assert parse_name(f"{snapshot_name(of)}.deleted") == SnapshotName(of, Stage.DELETED)


def test_the_name_that_kafka_gave(kafka_output: KafkaOutput) -> None:
    """Kafka's tool prints the id that it takes from the name."""
    dump = kafka_output("snapshots/dump.txt").read_text(encoding="utf-8")
    name = kafka_output(f"snapshots/{REAL}").name
    assert "Snapshot end offset: 334, epoch: 1" in dump.splitlines()
    assert snapshot_name(SnapshotId(334, 1)) == name


@given(st.lists(IDS))
def test_names_sort_as_offset_and_epoch(ids: list[SnapshotId]) -> None:
    assert sorted(map(snapshot_name, ids)) == [snapshot_name(of) for of in sorted(ids)]


@given(st.data())
def test_names_of_one_log_sort_by_age(data: st.DataObject) -> None:
    """Epochs of one log never fall, so that the newest id, by epoch first, has the last name."""
    offsets = data.draw(st.lists(st.integers(1, 2**63 - 1), unique=True).map(sorted))
    epochs = sorted(data.draw(st.integers(1, 2**31 - 1)) for _ in offsets)
    ids = [SnapshotId(*of) for of in zip(offsets, epochs, strict=True)]
    by_age = sorted(ids, key=lambda of: (of.epoch, of.end_offset))
    assert sorted(map(snapshot_name, ids)) == [snapshot_name(of) for of in by_age]


def test_kafkas_unfinished_files_have_digits_of_their_own() -> None:
    name = "00000000000000000334-0000000001-8416239712.checkpoint.part"
    assert parse_name(name) == SnapshotName(SnapshotId(334, 1), Stage.PART)


@pytest.mark.parametrize(
    "name",
    [
        "00000000000000000000.log",
        "leader-epoch-checkpoint",
        "quorum-state",
        f"{REAL}.swp",
        "",
    ],
)
def test_other_files_are_none(name: str) -> None:
    assert parse_name(name) is None


@pytest.mark.parametrize(
    "name",
    [
        ".checkpoint",
        "334-1.checkpoint",
        "00000000000000000334-00000000000000000001.checkpoint",
        "00000000000000000334_0000000001.checkpoint",
        "0000000000000000033a-0000000001.checkpoint",
        "0000000000000000033٤-0000000001.checkpoint",
        f"x{REAL}",
        "00000000000000000334-0000000001-7.checkpoint",
        f"{2**63}-0000000001.checkpoint".rjust(OFFSET_DIGITS + EPOCH_DIGITS + 12, "0"),
        "00000000000000000334-2147483648.checkpoint",
    ],
)
def test_names_that_only_look_like_a_snapshots_are_refused(name: str) -> None:
    with pytest.raises(NotASnapshotName):
        parse_name(name)


@pytest.mark.parametrize(
    ("of", "reported"),
    [
        (SnapshotId(-1, 0), "end offset -1 is not from 0"),
        (SnapshotId(2**63, 0), "end offset"),
        (SnapshotId(0, -1), "epoch -1 is not from 0"),
        (SnapshotId(0, 2**31), "epoch"),
    ],
)
def test_ids_out_of_range_have_no_name(of: SnapshotId, reported: str) -> None:
    with pytest.raises(ValueError, match=reported):
        snapshot_name(of)
