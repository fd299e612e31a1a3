"""Apache Kafka's request log: its lines, each one a completed request with its response.

The broker's logger `kafka.request.logger` writes one line a request at level DEBUG: whatever the
log layout prints, `Completed request:`, one JSON object, and again whatever the layout prints. It
has been JSON since Kafka 2.8 (KIP-673); older brokers wrote text, which is refused as malformed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec import DecodeError

from lockstep.system.strict_json import CutShort, JsonObject, NotJson, decode_object, shown
from lockstep_kafka.files.completed_request import Place, completed_request
from lockstep_kafka.files.fetch_fields import FieldRefused, with_value
from lockstep_kafka.files.layouts import MARKER, joined_lines, layout_of, unwrapped
from lockstep_kafka.files.lines import (
    LogLine,
    Reason,
    Request,
    Skipped,
)
from lockstep_kafka.files.log_files import time_ms
from lockstep_kafka.files.physical_lines import PhysicalLine, physical_lines


@dataclass
class SeenLayout:
    """The layout of a file: `name` is known from its first request on.

    Before that, `first` is the first line that is none.
    """

    name: str | None = None
    first: tuple[int, str] | None = None

    def look_at(self, line: PhysicalLine) -> None:
        """Take a line up."""
        if line.flaw is not None or not line.content.strip():
            return
        self.name = layout_of(line.content)
        if self.name is None and self.first is None:
            self.first = line.number, shown(line.content.decode("utf-8", "replace"))


def read_request_log(
    log: str | os.PathLike[str],
    seen: SeenLayout | None = None,
    lines: Iterable[PhysicalLine] | None = None,
) -> Iterator[LogLine]:
    """One result for each line of the file, in order; a line is read when its result is asked for.

    `seen` takes up what the layout is. `lines` are those of the file, if they are at hand.

    What `layouts` recognises around lines is taken off, and pieces of a line are put together.

    `-` is the standard input. The file may be compressed by gzip or zstd. Bytes that are not UTF-8
    become U+FFFD. A last line without a newline is a line like any other when its JSON is complete.
    A file that cannot be opened or read on ends with one more result, which is UNREADABLE.
    """
    file = os.fspath(log)
    number = 0
    try:
        for line in joined_lines(physical_lines(file) if lines is None else lines):
            number = line.number
            if seen is not None and seen.name is None:
                seen.look_at(line)
            yield read_line(line, file)
    except OSError as error:
        yield Skipped(number + 1, file, Reason.UNREADABLE, error.strerror or str(error))


def read_line(line: PhysicalLine | tuple[int, bytes, bool, str | None], file: str) -> LogLine:
    """What one line of a file says."""
    number, content, has_end, flaw = line[:4]
    if flaw is not None:
        return Skipped(number, file, Reason.TRUNCATED, flaw)
    content = unwrapped(content)
    marker = content.find(MARKER)
    if marker < 0:
        text = shown(content.decode("utf-8", "replace"))
        if has_end:
            return Skipped(number, file, Reason.FOREIGN, f"not a completed request: {text}")
        return Skipped(number, file, Reason.UNFINISHED, f"the file ends in this line: {text}")
    place = Place(number, file, time_ms(content[:marker]))
    start, end = marker + len(MARKER), content.rfind(b"}") + 1
    rest = content[end:]
    # The layout that Kafka ships prints the logger's name after the message: " (logger)".
    if not rest or (rest[:1].isspace() and MARKER not in rest):
        try:
            return completed_request(content[start:end], place)
        except (ValueError, RecursionError):
            pass  # judged below, where there is time to say what is wrong
    try:
        return _judged(content[start:].decode("utf-8", "replace"), place)
    except CutShort as cut:
        is_last = not has_end and MARKER not in content[start:]
        reason = Reason.UNFINISHED if is_last else Reason.TRUNCATED
        return Skipped(number, file, reason, str(cut))
    except (NotJson, FieldRefused) as refusal:
        return Skipped(number, file, Reason.MALFORMED, str(refusal))


def _judged(rest: str, place: Place) -> Request:
    """The request, when it is one for all that is odd about its line; or why it is none.

    Raises `CutShort`, `NotJson` or `FieldRefused`.
    """
    completed, encoded = _object(rest)
    try:
        return completed_request(encoded.encode(), place)
    except FieldRefused as refusal:
        raise with_value(refusal, completed) from None
    except DecodeError as error:
        raise NotJson(f"not followed: {error}") from None
    except RecursionError:
        raise NotJson("not followed: the JSON is nested too deep") from None


def _object(rest: str) -> tuple[JsonObject, str]:
    """The object that follows the marker, when nothing that does not belong there follows it."""
    marker = MARKER.decode()
    try:
        completed, end = decode_object(rest)
    except NotJson:
        if marker in rest:
            raise CutShort("another request begins within this line's JSON") from None
        raise
    if marker in rest[end:]:
        raise CutShort("the line has no end: another request follows on it")
    if end < len(rest) and not rest[end].isspace():
        raise NotJson(
            f"not JSON: after its end, at character {end + 1}, stands {shown(rest[end:])}"
        )
    return completed, rest[:end]
