"""The content of a snapshot file: record batches with a header first and a footer last (KIP-630).

A batch is Kafka's record batch of magic 2. Its checksum covers all that follows it, not what
precedes it: base offset, length and epoch of a batch are proved by what they must be, so that a
change of any single byte is found. Apache Kafka itself verifies only the checksums and that a
header comes first (630-D15).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, TypeVar

from kio.records.readers import read_batch
from kio.records.schema import NewRecordBatch, Record, RecordBatch
from kio.records.writers import write_new_batch
from kio.schema.snapshot_footer_record.v0 import SnapshotFooterRecord
from kio.schema.snapshot_header_record.v0 import SnapshotHeaderRecord
from kio.serial import entity_reader, entity_writer
from kio.serial.errors import SerialError
from kio.static.primitive import TZAwareMicros, i8, i16, i32, i64

from lockstep_kafka.files.snapshot_name import NotASnapshotName, SnapshotId, parse_name

SNAPSHOT_HEADER = 3
"""Type of the control record that a snapshot begins with."""
SNAPSHOT_FOOTER = 4
"""Type of the control record that a snapshot ends with."""
KNOWN_VERSION = 0
"""The one version of header and footer."""

_FRAME = struct.Struct(">qii")
_BEFORE_LENGTH = 12
_BATCH_HEADER = 61
_COMPRESSION = 0x07
_CONTROL = 0x20
_CONTROL_KEY = struct.Struct(">hh")
_NONE = -1
_CURE = (
    "put a copy from another replica in its place: a snapshot of one id holds the same everywhere"
)

_Content = TypeVar("_Content", SnapshotHeaderRecord, SnapshotFooterRecord)


class SnapshotDamaged(ValueError):
    """A file is no whole snapshot: which file, where in it, why, and what to do."""

    def __init__(self, file: Path, at: int, why: str, cure: str = _CURE) -> None:
        super().__init__(f"{file}: byte {at}: {why}\n  cure: {cure}")
        self.file = file
        self.at = at
        """Counted from 0; the end of the file when something is missing there."""
        self.why = why
        self.cure = cure


class Batch(NamedTuple):
    """One record batch of a snapshot."""

    position: int
    """Of its first byte in the file."""
    size: int
    """In bytes, with its header."""
    base_offset: int
    last_offset: int
    """Both count the records of the file from 0; they are no offsets of the log (630-D6)."""
    crc: int
    """CRC-32C of what follows it in the batch."""
    is_control: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A whole snapshot."""

    id: SnapshotId
    header_version: int
    last_contained_log_timestamp: int
    """When the last record that the snapshot includes was appended; milliseconds since 1970."""
    footer_version: int
    values: tuple[bytes | None, ...]
    """Those of its records in order, without the control records."""
    batches: tuple[Batch, ...]


class _Control(NamedTuple):
    position: int
    number: int
    """Of its batch, from 0."""
    kind: int
    value: bytes


def read_snapshot(path: Path, expected: SnapshotId | None = None) -> Snapshot:
    """The snapshot in a file; its id is `expected`, or else that of the file's name.

    Raises `SnapshotDamaged` for anything but a whole snapshot of that id, and `OSError` when the
    file cannot be read. Holds the file in memory.
    """
    if expected is None:
        try:
            name = parse_name(path.name)
        except NotASnapshotName as error:
            raise SnapshotDamaged(path, 0, str(error), "give it the name of its id") from None
        if name is None:
            raise SnapshotDamaged(path, 0, "the name is no snapshot's", "name the id to expect")
        expected = name.id
    content = path.read_bytes()
    values: list[bytes | None] = []
    controls: list[_Control] = []
    batches: list[Batch] = []
    for batch, records in _batches(path, content, expected.epoch):
        if batch.is_control:
            controls.extend(_control(path, batch, len(batches), record) for record in records)
        else:
            values.extend(record.value for record in records)
        batches.append(batch)
    first, last = _ends(path, len(content), len(batches), controls)
    header = _content(path, first, SnapshotHeaderRecord)
    footer = _content(path, last, SnapshotFooterRecord)
    return Snapshot(
        expected,
        header.version,
        header.last_contained_log_timestamp,
        footer.version,
        tuple(values),
        tuple(batches),
    )


def encode_snapshot(
    of: SnapshotId,
    batches: Iterable[Sequence[bytes]],
    *,
    last_contained_log_timestamp: int,
    written_ms: int,
) -> bytes:
    """The content of the file of a snapshot with these values, batch by batch.

    Both times are milliseconds since 1970; the second is that of every record, up to the year 9999.
    Raises `ValueError` for a batch of no values, which the format does not have.
    """
    written = io.BytesIO()
    header = io.BytesIO()
    entity_writer(SnapshotHeaderRecord)(
        header,
        SnapshotHeaderRecord(
            version=i16(KNOWN_VERSION),
            last_contained_log_timestamp=i64(last_contained_log_timestamp),
        ),
    )
    footer = io.BytesIO()
    entity_writer(SnapshotFooterRecord)(footer, SnapshotFooterRecord(version=i16(KNOWN_VERSION)))

    header_key = _CONTROL_KEY.pack(KNOWN_VERSION, SNAPSHOT_HEADER)
    _write_batch(written, of, 0, [(header_key, header.getvalue())], written_ms, _CONTROL)
    offset = 1
    for values in batches:
        if not values:
            raise ValueError("a batch has at least one value")
        _write_batch(written, of, offset, [(None, value) for value in values], written_ms, 0)
        offset += len(values)
    footer_key = _CONTROL_KEY.pack(KNOWN_VERSION, SNAPSHOT_FOOTER)
    _write_batch(written, of, offset, [(footer_key, footer.getvalue())], written_ms, _CONTROL)
    return written.getvalue()


def _batches(path: Path, content: bytes, epoch: int) -> Iterator[tuple[Batch, tuple[Record, ...]]]:
    """Every batch with its records."""
    position = 0
    offset = 0
    while position < len(content):
        encoded = _framed(path, content, position, offset, epoch)
        read = _decoded(path, position, encoded)
        count = len(read.records)
        if read.last_offset_delta != count - 1:
            why = f"the batch has {count} records, its last offset is {read.last_offset_delta} on"
            raise SnapshotDamaged(path, position, why)
        is_control = bool(read.attributes & _CONTROL)
        last = offset + count - 1
        yield Batch(position, len(encoded), offset, last, read.crc, is_control), read.records
        position += len(encoded)
        offset += count


def _framed(path: Path, content: bytes, position: int, offset: int, epoch: int) -> bytes:
    """The bytes of the batch at a position; proves what its checksum does not cover."""
    remaining = len(content) - position
    if remaining < _BATCH_HEADER:
        why = f"the file ends {remaining} bytes after the beginning of a batch, within its header"
        raise SnapshotDamaged(path, len(content), why)
    base_offset, length, its_epoch = _FRAME.unpack_from(content, position)
    size = _BEFORE_LENGTH + length
    if size > remaining:
        why = f"the batch at {position} has {size} bytes, the file only {remaining} from there"
        raise SnapshotDamaged(path, len(content), why)
    if base_offset != offset:
        why = f"the batch has base offset {base_offset}, {offset} is next"
        raise SnapshotDamaged(path, position, why)
    if its_epoch != epoch:
        why = f"the batch has epoch {its_epoch}, the snapshot {epoch}"
        raise SnapshotDamaged(path, position, why)
    return content[position : position + size]


def _decoded(path: Path, position: int, encoded: bytes) -> RecordBatch:
    """The batch, its magic and checksum verified."""
    try:
        batch, _ = read_batch(encoded, 0)
    except (SerialError, ValueError, OverflowError) as error:
        raise SnapshotDamaged(path, position, f"the batch cannot be read: {error}") from None
    if batch.attributes & _COMPRESSION:
        raise SnapshotDamaged(path, position, "the batch is compressed, which no snapshot is")
    return batch


def _control(path: Path, batch: Batch, number: int, record: Record) -> _Control:
    if record.key is None or len(record.key) != _CONTROL_KEY.size:
        raise SnapshotDamaged(path, batch.position, "a control record has a malformed key")
    _, kind = _CONTROL_KEY.unpack(record.key)
    return _Control(batch.position, number, kind, record.value or b"")


def _ends(
    path: Path, size: int, count: int, controls: Sequence[_Control]
) -> tuple[_Control, _Control]:
    """Header and footer: the first record of the first batch, and the last batch."""
    if not controls or controls[0].number != 0 or controls[0].kind != SNAPSHOT_HEADER:
        raise SnapshotDamaged(path, 0, "the file does not begin with a snapshot's header")
    last = controls[-1]
    if last.number != count - 1 or last.kind != SNAPSHOT_FOOTER:
        raise SnapshotDamaged(path, size, "the file does not end with a snapshot's footer")
    for control in controls[1:-1]:
        if control.kind in (SNAPSHOT_HEADER, SNAPSHOT_FOOTER) or control.number == last.number:
            why = f"a control record of type {control.kind} stands in the wrong place"
            raise SnapshotDamaged(path, control.position, why)
    if last.number == 0:
        raise SnapshotDamaged(path, 0, "header and footer are in one batch")
    return controls[0], last


def _content(path: Path, control: _Control, form: type[_Content]) -> _Content:
    """Header or footer, of the one version that is known."""
    try:
        content, size = entity_reader(form)(control.value, 0)
    except (SerialError, ValueError) as error:
        why = f"{form.__name__} cannot be read: {error}"
        raise SnapshotDamaged(path, control.position, why) from None
    if size != len(control.value):
        why = f"{form.__name__} has {size} bytes, its record {len(control.value)}"
        raise SnapshotDamaged(path, control.position, why)
    if content.version != KNOWN_VERSION:
        why = f"{form.__name__} has version {content.version}, only {KNOWN_VERSION} is known here"
        raise SnapshotDamaged(path, control.position, why)
    return content


def _write_batch(
    to: io.BytesIO,
    of: SnapshotId,
    offset: int,
    records: Sequence[tuple[bytes | None, bytes]],
    written_ms: int,
    attributes: int,
) -> None:
    # The library rounds down to milliseconds by way of a float: half of one keeps it off the edge.
    since = timedelta(milliseconds=written_ms, microseconds=500)
    written = TZAwareMicros.parse(datetime.fromtimestamp(0, UTC) + since)
    batch = NewRecordBatch(
        producer_id=i64(_NONE),
        producer_epoch=i16(_NONE),
        partition_leader_epoch=i32(of.epoch),
        base_sequence=i32(_NONE),
        attributes=i16(attributes),
        records=tuple(
            Record(
                attributes=i8(0),
                timestamp=written,
                offset=i64(offset + number),
                key=key,
                value=value,
                headers=(),
            )
            for number, (key, value) in enumerate(records)
        ),
    )
    write_new_batch(to, batch)
