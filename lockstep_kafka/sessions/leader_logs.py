"""What a broker has reported of its partitions: a bound on what it can report next."""

from __future__ import annotations

from msgspec import Struct, field

from lockstep_kafka.files.lines import AnsweredPartition, TopicPartition
from lockstep_kafka.sessions.exchange import Exchange
from lockstep_kafka.sessions.knowledge import Connection, LeaderSession

_MOST_TELLINGS = 64


class Telling(Struct, eq=False, array_like=True):
    """An offset that was reported to a fetcher, and where the line stands that says so."""

    position: int
    time_ms: int | None
    high_watermark: int
    log_start: int


class LeaderLog(Struct, eq=False, array_like=True):
    """What all fetchers together were answered for a partition, in one epoch of its leader.

    It is that of the lines of one file: the order of files is not known for sure.
    """

    leader_epoch: int
    tellings: list[Telling] = field(default_factory=list)
    file: str = ""

    def tell(self, position: int, time_ms: int | None, high_watermark: int, log_start: int) -> bool:
        """Keep what a line says, if it is more than is there; whether the watermark is later.

        Lines come in the order of arrival, which is not quite that in which they stand.
        """
        tellings = self.tellings
        place = len(tellings)
        while place and tellings[place - 1].position > position:
            place -= 1
        if place:
            earlier = tellings[place - 1]
            if high_watermark <= earlier.high_watermark and log_start <= earlier.log_start:
                return False
            high_watermark = max(high_watermark, earlier.high_watermark)
            log_start = max(log_start, earlier.log_start)
        is_later = place == len(tellings) or high_watermark > tellings[-1].high_watermark
        for later in tellings[place:]:
            later.high_watermark = max(later.high_watermark, high_watermark)
            later.log_start = max(later.log_start, log_start)
        tellings.insert(place, Telling(position, time_ms, high_watermark, log_start))
        if len(tellings) > _MOST_TELLINGS:
            del tellings[: _MOST_TELLINGS // 2]
        return is_later

    @property
    def highest(self) -> int:
        """The latest high watermark that was reported to any fetcher."""
        return self.tellings[-1].high_watermark

    def before(self, connection: Connection) -> tuple[int, int]:
        """The least high watermark and log start that the next Fetch of a connection can see."""
        if connection.file != self.file:
            return 0, 0  # as `has_seen` says of each
        has_seen, file = connection.has_seen, self.file
        for telling in reversed(self.tellings):
            if has_seen(telling.position, telling.time_ms, file):
                return telling.high_watermark, telling.log_start
        return 0, 0


class LeaderLogs:
    """What one broker has reported of its partitions, and which sessions learned of it."""

    def __init__(self) -> None:
        self._logs: dict[TopicPartition, LeaderLog] = {}
        self._up_to_date: dict[TopicPartition, set[LeaderSession]] = {}
        """Of each partition the sessions that do not lag in it: those that do get no more."""

    def state(self) -> dict[TopicPartition, LeaderLog]:
        """What was answered. It shares its parts with what is here, which may change them."""
        return self._logs

    def restore(self, logs: dict[TopicPartition, LeaderLog]) -> None:
        """Put in what was answered, where nothing was yet."""
        self._logs.update(logs)

    def least(
        self, partition: TopicPartition, leader_epoch: int, exchange: Exchange
    ) -> tuple[int, int]:
        """The least high watermark and log start that the leader has when it serves a request.

        Nothing is known of them where the request does not say which topic and which leader epoch
        it means: the topic may be recreated under its name, and a former leader that follows takes
        the watermark of the new one.
        """
        if not exchange.is_definite(leader_epoch):
            return 0, 0
        return self._before(partition, leader_epoch, exchange.position.connection)

    def _before(
        self, partition: TopicPartition, leader_epoch: int, connection: Connection
    ) -> tuple[int, int]:
        """The same, of what was answered in one leader epoch."""
        log = self._logs.get(partition)
        if log is None or log.leader_epoch != leader_epoch:
            return 0, 0
        return log.before(connection)

    def tell(
        self,
        partition: TopicPartition,
        leader_epoch: int,
        answer: AnsweredPartition,
        exchange: Exchange,
    ) -> bool:
        """Keep what a response says of a partition; whether no watermark was reported later."""
        high_watermark = max(answer.high_watermark, 0)
        position, file = exchange.position.number, exchange.line.file
        log = self._logs.get(partition)
        if (
            log is None
            or log.leader_epoch < leader_epoch
            or (file != log.file and log.tellings[-1].position < position)
        ):
            log = self._logs[partition] = LeaderLog(leader_epoch, file=file)
        if (log.leader_epoch, log.file) == (leader_epoch, file) and log.tell(
            position,
            exchange.line.time_ms,
            high_watermark,
            max(answer.log_start_offset, 0),
        ):
            self._outdate(partition)
        return log.highest <= high_watermark

    def _outdate(self, partition: TopicPartition) -> None:
        """The sessions of a partition lag in it from now on."""
        for session in self._up_to_date.pop(partition, ()):
            session.lagging[partition] = None

    def forget(self, partition: TopicPartition) -> None:
        """The partition is another one, or has another leader: nothing is known of it."""
        self._logs.pop(partition, None)

    def forget_all(self) -> None:
        """The broker started again."""
        self._logs.clear()

    def watch(self, partition: TopicPartition, session: LeaderSession) -> None:
        """A session has the partition; where it does not lag yet, a later watermark makes it."""
        if partition not in session.lagging:
            self._up_to_date.setdefault(partition, set()).add(session)

    def lag(self, partition: TopicPartition, session: LeaderSession) -> None:
        """A session lags in the partition, whatever is reported from now on."""
        session.lagging[partition] = None
        self.leave(partition, session)

    def leave(self, partition: TopicPartition, session: LeaderSession) -> None:
        """A session has the partition no more, or need not hear of it."""
        sessions = self._up_to_date.get(partition)
        if sessions is not None:
            sessions.discard(session)
            if not sessions:
                del self._up_to_date[partition]
