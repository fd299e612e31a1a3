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

_KINDS = {
    "text": string(),
    "texts": list_(string()),
    "pairs": map_(string(), string()),
    "int": int32(),
    "long": int64(),
    "longs": list_(int64()),
    "bool": bool_(),
    "bytes": binary(),
    "time": TIME,
}


def fields(declared: str) -> list[pyarrow.Field]:
    """The columns that a text declares, each as `NAME:KIND`."""
    parts = (part.partition(":") for part in declared.split())
    return [field(name, _KINDS[kind]) for name, _, kind in parts]


RANGES = pyarrow.schema(
    fields(
        "broker:text size:int digest:text path:text stored:long order:long begin:long end:long "
        "first_line:long lines:long flaw:text brokers:texts disk_size:long written_ns:long "
        "layout:text tail:text batch:long"
    )
)
"""Whole lines of log files, as a `LogRange` has them; `broker`, `size`, `digest` are its file."""

QUARANTINED = struct(fields("file:text line:long reason:text detail:text is_loss:bool"))

PIECES = pyarrow.schema(
    [
        *fields("broker:text order:long line:long file:text"),
        *(RANGES.field(name) for name in ("size", "digest", "begin", "end", "stored", "flaw")),
        *fields("content:bytes numbers:longs share:int shares:int"),
        field("quarantined", QUARANTINED),
    ]
)
"""Lines of one broker, from `line` on, in the order of `order` and `line`.

They are those of a range of a file, or, with `numbers`, the lines of these numbers in `content`,
which is compressed. `quarantined` is said of a line that is no request. A piece whose `order` is
`STATE_ORDER` has a part of the state in which the broker's follower was left as its content. Where
a broker is split into `shares`, each task has all of its pieces, and follows `share` of it; both
may be null.
"""

STATE_ORDER = -1
"""The `order` of such a piece: it comes before all requests."""

_CANDIDATE = struct(fields("action:text conjunct:text values:pairs outcome:text"))

_REMARK = [
    *fields("file:text line:long rule:text arguments:pairs because:text requirements:texts"),
    field(
        "candidates", list_(struct(fields("action:text conjunct:text values:pairs outcome:text")))
    ),
]

SIDE = struct(
    [
        *fields("verdict:text judged:long departures:long unknowns:long"),
        field("worst", struct(_REMARK)),
    ]
)

SESSION = struct(
    [
        *fields(
            "session:long client:text connection:text api_version:int verdict:text "
            "first_file:text first_line:long first_time:time "
            "last_file:text last_line:long last_time:time is_whole:bool lines:long partial:long"
        ),
        field("client_side", SIDE),
        field("broker_side", SIDE),
    ]
)

DEPARTURE = struct(
    [
        *fields(
            "side:text client:text api_version:int session:long first_file:text first_line:long "
            "time:time software:text abridged:text"
        ),
        *_REMARK,
    ]
)

METRIC = struct(
    fields(
        "client:text api_version:int hour:time lines:long partial:long client_departures:long "
        "broker_departures:long unknowns:long"
    )
)

STATE = struct(fields("part:int bytes:bytes followed:long others:long"))

FOLLOWED = pyarrow.schema(
    [
        *fields("broker:text is_open:bool"),
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

WANTED = pyarrow.schema([*OF_LINE, *fields("broker:text partition:text")])
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

TEXTS = pyarrow.schema([*OF_LINE, *fields("offset:long text:text")])
"""The text of lines."""


Batches = Iterable[pyarrow.RecordBatch]

Row = Mapping[str, Any]

_MOST_ROWS = 10_000
_MOST_BYTES = 8 * 2**20


def rows_of(batches: Batches, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of some batches, with these columns."""
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def dicts_of(batches: Batches, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The same rows by the names of these columns."""
    return (dict(zip(columns, row, strict=True)) for row in rows_of(batches, columns))


def table_of(rows: Iterable[Row], schema: pyarrow.Schema) -> pyarrow.Table:
    """Rows by the names of their columns as a table."""
    tuples = (tuple(row[name] for name in schema.names) for row in rows)
    return pyarrow.Table.from_batches(batches_of(tuples, schema), schema)


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
