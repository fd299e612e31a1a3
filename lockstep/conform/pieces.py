"""The pieces of which a pipeline follows logs: lines to requests, requests to followers.

`models/observed/MODEL.py` has them beside `observe`, which is made of the same pieces. Each broker
has a follower of its own. Its state can be saved as bytes after any line, and another follower goes
on from there, in another process, as if nothing had been.

A request is a type of its own for each model; all have a `file`, a `line` that counts from 1, and
`time_ms`, when it was written, in milliseconds since 1970 or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from lockstep.conform.broker_paths import BrokerPaths
from lockstep.conform.findings import FileFinding, Finding, LineFinding, LoadModel
from lockstep.conform.line_counts import LineCounts


class Follower(Protocol):
    """Follows the requests of one broker."""

    position: int
    """That of the last request that was taken up; -1 before the first."""
    followed: int
    """How many requests were followed."""
    others: int
    """How many requests were read of which the model says nothing."""

    def follow(self, request: Any, position: int) -> Sequence[Finding]:
        """Take a request up; what is final thereby, remarks among it.

        Positions are places of lines in all of the log, and ascend from call to call: `ValueError`
        where one does not. A request is judged when all that may have arrived before it was read,
        so that what is said of it may come with a later call.
        """
        ...

    def take_counts(self) -> list[LineCounts]:
        """The lines judged since the counts were last taken, by client, version and hour.

        They are kept until they are taken, and are part of what `save` gives.
        """
        ...

    def save(self) -> bytes:
        """All that the follower knows. It is not changed thereby, and may go on or be closed."""
        ...

    def close(self) -> Sequence[Finding]:
        """The log ends: what is held is judged, and every finding is final.

        Nothing can be followed after that.
        """
        ...


class Pieces(Protocol):
    """What a pipeline takes from `models/observed/MODEL.py`."""

    Skipped: type[Any]
    """The type of lines that are no requests."""

    def read_line(self, line: Any, file: str) -> Any:
        """What a line of a file says: a request, or a `Skipped` line.

        `line` is its number, its bytes without the newline, whether a newline follows, and why the
        bytes are not the whole line, or None.
        """
        ...

    def finding_of(self, skipped: Any) -> LineFinding | FileFinding:
        """The finding of a line that is no request."""
        ...

    def broker_of(self, request: Any, paths: BrokerPaths) -> str:
        """The broker that wrote a request.

        `LockstepError` where the path of its file should name one, and does not.
        """
        ...

    def encode_request(self, request: Any) -> bytes:
        """A request as bytes."""
        ...

    def decode_request(self, encoded: bytes) -> Any:
        """The request that was encoded; `LockstepError` for any other bytes."""
        ...

    def Explanations(self, load: LoadModel) -> Any:  # noqa: N802 - it is a class
        """What all followers of a process share: the model, and the answers that it gave."""
        ...

    def BrokerFollower(  # noqa: N802 - it is a class
        self, broker: str, explanations: Any, state: bytes | None = None
    ) -> Follower:
        """A follower of a broker, from the beginning of its log, or where another one was saved.

        `LockstepError` where the state is damaged, of another format, or of another broker.
        """
        ...
