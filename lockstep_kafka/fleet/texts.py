"""The text of lines that depart, read from the files in which they stand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from lockstep.system.physical_lines import lines_of
from lockstep_kafka.fleet.columns import TEXT_RANGES, TEXTS, Batches, batches_of, rows_of
from lockstep_kafka.fleet.pieces import range_blocks


def texts(ranges: Batches) -> Batches:
    """The text of some lines (`TEXT_RANGES` to `TEXTS`), but for those of files that are gone."""
    return batches_of(_texts(ranges), TEXTS, "text")


def _texts(ranges: Batches) -> Iterator[tuple[object, ...]]:
    for row in rows_of(ranges, TEXT_RANGES.names):
        range_ = dict(zip(TEXT_RANGES.names, row, strict=True))
        path, wanted = range_["path"], set(range_["wanted"])
        with suppress(OSError, EOFError):
            for line in lines_of(range_blocks(path, range_), range_["first_line"], range_["begin"]):
                if line.number in wanted:
                    wanted.remove(line.number)
                    yield path, line.number, line.offset, line.content.decode("utf-8", "replace")
                if not wanted:
                    break
