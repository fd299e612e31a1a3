"""Layouts of logs: what programs that write or collect lines put around each.

A line of Kafka's own layouts is read as it stands. Recognised around it are the JSON of log4j2
(`instant` or `timeMillis`, and `message`), that of Elastic's common schema (`@timestamp` and
`message`), any other JSON with a `message`, that of docker's `json-file` driver (`log`, `stream`,
`time`), and the lines of Kubernetes' container runtimes (`TIME stdout F LINE`). The last two split
long lines: docker leaves the newline of all pieces but the last out of `log`, a runtime marks them
by `P` in place of `F`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import DecodeError, Raw, Struct, field
from msgspec.json import Decoder

from lockstep_kafka.files.physical_lines import LONGEST_LINE, PhysicalLine

PLAIN = "plain lines"
LOG4J2 = "log4j2's JSON"
ELASTIC = "Elastic's common schema"
MESSAGE = "JSON with a `message`"
DOCKER = "docker's json-file"
RUNTIME = "lines of a container runtime"
LAYOUTS = (PLAIN, LOG4J2, ELASTIC, MESSAGE, DOCKER, RUNTIME)
"""The layouts that are recognised; all but the first may have another one within."""

MARKER = b"Completed request:"
"""What stands before the JSON of a request."""


class _Instant(Struct, rename="camel"):
    epoch_second: int
    nano_of_second: int = 0


class _Wrapped(Struct):
    """A line that is a JSON object, as far as it is looked at."""

    log: str | None = None
    message: str | None = None
    stream: str = ""
    time: str = ""
    timestamp: str = field(default="", name="@timestamp")
    instant: _Instant | None = None
    milliseconds: int | None = field(default=None, name="timeMillis")

    @property
    def written(self) -> str:
        """When the line was written, as text before it; empty where that is not said."""
        time: str | int | None = self.time or self.timestamp or self.milliseconds
        if self.instant is not None:
            time = self.instant.epoch_second * 1000 + self.instant.nano_of_second // 10**6
        return f"{time} " if time else ""

    @property
    def layout(self) -> str:
        """Which layout it is of."""
        if self.log is not None:
            return DOCKER
        if self.timestamp:
            return ELASTIC
        is_log4j2 = self.instant is not None or self.milliseconds is not None
        return LOG4J2 if is_log4j2 else MESSAGE


_DECODER = Decoder(_Wrapped)

_RUNTIME = re.compile(rb"([0-9]{4}-[0-9]{2}-[0-9]{2}T\S+ )(stdout|stderr) ([FP])([:]\S*)? ")
_WHOLE, _WHOLE_OF_DOCKER = b"stdout F ", b"stdout F:docker "
"""What stands between the time and the text of a line that was put together."""


_MOST_LAYERS = 3
"""A runtime's line may have docker's in it, and that a JSON object of log4j2."""


def unwrapped(content: bytes) -> bytes:
    """The line within all that is recognised around it, after its time; any other as it is."""
    time, content, _ = _layers(content)
    return time + content


def layout_of(content: bytes) -> str | None:
    """The layouts around a request, the inner ones first; None for a line that is no request."""
    _, content, layers = _layers(content)
    return " in ".join(reversed(layers)) or PLAIN if MARKER in content else None


def _layers(content: bytes) -> tuple[bytes, bytes, list[str]]:
    """When a line was written, the line within all that is recognised, and what was recognised."""
    time, layers = b"", list[str]()
    for _ in range(_MOST_LAYERS):
        if match := _RUNTIME.match(content):
            time, content = time or match[1], content[match.end() :]
            layers.append(DOCKER if match[4] == b":docker" else RUNTIME)
            continue
        wrapped = _wrapped(content)
        text = None if wrapped is None else wrapped.message if wrapped.log is None else wrapped.log
        if wrapped is None or text is None:
            break
        time, content = time or wrapped.written.encode(), text.removesuffix("\n").encode()
        layers.append(wrapped.layout)
    return time, content, layers


_NO_END = (
    r"its pieces have no end: docker's json-file ends the last piece of a line with \n in `log`"
)


def joined_lines(lines: Iterable[PhysicalLine]) -> Iterator[PhysicalLine]:
    """The same lines, with pieces of one put together: it has the number of its first.

    It stands as a runtime writes a line in one piece. Pieces that nothing ends are a line without
    an end. Programs that collect docker's lines may take the newline off each: so a line of
    docker's ends, too, where it is a whole request, and where the next one begins.
    """
    begun: dict[bytes, _Begun] = {}
    for line in lines:
        piece = _piece(line.content)
        if piece is None:
            yield line
            continue
        before = begun.get(piece.stream)
        is_of_docker = piece.head == _WHOLE_OF_DOCKER
        if before and is_of_docker and (MARKER in piece.text or _is_whole(before.content)):
            yield begun.pop(piece.stream).line(has_end=True)
        start = piece.time + piece.head if piece.time else b""
        one = begun.setdefault(piece.stream, _Begun(line, bytearray(start), is_of_docker))
        one.content += piece.text
        one.pieces += 1
        if piece.is_last or line.flaw is not None or len(one.content) > LONGEST_LINE:
            del begun[piece.stream]
            flaw = line.flaw
            if flaw is None and len(one.content) > LONGEST_LINE:
                flaw = f"its pieces have more than {LONGEST_LINE:,} bytes"
            yield one.line(has_end=line.has_end, flaw=flaw)
    for one in begun.values():
        is_open = one.is_of_docker and one.pieces > 1 and not _is_whole(one.content)
        yield one.line(has_end=False, flaw=_NO_END if is_open else None)


@dataclass
class _Begun:
    """A line of which pieces were read; `first` is the line of the first one."""

    first: PhysicalLine
    content: bytearray
    is_of_docker: bool
    pieces: int = 0

    def line(self, *, has_end: bool, flaw: str | None = None) -> PhysicalLine:
        """All of it as one line."""
        return self.first._replace(content=bytes(self.content), has_end=has_end, flaw=flaw)


_JSON = Decoder(dict[str, Raw])


def _is_whole(content: bytearray) -> bool:
    """Whether a request ends where the content does."""
    if not content.endswith((b"}", b")")):
        return False
    _, marker, request = unwrapped(bytes(content)).partition(MARKER)
    try:
        return bool(marker and _JSON.decode(request[: request.rfind(b"}") + 1]))
    except (DecodeError, RecursionError):
        return False


def is_piece(content: bytes) -> bool:
    """Whether a line may be a piece of one, as programs that collect lines write it."""
    return _piece(content) is not None


class _Piece(NamedTuple):
    """A line of which a program may have made several."""

    stream: bytes
    time: bytes
    head: bytes
    text: bytes
    is_last: bool


def _piece(content: bytes) -> _Piece | None:
    """What docker or a container runtime wrote; None for any other line."""
    if match := _RUNTIME.match(content):
        time, stream, mark, _ = match.groups()
        return _Piece(stream, time, _WHOLE, content[match.end() :], mark == b"F")
    wrapped = _wrapped(content)
    if wrapped is None or wrapped.log is None:
        return None
    text = wrapped.log.encode()
    is_last = text.endswith(b"\n")
    time = wrapped.written.encode()
    stream = wrapped.stream.encode()
    return _Piece(stream, time, _WHOLE_OF_DOCKER, text.removesuffix(b"\n"), is_last)


def _wrapped(content: bytes) -> _Wrapped | None:
    if not content.startswith(b"{"):
        return None
    try:
        return _DECODER.decode(content)
    except (DecodeError, RecursionError):
        return None
