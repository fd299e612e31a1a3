"""The content of snapshot files, one of them written by Apache Kafka."""

from __future__ import annotations

import io
import json
import re
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kio.records.schema import NewRecordBatch, Record
from kio.records.writers import write_new_batch
from kio.static.primitive import TZAwareMicros, i8, i16, i32, i64

from lockstep_kafka.files.snapshot_name import SnapshotId, snapshot_name
from tests.snapshots.snapshot_file import (
    Batch,
    Snapshot,
    SnapshotDamaged,
    encode_snapshot,
    read_snapshot,
)

if TYPE_CHECKING:
    from tests.conftest import KafkaOutput

REAL = Path(__file__).parents[1] / "data/snapshots/00000000000000000334-0000000001.checkpoint"
CONTENT = REAL.read_bytes()
ID = SnapshotId(3, 2)
BATCHES = st.lists(st.lists(st.binary(max_size=40), min_size=1, max_size=4), max_size=4)
TIMES = st.integers(0, 253_402_300_799_999)
"""Milliseconds up to the end of the year 9999, where Python's dates end."""


def small(*batches: list[bytes]) -> bytes:
    return encode_snapshot(ID, batches, last_contained_log_timestamp=7, written_ms=9)


HEADER_SIZE = len(small()) - 75
"""Bytes of a header batch; a footer batch has 75."""


@cache
def directory() -> Path:
    """One directory for all examples; it is removed when the interpreter ends."""
    held.append(tempfile.TemporaryDirectory())
    return Path(held[0].name)


held: list[tempfile.TemporaryDirectory[str]] = []


def read(content: bytes, of: SnapshotId = ID) -> Snapshot:
    """What a real file with this content is read as."""
    file = directory() / snapshot_name(of)
    file.write_bytes(content)
    return read_snapshot(file)


def refused(content: bytes, of: SnapshotId = ID) -> SnapshotDamaged:
    with pytest.raises(SnapshotDamaged) as error:
        read(content, of)
    assert str(error.value).startswith(
        f"{directory() / snapshot_name(of)}: byte {error.value.at}: "
    )
    assert "\n  cure: " in str(error.value)
    assert 0 <= error.value.at <= len(content)
    return error.value


# The file that Kafka wrote.


@pytest.fixture(scope="module")
def dump(kafka_output: KafkaOutput) -> str:
    """The real file as Kafka's tool prints it."""
    return kafka_output("snapshots/dump.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def real(kafka_output: KafkaOutput) -> Snapshot:
    """The real file as it is read here."""
    return read_snapshot(kafka_output(f"snapshots/{REAL.name}"))


def dumped(dump: str) -> tuple[list[tuple[Batch, int, int]], list[dict[str, object]]]:
    """Batches with their epoch and count of records, and the records, as Kafka's tool has them."""
    batches, payloads = [], []
    for line in dump.splitlines():
        if line.startswith("baseOffset: "):
            fields = dict(re.findall(r"(\w+): (\S+)", line))
            batch = Batch(
                int(fields["position"]),
                int(fields["size"]),
                int(fields["baseOffset"]),
                int(fields["lastOffset"]),
                int(fields["crc"]),
                fields["isControl"] == "true",
            )
            assert fields["isvalid"] == "true"
            batches.append((batch, int(fields["partitionLeaderEpoch"]), int(fields["count"])))
        elif line.startswith("| payload: "):
            payloads.append(json.loads(line.removeprefix("| payload: ")))
    return batches, payloads


def test_the_real_file_is_what_kafkas_tool_says(real: Snapshot, dump: str) -> None:
    batches, payloads = dumped(dump)
    assert "Snapshot end offset: 334, epoch: 1" in dump.splitlines()
    assert real.id == SnapshotId(334, 1)
    assert (real.header_version, real.footer_version) == (0, 0)
    assert list(real.batches) == [batch for batch, _, _ in batches]
    assert {epoch for _, epoch, _ in batches} == {real.id.epoch}
    assert [count for _, _, count in batches] == [1, len(real.values), 1]
    assert len(payloads) == len(real.values) == 101


def test_the_real_records_are_those_that_kafkas_tool_names(real: Snapshot, dump: str) -> None:
    _, payloads = dumped(dump)
    named = 0
    for payload, value in zip(payloads, real.values, strict=True):
        data = payload["data"]
        assert isinstance(data, dict)
        if "name" in data:
            assert value is not None
            assert str(data["name"]).encode() in value
            named += 1
    assert named == 49


def test_the_real_header_has_a_time_before_the_file_was_written(real: Snapshot, dump: str) -> None:
    written = re.findall(r"CreateTime: (\d+)", dump)
    assert 0 < int(written[0]) - real.last_contained_log_timestamp < 60_000


def test_what_kafka_wrote_is_what_the_writer_writes(real: Snapshot) -> None:
    """All but the footer batch, which Kafka wrote a millisecond later."""
    values = [value or b"" for value in real.values]
    encoded = encode_snapshot(
        real.id,
        [values],
        last_contained_log_timestamp=real.last_contained_log_timestamp,
        written_ms=1795252276253,
    )
    assert len(encoded) == len(CONTENT)
    footer = real.batches[-1].position
    assert encoded[:footer] == CONTENT[:footer]


@given(st.integers(0, len(CONTENT) - 1), st.integers(1, 255))
def test_a_changed_byte_of_the_real_file_is_found(at: int, by: int) -> None:
    changed = bytearray(CONTENT)
    changed[at] ^= by
    refused(bytes(changed), SnapshotId(334, 1))


@given(st.integers(0, len(CONTENT) - 1))
def test_a_prefix_of_the_real_file_is_found(size: int) -> None:
    refused(CONTENT[:size], SnapshotId(334, 1))


def test_a_real_file_under_another_epochs_name_is_found() -> None:
    error = refused(CONTENT, SnapshotId(334, 2))
    assert error.why == "the batch has epoch 1, the snapshot 2"


# Files of our own.


@given(BATCHES, TIMES, TIMES)
def test_what_is_written_is_read(batches: list[list[bytes]], appended: int, written: int) -> None:
    content = encode_snapshot(
        ID, batches, last_contained_log_timestamp=appended, written_ms=written
    )
    snapshot = read(content)
    assert snapshot.id == ID
    assert snapshot.last_contained_log_timestamp == appended
    assert list(snapshot.values) == [value for values in batches for value in values]
    assert len(snapshot.batches) == len(batches) + 2


def test_every_changed_byte_is_found() -> None:
    content = small([b"one", b"two"])
    for at in range(len(content)):
        for by in (0x01, 0x80, 0xFF):
            changed = bytearray(content)
            changed[at] ^= by
            refused(bytes(changed))


def test_every_prefix_is_found() -> None:
    content = small([b"one"], [b"two"])
    for size in range(len(content)):
        error = refused(content[:size])
        assert error.at in (0, size)


@given(BATCHES, st.data())
def test_any_changed_byte_is_found(batches: list[list[bytes]], data: st.DataObject) -> None:
    content = bytearray(small(*batches))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    refused(bytes(content))


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(content: bytes) -> None:
    refused(content)


def test_a_file_that_ends_at_the_end_of_a_batch_lacks_its_footer() -> None:
    """Every checksum is right: only the footer shows that something is missing."""
    content = small([b"one"], [b"two"])
    for batch in read(content).batches[1:]:
        error = refused(content[: batch.position])
        assert error.why == "the file does not end with a snapshot's footer"
        assert error.at == batch.position


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (b"", "the file does not begin with a snapshot's header"),
        (small() + bytes(40), "within its header"),
        (small() + small(), "base offset 0, 2 is next"),
        (small()[HEADER_SIZE:], "base offset 1, 0 is next"),
        (small([b"one"]) + b"\0", "1 bytes after the beginning of a batch"),
    ],
)
def test_files_of_wrong_parts_are_refused(content: bytes, reported: str) -> None:
    assert reported in refused(content).why


HEADER = (b"\0\0\0\3", b"\0\0" + bytes(8) + b"\0")
FOOTER = (b"\0\0\0\4", b"\0\0\0")
VOTERS = (b"\0\0\0\6", b"\0\0\0")
CONTROL = 0x20


def batch(
    offset: int, *records: tuple[bytes, bytes], attributes: int = CONTROL, gap: int = 1
) -> bytes:
    """A batch of any records, as the library writes it."""
    written = io.BytesIO()
    write_new_batch(
        written,
        NewRecordBatch(
            producer_id=i64(-1),
            producer_epoch=i16(-1),
            partition_leader_epoch=i32(ID.epoch),
            base_sequence=i32(-1),
            attributes=i16(attributes),
            records=tuple(
                Record(
                    attributes=i8(0),
                    timestamp=TZAwareMicros.parse(datetime(2026, 1, 1, tzinfo=UTC)),
                    offset=i64(offset + number * gap),
                    key=key,
                    value=value,
                    headers=(),
                )
                for number, (key, value) in enumerate(records)
            ),
        ),
    )
    return written.getvalue()


def test_more_control_records_may_follow_the_header() -> None:
    """Kafka puts the version and the voters of the quorum there."""
    snapshot = read(batch(0, HEADER, VOTERS) + batch(2, VOTERS) + batch(3, FOOTER))
    assert snapshot.values == ()
    assert [of.last_offset for of in snapshot.batches] == [1, 2, 3]


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ([(HEADER, FOOTER)], "header and footer are in one batch"),
        ([(FOOTER,), (HEADER,)], "the file does not begin with a snapshot's header"),
        ([(VOTERS, HEADER), (FOOTER,)], "the file does not begin with a snapshot's header"),
        ([(HEADER,), (FOOTER, VOTERS)], "the file does not end with a snapshot's footer"),
        ([(HEADER,), (FOOTER,), (VOTERS,)], "the file does not end with a snapshot's footer"),
        ([(HEADER,), (VOTERS, FOOTER)], "type 6 stands in the wrong place"),
        ([(HEADER,), (HEADER,), (FOOTER,)], "type 3 stands in the wrong place"),
        ([(HEADER,), (FOOTER,), (FOOTER,)], "type 4 stands in the wrong place"),
        ([(HEADER,), ((b"\0\0\0", b""),), (FOOTER,)], "a control record has a malformed key"),
        (
            [((HEADER[0], b"\0\1" + HEADER[1][2:]),), (FOOTER,)],
            "SnapshotHeaderRecord has version 1, only 0 is known here",
        ),
        (
            [(HEADER,), ((FOOTER[0], b"\0\1\0"),)],
            "SnapshotFooterRecord has version 1, only 0 is known here",
        ),
        (
            [(HEADER,), ((FOOTER[0], FOOTER[1] + b"\0"),)],
            "SnapshotFooterRecord has 3 bytes, its record 4",
        ),
        ([(HEADER,), ((FOOTER[0], b"\0"),)], "SnapshotFooterRecord cannot be read"),
    ],
)
def test_control_records_stand_in_their_places(
    parts: list[tuple[tuple[bytes, bytes], ...]], reported: str
) -> None:
    content = b""
    offset = 0
    for records in parts:
        content += batch(offset, *records)
        offset += len(records)
    assert reported in refused(content).why


def test_records_before_the_header_are_refused() -> None:
    content = batch(0, (b"", b"value"), attributes=0) + batch(1, HEADER) + batch(2, FOOTER)
    assert refused(content).why == "the file does not begin with a snapshot's header"


def test_records_after_the_footer_are_refused() -> None:
    content = batch(0, HEADER) + batch(1, FOOTER) + batch(2, (b"", b"value"), attributes=0)
    assert refused(content).why == "the file does not end with a snapshot's footer"


def test_compressed_batches_are_refused() -> None:
    content = batch(0, HEADER) + batch(1, (b"", b"value"), attributes=1) + batch(2, FOOTER)
    assert refused(content).why == "the batch is compressed, which no snapshot is"


def test_offsets_of_a_batch_have_no_gaps() -> None:
    gap = batch(1, (b"", b"one"), (b"", b"two"), attributes=0, gap=2)
    error = refused(batch(0, HEADER) + gap + batch(3, FOOTER))
    assert error.why == "the batch has 2 records, its last offset is 2 on"


@given(TIMES)
@example(68_752_585_230_997)
def test_the_time_of_writing_is_kept_to_the_millisecond(written: int) -> None:
    content = encode_snapshot(ID, [], last_contained_log_timestamp=0, written_ms=written)
    base_timestamp = slice(27, 35)
    assert int.from_bytes(content[base_timestamp], "big") == written


def test_a_batch_of_no_values_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        small([])


def test_a_file_of_another_name_needs_an_id(tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    file.write_bytes(small())
    assert read_snapshot(file, ID).id == ID
    with pytest.raises(SnapshotDamaged, match=r"byte 0: the name is no snapshot's"):
        read_snapshot(file)


def test_a_file_that_is_not_there_is_no_damaged_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_snapshot(tmp_path / snapshot_name(ID))
