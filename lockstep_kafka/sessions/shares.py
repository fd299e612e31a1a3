"""A broker's log cut into shares, so that several followers judge it side by side.

Connections that name the same session or the same partition belong together, as do those of the
metadata quorum. Nothing that is said of one such group rests on another one but for the order in
which requests arrived and for starts of the broker, and these every follower sees: it reads all
lines, and judges those of its groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence

from lockstep_kafka.files.lines import FetchLine, OtherRequest, QuorumLine, Request
from lockstep_kafka.quorum.knowledge import Quorum
from lockstep_kafka.quorum.quorum_follower import METADATA, METADATA_BY_ID
from lockstep_kafka.sessions.broker import (
    MOST_CONNECTIONS,
    MOST_SESSIONS,
    BrokerState,
    ConnectionState,
    SessionState,
)
from lockstep_kafka.sessions.knowledge import NO_SESSION, Connection
from lockstep_kafka.sessions.saved_state import FollowerState, opened_state

_MOST_OF_ONE = 0.6
"""A group with so much of the lines leaves too little for other followers."""


class Groups:
    """Which connections (their names), sessions (their ids) and partitions belong together."""

    def __init__(self) -> None:
        self._parents: dict[Hashable, Hashable] = {}
        self._lines: Counter[str] = Counter()
        self.join(METADATA, METADATA_BY_ID)

    def join(self, one: Hashable, other: Hashable) -> None:
        """Both belong together."""
        self._parents[self._root(other)] = self._root(one)

    def _root(self, one: Hashable) -> Hashable:
        parents = self._parents
        parent = parents.setdefault(one, one)
        while parent != one:
            parents[one] = parents[parent]
            one, parent = parent, parents[parent]
        return one

    def add_lines(self, connection: str, count: int) -> None:
        """So many lines more of a connection are followed in sessions; the others cost little."""
        self._root(connection)
        self._lines[connection] += count

    def add(self, request: Request) -> None:
        """A request names what belongs together."""
        self.add_lines(request.connection, 0 if isinstance(request, OtherRequest) else 1)
        if isinstance(request, QuorumLine):
            self.join(METADATA, request.connection)
        elif isinstance(request, FetchLine):
            for session in (request.session_id, request.response_session_id):
                if session != NO_SESSION:
                    self.join(session, request.connection)
            for partition in (*request.partitions, *request.forgotten, *request.answered):
                self.join(partition, request.connection)

    def add_state(self, state: FollowerState) -> None:
        """What was known before belongs together, too."""
        for request in _waiting(state):
            self.add(request)
        known = state.broker_state or BrokerState()
        for number, fetcher in enumerate(known.fetchers):
            if fetcher.connection:
                self._join_fetcher(number, fetcher.connection)
        for opened in known.sessions:
            session = opened.session
            for partition in session.partitions:
                self.join(partition, session.number)
            for connection in (session.finding.connection, session.last.connection):
                self.join(connection, session.number)
            self._join_fetcher(opened.opener, session.number)
        for ended in known.ended:
            self.join(ended.finding.connection, ended.finding.session)
        for named in known.connections:
            self._root(named.name)
            self._join_fetcher(named.fetcher, named.name)
        for number, holder in known.holders.items():
            self._join_fetcher(holder, number)
        for connection in known.quorum.connections:
            self.join(METADATA, connection)

    def _join_fetcher(self, fetcher: int | None, one: Hashable) -> None:
        self._root(one)
        if fetcher is not None:
            self.join(("fetcher", fetcher, None), one)

    def _sizes(self) -> Counter[Hashable]:
        sizes: Counter[Hashable] = Counter()
        for connection, lines in self._lines.items():
            sizes[self._root(connection)] += lines
        return sizes

    def is_one(self) -> bool:
        """Whether one group has most lines, as it will have where more lines only join groups."""
        sizes = self._sizes()
        return max(sizes.values(), default=0) > _MOST_OF_ONE * sizes.total()

    def shares(self, count: int) -> dict[Hashable, int]:
        """The share of each connection, session and partition that is known, of so many shares.

        All are of share 0 where one group has most lines, or where so much is known that what a
        follower forgets first rests on all of it.
        """
        connections = sum(isinstance(one, str) for one in self._parents)
        sessions = sum(isinstance(one, int) for one in self._parents)
        is_too_much = connections > MOST_CONNECTIONS or sessions > MOST_SESSIONS
        if self.is_one() or is_too_much:
            return {}
        loads = [0] * count
        share_of: dict[Hashable, int] = {}
        sizes = self._sizes()
        first = self._root(METADATA)  # what is known of the quorum is kept by one follower
        for root in (first, *(root for root, _ in sizes.most_common() if root != first)):
            share = share_of[root] = 0 if root == first else loads.index(min(loads))
            loads[share] += sizes[root]
        return {one: share_of.get(self._root(one), 0) for one in list(self._parents)}


def _waiting(state: FollowerState) -> Iterator[Request]:
    """The requests that are read and not judged yet."""
    if state.order is not None:
        for _, _, what in state.order.waiting:
            if isinstance(what, OtherRequest):
                yield what
        for connection in state.order.connections.values():
            for _, _, line in connection.waiting:
                yield line


def merged(states: Sequence[bytes], broker: str) -> FollowerState:
    """What the followers of all shares of a broker knew, in the order of the shares."""
    first, *others = (opened_state(state, broker) for state in states)
    known = first.broker_state = first.broker_state or BrokerState()
    for other in others:
        _add(known, other.broker_state or BrokerState())
    return first


def _add(known: BrokerState, other: BrokerState) -> None:
    before = len(known.fetchers)

    def moved(fetcher: int | None) -> int | None:
        return None if fetcher is None else before + fetcher

    known.logs.update(other.logs)
    known.fetchers += other.fetchers
    known.sessions += [SessionState(one.session, moved(one.opener)) for one in other.sessions]
    known.ended = sorted([*known.ended, *other.ended], key=lambda ended: ended.turn)
    known.connections += [
        ConnectionState(one.name, one.connection, moved(one.fetcher), one.has_number)
        for one in other.connections
    ]
    known.holders.update({number: moved(holder) for number, holder in other.holders.items()})


def share_of_state(state: FollowerState, owns: Callable[[Hashable], bool]) -> None:
    """Leave in a state what one share knows; of other connections the names alone."""
    known = state.broker_state
    if known is None:
        return
    state.broker_state = BrokerState(
        {partition: log for partition, log in known.logs.items() if owns(partition)},
        known.fetchers,
        [one for one in known.sessions if owns(one.session.number)],
        [one for one in known.ended if owns(one.finding.session)],
        [
            one if owns(one.name) else ConnectionState(one.name, Connection(), None, one.has_number)
            for one in known.connections
        ],
        {number: holder for number, holder in known.holders.items() if owns(number)},
        known.quorum if owns(METADATA) else Quorum(),
    )
