"""Whether one session after another can have accepted what was accepted under one id.

Where an id is given away while its session may be alive, requests of both fetchers follow. Only the
log's own order counts, so any order is tried in which each connection keeps its own, and in which
what surely was answered before a request was sent comes before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lockstep_kafka.files.lines import FetchLine, Request
from lockstep_kafka.findings import Place, Remark, Verdict
from lockstep_kafka.rules import Rule
from lockstep_kafka.sessions.broker import Broker
from lockstep_kafka.sessions.exchange import Position
from lockstep_kafka.sessions.knowledge import (
    FIRST_EPOCH,
    NO_ORDER,
    NO_SESSION,
    Connection,
    Fetcher,
    LeaderSession,
    Seen,
    Turn,
    epochs_between,
)
from lockstep_kafka.sessions.leader_case import OPEN

_MOST_TURNS = 64
"""Requests after which nothing more is concluded: memory and time stay bounded."""

_MOST_MISSING = 16
"""How many of them may be missing from the log: each of those leaves more than one order open."""

_OPENING = 0


def turns_from(old: LeaderSession | None, opening: Step) -> list[Turn]:
    """The last request of a session that may be alive, and the one that opens another by its id.

    Empty where the log does not fix the session: it has several connections, or an open epoch.
    """
    if old is None or old.epoch == OPEN or old.is_shared or old.overtaken is not None:
        return []
    if old.last.connection == opening.line.connection:
        return []
    # Whether the last request was sent after the opening was answered stays open.
    last = Turn(old.epoch - 1, old.last, Connection())
    return [last, Turn(_OPENING, opening.seen, _now(opening))]


def take_turn(session: LeaderSession, step: Step, next_epoch: Callable[[int], int]) -> bool:
    """Take a request within the session in; whether sessions of its id may have taken turns.

    Where any number of requests may be missing, or one may or may not have been accepted, that is
    given up.
    """
    line, missing = step.line, step.missing
    is_refused = line.error_code != 0 and line.response_session_id == NO_SESSION
    is_accepted = not line.error_code and line.response_session_id == line.session_id
    if missing is None or not (is_refused or is_accepted):
        session.turns = []
        return True
    turns = [*session.turns, *[Turn(OPEN, step.seen, Connection())] * min(missing, _MOST_TURNS)]
    if is_accepted:
        turns.append(Turn(line.session_epoch, step.seen, _now(step)))
    gaps = sum(turn.epoch == OPEN for turn in turns)
    session.turns = [] if len(turns) > _MOST_TURNS or gaps > _MOST_MISSING else turns
    return (
        not session.turns or is_refused or is_possible(session.turns, [*_later(step)], next_epoch)
    )


def taken_twice(session: LeaderSession, step: Step) -> Remark:
    """That no session after another accepts a request beside those before it."""
    arguments: dict[str, int | Place] = {
        "session": session.number,
        "epoch": step.line.session_epoch,
        "opened": session.finding.first,
    }
    return Remark(Rule.ID_ALIVE_TWICE, step.at, arguments)


def _now(step: Step) -> Connection:
    """What the connection of a request had surely seen when that was sent."""
    connection = step.position.connection
    return Connection(
        position=connection.position, time_ms=connection.time_ms, file=connection.file
    )


def _later(step: Step) -> Iterator[tuple[str, int]]:
    """The connections and epochs of accepted requests that are judged later, in their order."""
    number = step.line.session_id
    for _, request in sorted(step.held(), key=lambda pair: pair[0]):
        if (
            isinstance(request, FetchLine)
            and request.error_code == 0
            and request.response_session_id == number
        ):
            if request.asks_for_all:
                yield request.connection, _OPENING
            elif request.session_id == number:
                yield request.connection, request.session_epoch


def is_possible(
    turns: Sequence[Turn], later: Sequence[tuple[str, int]], next_epoch: Callable[[int], int]
) -> bool:
    """Whether some order of the turns, with any of the later ones, is one of sessions."""
    queues: dict[str, list[Turn]] = {}
    for turn in turns:
        queues.setdefault(turn.seen.connection, []).append(turn)
    epochs = {name: [turn.epoch for turn in queue] for name, queue in queues.items()}
    for name, epoch in later:
        epochs.setdefault(name, []).append(epoch)
    names = list(epochs)
    start = (*(0 for _ in names), OPEN)
    waiting, reached = [start], {start}
    while waiting:
        *taken, expected = waiting.pop()
        rest = [
            queues[name][at]
            for name, at in zip(names, taken, strict=True)
            if at < len(queues.get(name, ()))
        ]
        if not rest:
            return True
        for place, (name, at) in enumerate(zip(names, taken, strict=True)):
            if at == len(epochs[name]):
                continue
            epoch = epochs[name][at]
            queue = queues.get(name, [])
            if at < len(queue) and any(other.is_before(queue[at]) for other in rest):
                continue
            for following in _following(epoch, expected, next_epoch):
                new = (*taken[:place], at + 1, *taken[place + 1 :], following)
                if new not in reached:
                    reached.add(new)
                    waiting.append(new)
    return False


def _following(epoch: int, expected: int, next_epoch: Callable[[int], int]) -> set[int]:
    """What may be expected after a turn; empty where it cannot be accepted."""
    if epoch == OPEN:
        moved = OPEN if expected == OPEN else next_epoch(expected)
        return {expected, moved, FIRST_EPOCH}
    if epoch == _OPENING:
        return {FIRST_EPOCH}
    return {next_epoch(epoch)} if expected in (epoch, OPEN) else set()


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

    def client_departs(self) -> bool:
        """Whether a departure of the client was remarked."""
        return any(remark.verdict is Verdict.DEPARTS for remark in self.client)

    def follows(self, last: Seen) -> bool:
        """Whether the request surely arrived after another one was answered."""
        return last.connection == self.line.connection or self.position.connection.has_seen(
            last.position, last.time_ms, last.file
        )

    def is_shared(self) -> bool:
        """Whether other connections bring the session, one of them perhaps the request's client.

        What was sent before is open, then.
        """
        number, broker = self.line.session_id, self.broker
        session = broker.sessions.get(number) or broker.ended.get(number)
        if session is None:
            return self.fetcher.session == number
        if not session.has_several_clients and session.finding.client != self.line.client_id:
            return False
        return session.is_shared or session.last.connection != self.line.connection

    def is_continued(self, session: LeaderSession) -> bool:
        """Whether the session accepts its next epoch later: no other one got its id meanwhile."""
        return any(
            isinstance(request, FetchLine)
            and request.connection == session.last.connection
            and (request.session_id, request.session_epoch) == (session.number, session.epoch)
            and request.error_code == 0
            for _, request in self.held()
        )

    def may_come_later(self, expected: int | None = None) -> bool:
        """Whether clocks alone put the request first.

        Other connections then bring the one that opens its session, or all that come before it from
        the epoch that is expected, and are judged later. They do not where a line of their
        connection stands between both, in a file that is in order: they were sent after that.
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
            and not (
                self.seen.file != NO_ORDER
                and any(
                    here <= between < place and other.connection == request.connection
                    for between, other in held
                )
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
