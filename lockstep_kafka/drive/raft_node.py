"""One voter of a quorum: `KafkaRaftClient` on a log, a store of votes and a clock that are mocked.

They are those of Kafka's own tests. The network is what calls these methods: it takes a request
that a voter has sent, asks another voter, and hands the answer back, or does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from lockstep_kafka.drive.raft_classes import Classes, Parts


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


@dataclass(frozen=True)
class Held:
    """What a replica has of snapshots, each by its end and epoch: the bytes of its files.

    `part` is the snapshot that it fetches, with the bytes so far.
    """

    files: Mapping[tuple[int, int], bytes]
    part: tuple[tuple[int, int], bytes] | None


class RaftNode:
    """A voter, new, or an observer; `number` is its id, and `voters` are those of all voters.

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
        self._read: tuple[object, tuple[int, ...]] = None, ()
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
        self._changed()
        self.sent: dict[tuple[Api, int], Any] = {}
        """By kind and receiver, the last request."""
        self.latest: Any = None
        """The last request of all."""
        self.settle()

    def settle(self, polls: int = 2) -> None:
        """Let the client do all that it does before time passes; `Halted` where it throws.

        It is done when so many polls in turn sent nothing and left nothing to be handled: by one a
        client may take a role, and by the next send the requests of the role.
        """
        channel, queue = self._parts.channel, self._parts.queue
        self._changed()
        is_quiet = False
        while not is_quiet:
            try:
                for _ in range(polls):
                    self._client.poll()
            except self._classes.throwable as error:
                raise Halted(self, error, is_kafkas=self._classes.is_kafkas(error)) from None
            is_quiet = not channel.hasSentRequests()
            for request in () if is_quiet else channel.drainSendQueue():
                key = Api(request.data().apiKey()), int(request.destination().id())
                self.sent[key] = self.latest = request
            is_quiet = is_quiet and queue.isEmpty()

    def elapse(self, milliseconds: int) -> None:
        """Turn the clock on."""
        self._parts.time.sleep(milliseconds)
        self.settle(polls=4)

    def ask(self, data: Any) -> Any:
        """What the client answers a request."""
        version = self._jvm.short(data.highestSupportedVersion())
        request = self._classes.request(self._parts.channel.listenerName(), 0, version, data, 0)
        self._client.handle(request)
        self.settle()
        return request.completion.getNow(None).data()

    def hear(self, request: Any, data: Any) -> None:
        """An answer to a request that the client has sent arrives, and may do so again."""
        self._parts.queue.add(
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
        self._changed()

    def drop(self, end: int) -> None:
        """Let the log start where a snapshot ends."""
        found = self._jvm.field(self._log, "snapshots").keySet()
        self._log.deleteBeforeSnapshot(next(one for one in found if int(one.offset()) == end))
        self._changed()

    # What is seen of it.

    def _changed(self) -> None:
        self._seen: Seen | None = None
        self._held: Held | None = None

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
            state=type(state).__name__.rpartition(".")[2].removesuffix("State"),
            leader=None if leader < 0 else leader,
            voted=int(voted.get().id()) if voted.isPresent() else None,
            high_watermark=int(high_watermark.getAsLong()) if high_watermark.isPresent() else None,
            log_start=int(log.startOffset()),
            log_end=int(log.endOffset().offset()),
            last_epoch=int(log.lastFetchedEpoch()),
            log=self._epochs(),
            snapshot=self._latest_snapshot(),
            earliest=int(earliest.get().epoch()) if earliest.isPresent() else None,
        )

    def _epochs(self) -> tuple[int, ...]:
        """The epoch of each record; the log is read where something was added or has gone."""
        log, field = self._log, self._jvm.field
        state = field(log, "nextId"), log.startOffset(), log.endOffset().offset()
        if self._read[0] != state:
            self._read = (
                state,
                tuple(
                    int(field(batch, "epoch"))
                    for batch in field(log, "batches")
                    for _ in range(field(batch, "entries").size())
                ),
            )
        return self._read[1]

    @property
    def committed(self) -> int:
        """Up to where the log knows that it is committed: 0 after a restart."""
        return int(self._log.highWatermark().offset())

    @property
    def held(self) -> Held:
        """What it has of snapshots now."""
        if self._held is None:
            self._held = Held(self._files_now(), self._part())
        return self._held

    def _files_now(self) -> Mapping[tuple[int, int], bytes]:
        found = {}
        for java, reader in self._jvm.field(self._log, "snapshots").items():
            whole = reader.slice(0, int(reader.sizeInBytes())).buffer()
            found[int(java.offset()), int(java.epoch())] = self._classes.bytes_of(whole)
        return found

    def _part(self) -> tuple[tuple[int, int], bytes] | None:
        state = self._jvm.field(self._quorum, "state")
        if str(state.name()) != "Follower" or not state.fetchingSnapshot().isPresent():
            return None
        writer = state.fetchingSnapshot().get()
        java, so_far = writer.snapshotId(), self._jvm.field(writer, "data").buffer().duplicate()
        so_far.flip()
        key = int(java.offset()), int(java.epoch())
        return key, self._classes.bytes_of(so_far)

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
