"""The text of lines that depart, read from the files in which they stand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from operator import itemgetter

from lockstep_kafka.files.layouts import joined_lines
from lockstep_kafka.files.lines import FetchLine, QuorumLine
from lockstep_kafka.files.physical_lines import PhysicalLine, lines_of
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.files.shown_lines import abridged
from lockstep_kafka.fleet.columns import (
    OF_LINE,
    TEXT_RANGES,
    TEXTS,
    Batches,
    Row,
    batches_of,
    dicts_of,
)
from lockstep_kafka.fleet.following import time_of
from lockstep_kafka.fleet.pieces import range_blocks

of_line = itemgetter(*OF_LINE.names)


def texts(ranges: Batches) -> Batches:
    """The text of some lines (`TEXT_RANGES` to `TEXTS`), but for those of files that are gone."""
    return batches_of(_texts(ranges), TEXTS, "text")


def _texts(ranges: Batches) -> Iterator[tuple[object, ...]]:
    for range_ in dicts_of(ranges, TEXT_RANGES.names):
        wanted: dict[int, list[Row]] = {}
        for one in range_["wanted"]:
            wanted.setdefault(one["line"], []).append(one)
        blocks = range_blocks(range_["path"], range_)
        with suppress(OSError, EOFError):
            for line in joined_lines(lines_of(blocks, range_["first_line"], range_["begin"])):
                text = line.content.decode("utf-8", "replace")
                for one in wanted.pop(line.number, ()):
                    if _is(line, one):
                        yield *of_line(one), line.offset, text
                if not wanted:
                    break


def _is(line: PhysicalLine, wanted: Row) -> bool:
    """Whether it is that line, and not one of an earlier or later file of the same path."""
    read = read_line(line, wanted["file"])
    if not isinstance(read, FetchLine | QuorumLine) or time_of(read.time_ms) != wanted["time"]:
        return False
    text: str = wanted["abridged"]
    return text == abridged(read, wanted["broker"], wanted["partition"])
