"""Rows of Arrow batches: what tasks take in, and what they give out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

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
