"""One voter of a quorum: `KafkaRaftClient` on a log, a store of votes and a clock that are mocked.

They are those of Kafka's own tests. The network is what calls these methods: it takes a request
that a voter has sent, asks another voter, and hands the answer back, or does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from lockstep_kafka.drive.jvm import Jvm

_RAFT = "org.apache.kafka.raft."
_RETAINED = 4
"""How many buffers of a batch are used again."""


class Api(IntEnum):
    """What voters ask each other, by Kafka's number."""

    FETCH = 1
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    FETCH_SNAPSHOT = 59
    UPDATE_RAFT_VOTER = 82


class Halted(Exception):
    """A voter's client has thrown what ends Kafka's process; `text` is the first line of it.

    `is_kafkas` is false where the driver's network threw it, or Java has no memory.
    """

    def __init__(self, node: RaftNode, error: Any, *, is_kafkas: bool) -> None:
        self.number = node.number
        self.text = str(error.toString()).splitlines()[0]
        self.is_kafkas = is_kafkas
        super().__init__(f"voter {self.number} threw {self.text}")


def partition_of(response: Any) -> Any:
    """What a response has for the one partition; a fetch's topics are called `responses`."""
    topics = response.responses() if response.apiKey() == Api.FETCH else response.topics()
    return topics.get(0).partitions().get(0)


@dataclass(frozen=True)
class SnapshotFile:
    """A snapshot: where it ends, and the epochs of the records that it stands for."""

    end_offset: int
    epoch: int
    epochs: tuple[int, ...]


@dataclass(frozen=True)
class Seen:
    """What is seen of a voter.

    `state` is Kafka's name: `Leader`, `Candidate`, `Follower`, `Unattached`, `Resigned` or, since
    4.0, `Prospective`. `leader` is whom it takes for the leader of its epoch, and `voted` whom it
    voted for. `log` has the epoch of each record, and `last_epoch` is that of the last one before
    the end of the log. `snapshot` is the latest one, and `earliest` the epoch of the earliest.
    """

    epoch: int
    state: str
    leader: int | None
    voted: int | None
    high_watermark: int | None
    log_start: int
    log_end: int
    last_epoch: int
    log: tuple[int, ...]
    snapshot: SnapshotFile | None
    earliest: int | None

    @property
    def history(self) -> tuple[int, ...]:
        """The epoch of each record, those that the snapshot stands for included."""
        return (self.snapshot.epochs[: self.log_start] if self.snapshot else ()) + self.log

    @property
    def end(self) -> tuple[int, int]:
        """How far the log goes: a vote is given to who goes as far."""
        return self.last_epoch, self.log_end


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


class RaftNode:
    """A voter, new; `number` is its id, and `voters` are those of all.

    `chunk` is the most bytes of a snapshot in one response: a small file takes several.
    """

    chunk = 100
    leaves_out_deviations = True
    """Whether steps in which Kafka is known to deviate from the model are not offered."""

    def __init__(self, classes: Classes, number: int, voters: Sequence[int]) -> None:
        self.number = number
        self._classes, self._jvm = classes, classes.jvm
        self._addresses = classes.addresses(voters)
        self.forget_vote()
        self.wipe()

    def forget_vote(self) -> None:
        """Lose the epoch and the vote; the client reads them where it starts."""
        self._store = self._classes.store()

    def wipe(self) -> None:
        """Start with an empty log and no snapshot; the vote is still known."""
        classes = self._classes
        self._log = classes.log(classes.partition, classes.uuid.METADATA_TOPIC_ID, classes.context)
        self._files: dict[tuple[int, int], SnapshotFile] = {}
        self._start()

    def restart(self, end: int) -> None:
        """Crash and start with what is on the disk: the log up to an offset."""
        self._jvm.set_long(self._log, "firstUnflushedOffset", end)
        self._log.reopen()
        self._log.truncateToLatestSnapshot()  # as KafkaRaftLog does where it opens a log
        self._start()

    def _start(self) -> None:
        self._parts = parts = Parts(self._classes)
        self._client = self._classes.client(
            self.number, self._addresses, self._log, self._store, parts
        )
        self._quorum = self._jvm.field(self._client, "quorum")
        self._seen: Seen | None = None
        self.sent: dict[tuple[Api, int], Any] = {}
        """By kind and receiver, the last request."""
        self.settle()

    def settle(self, idle_polls: int = 2) -> None:
        """Let the client do all that it does before time passes; `Halted` where it throws.

        It is done when so many polls in turn sent nothing and left nothing to be handled: by one a
        client may take a role, and by the next send the requests of the role.
        """
        quiet, self._seen = 0, None
        while quiet < idle_polls:
            try:
                self._client.poll()
            except self._classes.throwable as error:
                raise Halted(self, error, is_kafkas=self._classes.is_kafkas(error)) from None
            quiet = quiet + 1 if self._parts.queue.isEmpty() else 0
            for request in self._parts.channel.drainSendQueue():
                key = Api(request.data().apiKey()), int(request.destination().id())
                self.sent[key] = request
                quiet = 0

    def elapse(self, milliseconds: int) -> None:
        """Turn the clock on."""
        self._parts.time.sleep(milliseconds)
        self.settle(idle_polls=4)

    def ask(self, data: Any) -> Any:
        """What the client answers a request."""
        version = self._jvm.short(data.highestSupportedVersion())
        request = self._classes.request(self._parts.channel.listenerName(), 0, version, data, 0)
        self._client.handle(request)
        self.settle()
        return request.completion.getNow(None).data()

    def hear(self, request: Any, data: Any) -> None:
        """An answer to a request that the client has sent arrives."""
        self._parts.channel.mockReceive(
            self._classes.response(request.correlationId(), data, request.destination())
        )
        self.settle()

    # What it does by itself.

    def append(self) -> None:
        """As a leader, write a record."""
        records = self._classes.list(["record"])
        self._client.prepareAppend(self.seen.epoch, records)
        self._client.schedulePreparedAppend()
        self.settle()

    def make_snapshot(self, end: int) -> None:
        """Write down what is before an offset, as a state machine does."""
        epochs = self.seen.history[:end]
        writer = self._client.createSnapshot(
            self._classes.offset_and_epoch(end, epochs[-1]), 0
        ).get()
        writer.append(self._classes.list([str(epoch) for epoch in epochs]))
        writer.freeze()
        self._seen = None

    def drop(self) -> None:
        """Let the log start where the latest snapshot ends."""
        self._log.deleteBeforeSnapshot(self._log.latestSnapshotId().get())
        self._seen = None

    # What is seen of it.

    @property
    def seen(self) -> Seen:
        """What is seen of it now; Java is asked once after each change."""
        if self._seen is None:
            self._seen = self._look()
        return self._seen

    def _look(self) -> Seen:
        field = self._jvm.field
        state, log = field(self._quorum, "state"), self._log
        voted, high_watermark = state.election().optionalVotedKey(), self._client.highWatermark()
        leader, earliest = int(self._quorum.leaderIdOrSentinel()), log.earliestSnapshotId()
        return Seen(
            epoch=int(self._quorum.epoch()),
            state=str(state.name()),
            leader=None if leader < 0 else leader,
            voted=int(voted.get().id()) if voted.isPresent() else None,
            high_watermark=int(high_watermark.getAsLong()) if high_watermark.isPresent() else None,
            log_start=int(log.startOffset()),
            log_end=int(log.endOffset().offset()),
            last_epoch=int(log.lastFetchedEpoch()),
            log=tuple(
                int(field(batch, "epoch"))
                for batch in field(log, "batches")
                for _ in range(field(batch, "entries").size())
            ),
            snapshot=self._latest_snapshot(),
            earliest=int(earliest.get().epoch()) if earliest.isPresent() else None,
        )

    def _latest_snapshot(self) -> SnapshotFile | None:
        found = self._log.latestSnapshotId()
        if not found.isPresent():
            return None
        java = found.get()
        key = int(java.offset()), int(java.epoch())
        if key not in self._files:
            self._files[key] = SnapshotFile(*key, tuple(self._written(java)))
        return self._files[key]

    def _written(self, snapshot: Any) -> Iterator[int]:
        for batch in self._log.readSnapshot(snapshot).get().records().batches():
            if not batch.isControlBatch():
                for record in batch:
                    yield int(str(self._classes.texts.utf8(record.value())))
