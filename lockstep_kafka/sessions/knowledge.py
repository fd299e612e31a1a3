"""What a log has shown so far of a broker's sessions, of fetchers, and of connections.

`OPEN` stands for what is not fixed: it may have any value, and no verdict rests on it.
"""

from __future__ import annotations

from msgspec import Struct, field

from lockstep_kafka.files.arrival_order import ORDERED_WITHIN_MS
from lockstep_kafka.files.lines import FetchLine, RequestedPartition, TopicPartition
from lockstep_kafka.findings import Place, SessionFinding
from lockstep_kafka.sessions.leader_case import OPEN

NO_SESSION = 0
FIRST_EPOCH = 1
"""The one that a new session expects."""

FULL_DUE = 0
"""In place of a fetcher's next epoch: only a full request can follow."""

FIRST_WITH_TOPIC_IDS = 13
"""The first version of Fetch that names topics by their ids."""

_EPOCHS = 2**31 - 1
"""How many epochs a session goes through before 1 comes again."""

MOST_IDS = 1_000

NO_ORDER = "\n"
"""In place of a file whose lines are not in the order of their writing: no file has this name."""


class Held(Struct, eq=False, array_like=True):
    """What a session has cached of a partition; `interest` None stands for an open one.

    `stable` is the last stable offset sent, `reported_epoch` the leader epoch that was named by the
    request which the watermark answered.
    """

    interest: RequestedPartition | None
    high_watermark: int = OPEN
    log_start: int = OPEN
    stable: int = OPEN
    reported_epoch: int = OPEN


class Fetcher(Struct, eq=False, array_like=True):
    """A client's side of its sessions.

    `session` is the one that it has, 0 for none; `epoch` the one that it sends next. `since` says
    which line brought it there. With `is_whole`, `fetching` has all that it fetches.
    """

    client: str
    uses_topic_ids: bool
    session: int = OPEN
    epoch: int = OPEN
    former: int = NO_SESSION
    """The session that its last full request named."""
    fetching: dict[TopicPartition, RequestedPartition] = field(default_factory=dict)
    is_whole: bool = False
    since: Place | None = None
    connection: str = ""
    completion_ms: int | None = None
    """The connection of its last request, and when that was answered."""

    def is_waiting(self, line: FetchLine) -> bool:
        """Whether an earlier request of the fetcher was still under way when this one arrived."""
        arrival, completion = line.arrival_ms, self.completion_ms
        return (
            self.connection not in ("", line.connection)
            and arrival is not None
            and completion is not None
            and arrival < completion
        )

    def holds(self, session: int, epoch: int, since: Place) -> None:
        """The fetcher has a session now, and sends this epoch next."""
        self.session, self.epoch, self.since = session, epoch, since

    def starts_over(self, session: int, since: Place) -> None:
        """The fetcher can only send a full request next."""
        self.holds(session, FULL_DUE, since)
        self.fetching.clear()
        self.is_whole = False

    def forget(self) -> None:
        """Requests of the fetcher are missing: what it fetches is open."""
        self.fetching.clear()
        self.is_whole = False

    def forget_all(self) -> None:
        """Which session the fetcher has is open, too."""
        self.forget()
        self.session = self.epoch = OPEN
        self.former = NO_SESSION


class Seen(Struct, frozen=True, gc=False, array_like=True):
    """A line of the log by which something is known."""

    connection: str
    position: int
    time_ms: int | None
    file: str

    def is_before(self, other: Seen) -> bool:
        """Whether the line stands before another one of its file: clocks alone order files."""
        return self.file == other.file != NO_ORDER and self.position < other.position


class Turn(Struct, frozen=True, gc=False, array_like=True):
    """A request that was accepted under an id that two sessions may have; 0 is an opening's epoch.

    `sender` is its connection as it was when the request was sent. With an OPEN epoch it is one
    that may be missing before the line: it was accepted or not, or opened a session.
    """

    epoch: int
    seen: Seen
    sender: Connection

    def is_before(self, other: Turn) -> bool:
        """Whether it surely was answered before the other one was sent."""
        return other.sender.has_seen(self.seen.position, self.seen.time_ms, self.seen.file)


class LeaderSession(Struct, eq=False, array_like=True):
    """A session in the broker's cache.

    `epoch` is the one that it expects; it accepted all from `run` to the one before in lines that
    were judged. With `is_whole`, `partitions` has all of its partitions.
    `readable` are those that have records to return for sure. `lagging` are those that the next
    answer names for sure: another fetcher was sent a later watermark, or this one of none. Both
    are in the order in which that was seen: a set's order is another one in each process.
    """

    number: int
    finding: SessionFinding
    since: Place
    opener: Fetcher | None
    uses_topic_ids: bool | None
    """Whether its first request named topics by id; None where the log does not show it."""
    first: Seen
    """The line from which it is followed."""
    last: Seen
    """The last line by which its epoch is known."""
    epoch: int = OPEN
    run: int = OPEN
    is_whole: bool = False
    partitions: dict[TopicPartition, Held] = field(default_factory=dict)
    readable: dict[TopicPartition, None] = field(default_factory=dict)
    lagging: dict[TopicPartition, None] = field(default_factory=dict)
    is_shared: bool = False
    """Whether more than one connection brought it, or its opening."""
    has_several_clients: bool = False
    """Whether another client than that of its finding brought it, or its opening."""
    overtaken: FetchLine | None = None
    """A request answered with INVALID_FETCH_SESSION_EPOCH, if a later one arrived before that."""
    overtaken_seen: Seen | None = None
    turns: list[Turn] = []
    """What was accepted since it was opened with the id of a session that may be alive, and that
    one's last request before; empty where nothing is concluded from it."""
    longest_ms: float = 0.0
    longest_at: int = -1
    """How long the longest request took that its opening's connection sent, and its position."""

    def saw(self, seen: Seen) -> None:
        """A line is the last one by which the epoch is known."""
        self.is_shared |= self.last.connection != seen.connection
        self.last = seen

    def took(self, request_ms: float, seen: Seen) -> None:
        """A request was accepted that took so long."""
        if seen.connection == self.first.connection and request_ms > self.longest_ms:
            self.longest_ms, self.longest_at = request_ms, seen.position

    def is_older_than(self, request_ms: float, seen: Seen) -> bool:
        """Whether a request that took so long surely arrived after the session was opened.

        Another one did, stands before it, and took longer. A broker measures that without the wall
        clock, which accuses nobody by itself, but may say otherwise.
        """
        opened_ms, written_ms = self.first.time_ms, seen.time_ms
        return (
            seen.file == self.first.file != NO_ORDER
            and self.first.position < self.longest_at < seen.position
            and self.longest_ms > request_ms + ORDERED_WITHIN_MS
            and (opened_ms is None or written_ms is None or written_ms - request_ms >= opened_ms)
        )

    def has_accepted(self, epoch: int) -> bool:
        """Whether a line that was judged shows that a request with this epoch was accepted."""
        return (
            OPEN not in (self.run, self.epoch)
            and epochs_between(self.run, epoch) >= 0
            and epochs_between(epoch, self.epoch) > 0
        )


class Connection(Struct, eq=False, array_like=True):
    """A connection, and the fetcher at its other end, once it sent a Fetch.

    `position`, `time_ms` and `file` are those of the last line that surely was written before the
    next Fetch was sent.
    """

    fetcher: Fetcher | None = None
    is_left: bool = False
    """Whether its fetcher connected again. A request that it had sent before may still arrive."""
    correlation_id: int | None = None
    """That of its last Fetch."""
    position: int = -1
    time_ms: int | None = None
    file: str = ""
    outside: SessionFinding | None = None
    """The finding on its requests outside of any session."""
    _others: dict[int, tuple[int, int | None, str]] = field(default_factory=dict)
    """Position, time and file of its other requests, by correlation id. A client that numbers
    requests before it sends them may send a later one first."""

    def other_request(
        self, correlation_id: int, position: int, time_ms: int | None, file: str = ""
    ) -> None:
        """A request of another API takes a correlation id."""
        if len(self._others) > MOST_IDS:
            self._others.clear()  # more requests seem to be missing then, which excuses more
        self._others[correlation_id] = position, time_ms, file

    def has_seen(self, position: int, time_ms: int | None, file: str = "") -> bool:
        """Whether a line was surely written before the next Fetch of the connection was sent.

        No clock says so: the line stands before one of this connection that was, in one file, for
        files are in the order of their first times. Times that say otherwise leave it open.
        """
        return (
            file == self.file != NO_ORDER
            and position <= self.position
            and (time_ms is None or self.time_ms is None or time_ms <= self.time_ms)
        )

    def reach(self, correlation_id: int, place: int) -> int | None:
        """How many requests may be missing before this Fetch; None where any number may be.

        Its line stands at this place of all of the log.
        """
        steps = None
        if self.correlation_id is not None:
            steps = _steps(self.correlation_id, correlation_id)
        between = 0
        for other in tuple(self._others):
            if _steps(other, correlation_id) > 0:
                position, time_ms, file = self._others.pop(other)
                if self.position < position < place:
                    self.position, self.time_ms, self.file = position, time_ms, file
                if self.correlation_id is not None and _steps(self.correlation_id, other) > 0:
                    between += 1
        return None if steps is None or steps <= 0 else steps - 1 - between

    def fetch(
        self, correlation_id: int, position: int, time_ms: int | None, file: str = ""
    ) -> None:
        """A Fetch was answered."""
        self.correlation_id, self.position = correlation_id, position
        self.time_ms, self.file = time_ms, file


def _steps(earlier: int, later: int) -> int:
    """How far one correlation id is from another, as 32 bits wrap; negative where it is before."""
    return (later - earlier + 2**31) % 2**32 - 2**31


def epochs_between(earlier: int, later: int) -> int:
    """How many epochs on from one another is, as epochs wrap; negative where it is before."""
    half = _EPOCHS // 2
    return (later - earlier + half) % _EPOCHS - half


def read_end(stable: int, high_watermark: int, isolation_level: int) -> int:
    """Where a consumer's records end: at the last stable offset if it reads committed ones."""
    return stable if isolation_level == 1 else high_watermark
