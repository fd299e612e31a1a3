"""Lines of the request log that give no Fetch: other requests, and what cannot be used."""

# Annotations are not postponed here: msgspec would look their names up in `sys.modules`, where
# another workspace's module of the same name may stand.
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from lockstep_kafka.files.fetch_line import FetchLine


class Reason(Enum):
    """Why a line is not used."""

    TRUNCATED = "truncated"
    """The line ends before it is complete, or another request's line begins within it."""
    FOREIGN = "foreign"
    """Not a line of the request log."""
    MALFORMED = "malformed"
    """A completed request, but not as Kafka writes it, or of a version that is not known here."""
    REPEATED = "repeated"
    """The same request with the same JSON stands shortly before: the log was delivered twice."""
    LATE = "late"
    """A later Fetch of its connection was given out already, so its place has passed."""
    UNREADABLE = "unreadable"
    """The file cannot be opened, or cannot be read on from here."""


class OtherRequest(Struct, frozen=True, gc=False, array_like=True, tag="other"):
    """A completed request of another API than Fetch."""

    line: int
    """Counted from 1."""
    file: str
    api: str
    """Kafka's name for the API, such as `PRODUCE`; printable."""
    connection: str
    correlation_id: int
    client_id: str
    """Empty when the client gave none."""
    time_ms: int | None
    """When the line was written, as in a `FetchLine`."""
    total_time_ms: float
    """From the request's arrival to the end of its response; 0.0 when the log does not say."""
    fingerprint: int = 0
    """A check sum of the line's JSON; 0 when it is not known."""

    @property
    def arrival_ms(self) -> float | None:
        """When the broker received the request; None when the line has no time."""
        return None if self.time_ms is None else self.time_ms - self.total_time_ms


class Skipped(Struct, frozen=True, gc=False):
    """A line that is not used."""

    line: int
    """Counted from 1."""
    file: str
    reason: Reason
    detail: str
    """Printable. For MALFORMED the path of the field and its value, or what is wrong with the
    JSON."""
    connection: str = ""
    """Of the request, for REPEATED and LATE; empty otherwise."""
    correlation_id: int | None = None
    """Of the request, for REPEATED and LATE; None otherwise."""


Request: TypeAlias = FetchLine | OtherRequest
"""A completed request."""

LogLine: TypeAlias = FetchLine | OtherRequest | Skipped
"""What a line of a request log gives."""
