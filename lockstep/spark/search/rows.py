"""States as columns: the form in which they are kept in files and sent between tasks.

Parquet with delta encoding takes a few bytes for a sorted state: what is written is the difference
from the state before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
import pyarrow
from pyarrow import parquet

from lockstep.machine.search.memory import Array

ROW_GROUP = 1 << 17
"""Rows that are written and read at a time."""
_LEVEL = "level"


class Unreadable(Exception):
    """Bytes that are no states; the text says why."""


def write_rows(target: Any, parts: Iterable[Array], words: int, *, dated: bool) -> None:
    """Write rows of so many words to a file or a stream; of dated ones the last word is a level."""
    names = _names(words, dated=dated)
    fields = [(name, pyarrow.int32() if name == _LEVEL else pyarrow.uint64()) for name in names]
    schema = pyarrow.schema(fields)
    encodings = {name: "DELTA_BINARY_PACKED" for name in names if name != _LEVEL}
    with parquet.ParquetWriter(
        target,
        schema,
        compression="none",
        use_dictionary=[_LEVEL] if dated else False,
        column_encoding=encodings,
        write_statistics=False,
        store_schema=False,
    ) as writer:
        for part in parts:
            rows = part.reshape(-1, words)
            columns = [
                pyarrow.array(rows[:, place].astype(np.int32) if name == _LEVEL else rows[:, place])
                for place, name in enumerate(names)
            ]
            table = pyarrow.Table.from_arrays(columns, schema=schema)
            writer.write_table(table, row_group_size=ROW_GROUP)


def read_rows(source: str | IO[bytes] | Any, words: int, *, dated: bool) -> Iterator[Array]:
    """Rows of so many words in parts; without `dated` a file of dated rows gives their states.

    `Unreadable` where the bytes are something else, or damaged.
    """
    names = _names(words, dated=dated)
    try:
        with parquet.ParquetFile(source) as file:
            missing = set(names) - set(file.schema_arrow.names)
            if missing:
                raise Unreadable(f"it has no column {min(missing)}")
            for batch in file.iter_batches(ROW_GROUP, columns=names, use_threads=False):
                yield _flat(batch, names)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise Unreadable(next(iter(str(error).splitlines()), type(error).__name__)) from None


def packed(states: Array, words: int) -> bytes:
    """States as bytes, to be sent."""
    stream = pyarrow.BufferOutputStream()
    write_rows(stream, [states], words, dated=False)
    content: bytes = stream.getvalue().to_pybytes()
    return content


def unpacked(content: Any, words: int) -> Array:
    """The states that were sent as bytes; `Unreadable` where they are none."""
    source = pyarrow.BufferReader(content)
    parts = list(read_rows(source, words, dated=False))
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def _names(words: int, *, dated: bool) -> list[str]:
    return [f"w{word}" for word in range(words - dated)] + [_LEVEL] * dated


def _flat(batch: pyarrow.RecordBatch, names: list[str]) -> Array:
    """The columns of a batch as rows, one after the other."""
    columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in names]
    if len(columns) == 1:
        return np.ascontiguousarray(columns[0], np.uint64)
    rows = np.empty((batch.num_rows, len(columns)), np.uint64)
    for place, column in enumerate(columns):
        rows[:, place] = column
    return rows.reshape(-1)
