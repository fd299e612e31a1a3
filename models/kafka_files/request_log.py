"""Apache Kafka's request log: its lines, each one a completed request with its response.

The broker's logger `kafka.request.logger` writes one line a request at level DEBUG: whatever the
log layout prints, `Completed request:`, one JSON object, and again whatever the layout prints. It
has been JSON since Kafka 2.8 (KIP-673); older brokers wrote text, which is refused as malformed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum

from lockstep.system.strict_json import CutShort, JsonObject, NotJson, decode_object, shown
from models.kafka_files.connection_order import Moved, in_connection_order
from models.kafka_files.fetch_fields import fetch_line
from models.kafka_files.fetch_line import (
    AnsweredPartition,
    FetchLine,
    RequestedPartition,
    TopicPartition,
)
from models.kafka_files.json_fields import FieldRefused, int16, member, text
from models.kafka_files.physical_lines import PhysicalLine, physical_lines

__all__ = [
    "AnsweredPartition",
    "FetchLine",
    "Moved",
    "Reason",
    "RequestedPartition",
    "Skipped",
    "TopicPartition",
    "in_connection_order",
    "read_request_log",
]

_MARKER = "Completed request:"
_FETCH_API_KEY = 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND_TIME = re.compile(r"\W*([0-9]{13})(?![0-9])")
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:[.,]([0-9]{1,9}))?(?:Z|\s?([+-])([0-9]{2}):?([0-9]{2})(?![0-9]))?"
)


class Reason(Enum):
    """Why a line gives no `FetchLine`."""

    TRUNCATED = "truncated"
    """The line ends before it is complete, or another request's line begins within it."""
    FOREIGN = "foreign"
    """Not a line of the request log."""
    OTHER_API = "other API"
    """A completed request, but not a Fetch."""
    MALFORMED = "malformed"
    """A completed request, but not as Kafka writes it, or of a version that is not known here."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that gives no `FetchLine`."""

    line: int
    """Counted from 1."""
    reason: Reason
    detail: str
    """For OTHER_API the name of the API. For MALFORMED the path of the field and its value, or
    what is wrong with the JSON."""


def read_request_log(log: str | os.PathLike[str]) -> Iterator[FetchLine | Skipped]:
    """One result for each line of the file, in order; a line is read when its result is asked for.

    The file may be compressed with gzip. Bytes that are not UTF-8 become U+FFFD. A last line
    without a newline is a line like any other when its JSON is complete.

    Raises `OSError` when the file cannot be opened or read.
    """
    file = os.fspath(log)
    for line in physical_lines(file):
        yield _read_line(line, file)


def _read_line(line: PhysicalLine, file: str) -> FetchLine | Skipped:
    if line.flaw is not None:
        return Skipped(line.number, Reason.TRUNCATED, line.flaw)
    prefix, marker, rest = line.content.decode("utf-8", "replace").partition(_MARKER)
    if not marker:
        if line.has_end:
            return Skipped(line.number, Reason.FOREIGN, f"not a completed request: {shown(prefix)}")
        return Skipped(
            line.number, Reason.TRUNCATED, f"the file ends in this line: {shown(prefix)}"
        )
    try:
        completed = _completed_request(rest)
        header = member(completed, "requestHeader", "")
        if int16(header, "requestApiKey", "requestHeader") != _FETCH_API_KEY:
            api = text(header, "requestApiKeyName", "requestHeader")
            return Skipped(line.number, Reason.OTHER_API, api if api.isprintable() else shown(api))
        return fetch_line(completed, line=line.number, file=file, time_ms=_time_ms(prefix))
    except CutShort as cut:
        return Skipped(line.number, Reason.TRUNCATED, str(cut))
    except (NotJson, FieldRefused) as refusal:
        return Skipped(line.number, Reason.MALFORMED, str(refusal))


def _completed_request(rest: str) -> JsonObject:
    """The object that follows the marker, when nothing that does not belong there follows it."""
    try:
        completed, end = decode_object(rest)
    except NotJson:
        if _MARKER in rest:
            raise CutShort("another request begins within this line's JSON") from None
        raise
    if _MARKER in rest[end:]:
        raise CutShort("the line has no end: another request follows on it")
    # The layout that Kafka ships prints the logger's name after the message: " (logger)".
    if end < len(rest) and not rest[end].isspace():
        raise NotJson(
            f"not JSON: after its end, at character {end + 1}, stands {shown(rest[end:])}"
        )
    return completed


def _time_ms(prefix: str) -> int | None:
    if milliseconds := _MILLISECOND_TIME.match(prefix):
        return int(milliseconds[1])
    match = _DATE_TIME.search(prefix)
    if match is None:
        return None
    fraction, sign, hours, minutes = match.group(7, 8, 9, 10)
    try:
        year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
        zone = UTC
        if sign:
            east = timedelta(hours=int(hours), minutes=int(minutes))
            zone = timezone(east if sign == "+" else -east)
        seconds = datetime(year, month, day, hour, minute, second, tzinfo=zone) - _EPOCH
    except ValueError:
        return None
    return seconds // timedelta(milliseconds=1) + int((fraction or "0")[:3].ljust(3, "0"))
