"""A line on its way through both sides, and what the log says of its place among others.

No clock orders the requests of two connections where that accuses somebody. Only the log's own
order counts: what was written before the broker read a request, and what has to come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lockstep_kafka.files.lines import FetchLine, Request
from lockstep_kafka.findings import Place, Remark
from lockstep_kafka.sessions.broker import Broker
from lockstep_kafka.sessions.exchange import Position
from lockstep_kafka.sessions.knowledge import NO_SESSION, Fetcher, Seen, epochs_between


@dataclass(slots=True)
class Step:
    """A line on its way through both sides, and what is to be said of it.

    `missing` requests of its connection may stand before it; None is any number. `held` gives the
    requests that are read, but judged later, with their places.
    """

    line: FetchLine
    broker: Broker
    position: Position
    fetcher: Fetcher
    missing: int | None
    held: Callable[[], Iterable[tuple[int, Request]]]
    at: Place
    """Where the line stands."""
    seen: Seen
    """The line, for what becomes known by it."""
    client: list[Remark] = field(default_factory=list)
    leader: list[Remark] = field(default_factory=list)
    is_partial: bool = False

    def follows(self, last: Seen) -> bool:
        """Whether the request surely arrived after another one was answered."""
        return last.connection == self.line.connection or self.position.connection.has_seen(
            last.position, last.time_ms, last.file
        )

    def is_shared(self) -> bool:
        """Whether several connections bring the session: what was sent before is open, then."""
        number, broker = self.line.session_id, self.broker
        session = broker.sessions.get(number) or broker.ended.get(number)
        if session is None:
            return self.fetcher.session == number
        return session.is_shared or session.last.connection != self.line.connection

    def may_come_later(self, expected: int | None = None) -> bool:
        """Whether clocks alone put the request first.

        Other connections then bring the one that opens its session, or all that come before it from
        the epoch that is expected, and are judged later. They do not where a line of their
        connection stands between both: they were sent after that.
        """
        here, session = self.position.number, self.line.session_id
        if session == NO_SESSION:
            return False
        held = list(self.held())
        earlier = [
            request
            for place, request in held
            if isinstance(request, FetchLine)
            and request.connection != self.line.connection
            and session in (request.session_id, request.response_session_id)
            and not any(
                here <= between < place and other.connection == request.connection
                for between, other in held
            )
        ]
        if any(one.asks_for_all and one.response_session_id == session for one in earlier):
            return True
        if expected is None:
            return False
        ahead = epochs_between(expected, self.line.session_epoch)
        epochs = {one.session_epoch for one in earlier if one.session_id == session}
        between = (epoch for epoch in epochs if 0 <= epochs_between(expected, epoch) < ahead)
        return 0 < ahead == sum(1 for _ in between)
