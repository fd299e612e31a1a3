"""A leader's fetch sessions: `FetchManager`, its cache, a clock that is turned, and no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep_kafka.drive.messages import (
    UNKNOWN,
    VERSION,
    Answer,
    Interest,
    Messages,
    Request,
    Response,
)

_THROTTLE_MS = 100
_IDS = 2**31 - 1
_JAVA = "org.apache.kafka.server."
_SCALA = "kafka.server."


@dataclass(frozen=True)
class CachedPartition:
    """What a session keeps of a partition."""

    interest: Interest
    high_watermark: int
    log_start_offset: int


@dataclass(frozen=True)
class Session:
    """A session of the cache; its times are the clock's."""

    id: int
    epoch: int
    is_privileged: bool
    created: int
    last_used: int
    partitions: Mapping[str, CachedPartition]


Read = Callable[[str, Interest], tuple[Answer, bool]]
"""What the logs have for a partition that is asked for, and whether its epoch diverges."""


class Leader:
    """The sessions of one broker, new.

    `slots` has the number of slots of each shard. A session may be evicted after `eviction_ms`
    without use. The clock is `now`, in ms.
    """

    def __init__(self, messages: Messages, slots: Sequence[int], eviction_ms: int) -> None:
        self.messages = messages
        self.eviction_ms = eviction_ms
        self.now = 0
        self._jvm = jvm = messages.jvm
        self._is_scala = jvm.version < (4, 3)
        package = _SCALA if self._is_scala else _JAVA
        shard = jvm.named(f"{package}FetchSessionCacheShard")
        share = _IDS // len(slots)
        self._shards = [shard(many, eviction_ms, share, at) for at, many in enumerate(slots)]
        shards = messages.list(self._shards)
        if self._is_scala:
            converters = jvm.named("scala.jdk.javaapi.CollectionConverters")
            cache = jvm.named(f"{_SCALA}FetchSessionCache")(converters.asScala(shards).toSeq())
        else:
            cache = jvm.named(f"{_JAVA}FetchSession$FetchSessionCache")(shards)
        clock = jvm.implement(
            "org.apache.kafka.common.utils.Time",
            milliseconds=lambda: self.now,
            nanoseconds=lambda: self.now * 1_000_000,
        )
        self._manager = jvm.named(f"{package}FetchManager")(clock, cache)
        # Meters are found by name in a registry of the whole process, so that they go on counting.
        self._evicted_before = self._evicted()

    @property
    def size(self) -> int:
        """How many sessions the cache has."""
        return sum(int(self._jvm.call(shard, "size")) for shard in self._shards)

    @property
    def total_partitions(self) -> int:
        """How many partitions the cache counts in all of its sessions."""
        return sum(int(self._jvm.call(shard, "totalPartitions")) for shard in self._shards)

    @property
    def evictions(self) -> int:
        """How many sessions were evicted, by Kafka's own meter."""
        return self._evicted() - self._evicted_before

    def _evicted(self) -> int:
        meters = (self._jvm.call(shard, "evictionsMeter") for shard in self._shards)
        return sum(int(meter.count()) for meter in meters)

    def session(self, session_id: int) -> Session | None:
        """The session with this id; None where the cache does not have it."""
        for _, java in self._found(session_id):
            return self._read(java)
        return None

    def shard(self, session_id: int) -> int:
        """The number of the shard that has a session."""
        return next(number for number, _ in self._found(session_id))

    def _found(self, session_id: int) -> Iterator[tuple[int, Any]]:
        for number, shard in enumerate(self._shards):
            found = self._jvm.call(shard, "get", session_id)
            if not found.isEmpty():
                yield number, found.get()

    def forget_answers(self, session_id: int) -> None:
        """Let a session answer each partition with its next response, changed or not."""
        for _, java in self._found(session_id):
            for partition in self._jvm.field(java, "partitionMap"):
                self._jvm.set_long(partition, "highWatermark", UNKNOWN)

    def _read(self, java: Any) -> Session:
        field = self._jvm.field
        return Session(
            id=int(field(java, "id")),
            epoch=int(field(java, "epoch")),
            is_privileged=bool(field(java, "privileged")),
            created=int(field(java, "creationMs")),
            last_used=int(field(java, "lastUsedMs")),
            partitions={
                str(field(one, "topic")): CachedPartition(
                    interest=Interest(
                        int(field(one, "fetchOffset")),
                        int(field(one, "fetcherLogStartOffset")),
                        int(field(one, "maxBytes")),
                        int(field(one, "leaderEpoch").orElse(UNKNOWN)),
                        int(field(one, "lastFetchedEpoch").orElse(UNKNOWN)),
                    ),
                    high_watermark=int(field(one, "highWatermark")),
                    log_start_offset=int(field(one, "localLogStartOffset")),
                )
                for one in field(java, "partitionMap")
            },
        )

    def open(self, request: Request, version: int = VERSION) -> Any:
        """Take a request in: sessions that it names are found or closed now, none is created."""
        java = request.java
        return self._manager.newContext(
            self._jvm.short(version),
            self.messages.metadata(request.session_id, request.epoch),
            bool(java.isFromFollower()),
            java.fetchData(self.messages.names),
            java.forgottenTopics(self.messages.names),
            self.messages.names,
        )

    def answer(self, context: Any, read: Read) -> Response:
        """The response to a request that was taken in; a session is created now."""
        data = self.messages.map()
        for partition, asked in self._partitions(context):
            name = str(partition.topic())
            answer, diverges = read(name, self.messages.asked(asked))
            data.put(partition, self.messages.answer(partition, answer, diverges=diverges))
        java = context.updateAndGenerateResponseData(data, *self._endpoints())
        return self.messages.read_response(java)

    def throttle(self, context: Any) -> Response:
        """The response to a request that was taken in and is over its quota."""
        java = context.getThrottledResponse(_THROTTLE_MS, *self._endpoints())
        return self.messages.read_response(java)

    def serve(self, request: Request, read: Read) -> Response:
        """Take a request in and answer it."""
        return self.answer(self.open(request), read)

    def _partitions(self, context: Any) -> Iterator[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = []

        def collect(partition: Any, asked: Any) -> None:
            found.append((partition, asked))

        if self._is_scala:
            function = self._jvm.implement("scala.Function2", apply=collect)
        else:
            function = self._jvm.implement("java.util.function.BiConsumer", accept=collect)
        context.foreachPartition(function)
        yield from found

    def _endpoints(self) -> tuple[Any, ...]:
        """The brokers that a response may name, an argument since 4.0."""
        return () if self._jvm.version < (4, 0) else (self.messages.list(),)
