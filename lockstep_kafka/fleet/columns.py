"""The columns of what goes from one transformation to the next, and rows of Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow
from pyarrow import binary, bool_, field, int32, int64, list_, map_, string, struct, timestamp

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructType


TIME = timestamp("us", tz="UTC")

RANGES = pyarrow.schema(
    [
        field("broker", string()),
        field("size", int32()),
        field("digest", string()),
        field("path", string()),
        field("stored", int64()),
        field("order", int64()),
        field("begin", int64()),
        field("end", int64()),
        field("first_line", int64()),
        field("lines", int64()),
        field("flaw", string()),
        field("brokers", list_(string())),
        field("disk_size", int64()),
        field("written_ns", int64()),
        field("layout", string()),
        field("batch", int64()),
    ]
)
"""Whole lines of log files, as a `LogRange` has them; `broker`, `size`, `digest` are its file."""

QUARANTINED = struct(
    [
        field("file", string()),
        field("line", int64()),
        field("reason", string()),
        field("detail", string()),
        field("is_loss", bool_()),
    ]
)

PIECES = pyarrow.schema(
    [
        field("broker", string()),
        field("order", int64()),
        field("line", int64()),
        field("file", string()),
        *(RANGES.field(name) for name in ("size", "digest", "begin", "end", "stored", "flaw")),
        field("content", binary()),
        field("numbers", list_(int64())),
        field("quarantined", QUARANTINED),
    ]
)
"""Lines of one broker, from `line` on, in the order of `order` and `line`.

They are those of a range of a file, or, with `numbers`, the lines of these numbers in `content`,
which is compressed. `quarantined` is said of a line that is no request. A piece whose `order` is -1
has a part of the state in which the broker's follower was left as its content.
"""

_CANDIDATE = struct(
    [
        field("action", string()),
        field("conjunct", string()),
        field("values", map_(string(), string())),
        field("outcome", string()),
    ]
)

_REMARK = [
    field("file", string()),
    field("line", int64()),
    field("rule", string()),
    field("arguments", map_(string(), string())),
    field("because", string()),
    field("requirements", list_(string())),
    field("candidates", list_(_CANDIDATE)),
]

SIDE = struct(
    [
        field("verdict", string()),
        field("judged", int64()),
        field("departures", int64()),
        field("unknowns", int64()),
        field("worst", struct(_REMARK)),
    ]
)

SESSION = struct(
    [
        field("session", int64()),
        field("client", string()),
        field("connection", string()),
        field("api_version", int32()),
        field("verdict", string()),
        field("first_file", string()),
        field("first_line", int64()),
        field("first_time", TIME),
        field("last_file", string()),
        field("last_line", int64()),
        field("last_time", TIME),
        field("is_whole", bool_()),
        field("lines", int64()),
        field("partial", int64()),
        field("client_side", SIDE),
        field("broker_side", SIDE),
    ]
)

DEPARTURE = struct(
    [
        field("side", string()),
        field("client", string()),
        field("api_version", int32()),
        field("session", int64()),
        field("first_file", string()),
        field("first_line", int64()),
        field("time", TIME),
        field("software", string()),
        field("abridged", string()),
        *_REMARK,
    ]
)

METRIC = struct(
    [
        field("client", string()),
        field("api_version", int32()),
        field("hour", TIME),
        field("lines", int64()),
        field("partial", int64()),
        field("client_departures", int64()),
        field("broker_departures", int64()),
        field("unknowns", int64()),
    ]
)

STATE = struct(
    [
        field("part", int32()),
        field("bytes", binary()),
        field("followed", int64()),
        field("others", int64()),
    ]
)

FOLLOWED = pyarrow.schema(
    [
        field("broker", string()),
        field("is_open", bool_()),
        field("session", SESSION),
        field("departure", DEPARTURE),
        field("quarantined", QUARANTINED),
        field("metric", METRIC),
        field("state", STATE),
    ]
)
"""What comes of requests: each row has one of the last five, and the others are null.

`is_open` rows say what is so if no line follows; the next batch of the broker replaces them.
"""

OF_LINE = pyarrow.schema(list(map(DEPARTURE.field, ("file", "line", "time", "abridged"))))
"""A line that departs; another file may have its path by now."""

WANTED = pyarrow.schema([*OF_LINE, field("broker", string()), field("partition", string())])
"""A line of which the text is wanted; `partition` is the one that `abridged` names, or empty."""

TEXT_RANGES = pyarrow.schema(
    [
        *(
            RANGES.field(name)
            for name in ("path", "size", "digest", "stored", "begin", "end", "first_line", "flaw")
        ),
        field("wanted", list_(struct(list(WANTED)))),
    ]
)
"""Ranges of files, with the lines of which the text is wanted."""

TEXTS = pyarrow.schema([*OF_LINE, field("offset", int64()), field("text", string())])
"""The text of lines."""


Batches = Iterable[pyarrow.RecordBatch]

Row = Mapping[str, Any]

_MOST_ROWS = 10_000
_MOST_BYTES = 8 * 2**20


def rows_of(batches: Batches, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of some batches, with these columns."""
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def batches_of(
    rows: Iterable[tuple[Any, ...]], schema: pyarrow.Schema, bytes_column: str | None = None
) -> Batches:
    """The rows as batches of some thousand; fewer where the texts of one column are long."""
    place = schema.get_field_index(bytes_column) if bytes_column else None
    held: list[tuple[Any, ...]] = []
    size = 0
    for row in rows:
        held.append(row)
        if place is not None and (text := row[place]) is not None:
            size += len(text)
        if len(held) >= _MOST_ROWS or size >= _MOST_BYTES:
            yield _batch(held, schema)
            held, size = [], 0
    if held:
        yield _batch(held, schema)


def _batch(rows: Sequence[tuple[Any, ...]], schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [
        pyarrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def spark_schema(schema: pyarrow.Schema) -> StructType:
    """The same schema in Spark's terms."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def spark_columns(schema: pyarrow.Schema, given: Mapping[str, Column]) -> list[Column]:
    """The columns of a schema; those that are not given are null."""
    from pyspark.sql import functions as sql

    return [
        given.get(column.name, sql.lit(None)).cast(column.dataType).alias(column.name)
        for column in spark_schema(schema)
    ]
