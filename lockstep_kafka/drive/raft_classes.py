"""Kafka's classes of a quorum, of one release: those of its tests, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep_kafka.drive.jvm import Jvm

_RAFT = "org.apache.kafka.raft."
_RETAINED = 4
"""How many buffers of a batch are used again."""


class Classes:
    """What is needed of the classes of a release, looked up once."""

    def __init__(self, jvm: Jvm) -> None:
        self.jvm = jvm
        common, server = "org.apache.kafka.common.", "org.apache.kafka.server.common."
        self.log = jvm.named(f"{_RAFT}MockLog")
        self.store = jvm.named(f"{_RAFT}MockQuorumStateStore")
        self.channel = jvm.named(f"{_RAFT}MockNetworkChannel")
        self.queue = jvm.named(f"{_RAFT}MockMessageQueue")
        self.time = jvm.named(f"{common}utils.MockTime")
        self.request = jvm.named(f"{_RAFT}RaftRequest$Inbound")
        self.response = jvm.named(f"{_RAFT}RaftResponse$Inbound")
        self.messages = jvm.named(f"{_RAFT}RaftUtil")
        self.replica = jvm.named(f"{_RAFT}ReplicaKey")
        self.offset_and_epoch = jvm.named(f"{_RAFT}OffsetAndEpoch", f"{server}OffsetAndEpoch")
        self.partition = jvm.named(f"{common}TopicPartition")("metadata", 0)
        self.uuid = jvm.named(f"{common}Uuid")
        self.keys = jvm.named(f"{common}protocol.ApiKeys")
        self.errors = jvm.named(f"{common}protocol.Errors")
        self.records = jvm.named(
            f"{common}record.internal.MemoryRecords", f"{common}record.MemoryRecords"
        )
        self.texts = jvm.named(f"{common}utils.Utils")
        self.list = jvm.named("java.util.ArrayList")
        self.throwable = jvm.named("java.lang.Throwable")
        self._of_the_machine = jvm.named("java.lang.VirtualMachineError")
        self.context = jvm.named(
            f"{common}utils.internals.LogContext", f"{common}utils.LogContext"
        )()
        settings = jvm.named(f"{_RAFT}QuorumConfig")
        values = jvm.named(f"{common}config.AbstractConfig")
        at_once = jvm.named("java.util.HashMap")()
        at_once.put("controller.quorum.append.linger.ms", jvm.named("java.lang.Integer")(0))
        self._settings = settings(values(settings.CONFIG_DEF, at_once))
        client = jvm.named(f"{_RAFT}KafkaRaftClient")
        # A batch is as large as it may become, and to allocate one takes longer than all else.
        pool = jvm.named(f"{_RAFT}internals.BatchMemoryPool")
        self._pool = pool(_RETAINED, client.MAX_BATCH_SIZE_BYTES)
        self._new = max(
            client.class_.getDeclaredConstructors(), key=lambda one: int(one.getParameterCount())
        )
        self._new.setAccessible(True)

    def is_kafkas(self, error: Any) -> bool:
        """Whether Kafka's code threw an error, and not the mocked network or Java itself."""
        thrown_in = next((str(one.getClassName()) for one in error.getStackTrace()), "")
        ours = f"{_RAFT}MockNetworkChannel", f"{_RAFT}MockMessageQueue"
        return not isinstance(error, self._of_the_machine) and not thrown_in.startswith(ours)

    def bytes_of(self, buffer: Any) -> bytes:
        """What is left of a `ByteBuffer`, which stays as it is."""
        return bytes(memoryview(self.texts.toArray(buffer)))

    def addresses(self, voters: Sequence[int]) -> Any:
        """Where voters listen; nobody calls them there."""
        jvm = self.jvm
        found = jvm.named("java.util.HashMap")()
        address = jvm.named("java.net.InetSocketAddress")
        for one in voters:
            found.put(jvm.named("java.lang.Integer")(one), address.createUnresolved("voter", one))
        return found

    def client(self, number: int, addresses: Any, log: Any, store: Any, parts: Parts) -> Any:
        """A client that begins with what is in its log and store."""
        jvm, common = self.jvm, "org.apache.kafka.common."
        listener = parts.channel.listenerName()
        voters = jvm.named(f"{_RAFT}VoterSet").fromInetSocketAddresses(listener, addresses)
        versions = jvm.named(f"{common}feature.SupportedVersionRange")
        client = self._new.newInstance(
            jvm.named("java.util.OptionalInt").of(number),
            self.uuid(0, number),
            jvm.named(f"{_RAFT}internals.StringSerde")(),
            parts.channel,
            parts.queue,
            log,
            self._pool,
            parts.time,
            jvm.named(f"{_RAFT}MockExpirationService")(parts.time),
            jvm.named("java.lang.Integer")(0),
            jvm.named("java.lang.Boolean")(False),
            "cluster",
            self.list(),
            voters.listeners(number),
            versions(jvm.short(0), jvm.short(1)),
            self.context,
            jvm.named("java.util.Random")(1),
            self._settings,
        )
        metrics = jvm.named(f"{common}metrics.Metrics")(parts.time)
        more: tuple[Any, ...] = ()
        if jvm.version >= (4, 0):
            ignore: dict[str, Any] = {"setIgnoredStaticVoters": lambda _: None}
            more = (jvm.implement(f"{_RAFT}ExternalKRaftMetrics", **ignore),)
        client.initialize(addresses, store, metrics, *more)
        return client


class Parts:
    """What a client is given to reach the world: a channel, a queue and a clock."""

    def __init__(self, classes: Classes) -> None:
        self.channel, self.queue = classes.channel(), classes.queue()
        self.time = classes.time()
