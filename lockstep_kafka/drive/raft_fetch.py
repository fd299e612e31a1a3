"""`snapshot_fetch` on Kafka's own quorum: a `KafkaRaftClient` for each voter and each observer.

An epoch of the model is one in which Kafka's voters have elected a leader, and a unit of a file is
as many of its bytes as fit once for each record; what is left over is the footer's.

A leader of Kafka's writes a record as soon as it is elected: the model's `write_record` is what a
leader may do by itself, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lockstep.drive.driver import NOT_DONE, Took
from lockstep.errors import LockstepError
from lockstep_kafka.drive.raft_files import FOOTER, OUTSIDE, File
from lockstep_kafka.drive.raft_node import Api, RaftNode, partition_of
from lockstep_kafka.drive.raft_quorum import Quorum, kind_of

_ANSWERS = {
    0: ("NONE", "answer_chunk"),
    6: ("NOT_LEADER_OR_FOLLOWER", "answer_not_leader"),
    74: ("FENCED_LEADER_EPOCH", "answer_fenced"),
    75: ("UNKNOWN_LEADER_EPOCH", "answer_unknown_epoch"),
    98: ("SNAPSHOT_NOT_FOUND", "answer_snapshot_not_found"),
}
"""By Kafka's code of an error, its name, and the model's action."""


@dataclass
class Answer:
    """The answer to a request for a chunk, which is under way; `is_copy` where it has arrived."""

    request: Any
    response: Any
    file: File | None
    """The one that was asked for; None where who was asked does not have it."""
    is_copy: bool = False

    @property
    def error(self) -> int:
        """Kafka's code."""
        return int(partition_of(self.response).errorCode())


class FetchingQuorum(Quorum):
    """What drives `snapshot_fetch`."""

    models: ClassVar = ("snapshot_fetch",)
    outcomes: ClassVar = {
        "fetch": ("fetch_record", "fetch_nothing", "fetch_diverging", "fetch_snapshot_id"),
        "ask": tuple(action for _, action in _ANSWERS.values()),
        "receive": ("receive_chunk", "receive_last_chunk", "receive_damaged"),
        "write_record": ("write_record",),
    }
    by_itself: ClassVar = ("write_record",)
    never: ClassVar = {"damage_chunk": "Kafka checks a file only when the log is gone: 630-D15"}

    def check(self, constants: Mapping[str, Any]) -> None:
        self._refuse_set(constants, "FETCHES_WAIT", "fetches that are answered at once")
        if constants["FETCH_RULE"] != "earliest":
            raise LockstepError(
                "Apache Kafka answers fetches by the earliest snapshot, and FETCH_RULE is "
                f"{constants['FETCH_RULE']}",
                cure="choose a scope in which FETCH_RULE is earliest",
            )

    def reset(self, constants: Mapping[str, Any]) -> None:
        self._constants = constants
        self._damaged = constants["MAX_EPOCH"] + 1
        voters = tuple(constants["VOTERS"])
        self._begin_with(tuple(constants["REPLICAS"]), voters)
        self._voters = [self._numbers[name] for name in voters]
        self._epochs = [0]
        """Of Kafka, by the model's."""
        self._elected: dict[int, int] = {}
        """By Kafka's epoch, who was elected."""
        self._begins: dict[int, Mapping[int, Any]] = {}
        """By Kafka's epoch and voter, how its leader says that it leads."""
        self._made: dict[tuple[int, int], list[File]] = {}
        """By its end and epoch, what replicas have written of a snapshot."""
        self._answers: dict[int, Answer] = {}
        """By replica, what it has not heard yet."""
        first, *others = self._voters
        self._elect(first, {first, *others[: len(self._voters) // 2]})
        for one in self._nodes:
            self._hear(one, self._epochs[-1])

    # Leaders.

    def _do_elect(self, r: int, majority: set[int]) -> object:
        if self._is_full(r):
            return NOT_DONE  # a leader of Kafka's writes a record when it is elected
        self._elect(r, majority)
        return None

    def _is_full(self, r: int) -> bool:
        return bool(self._nodes[r].seen.log_end >= self._constants["MAX_OFFSET"])

    def _elect(self, r: int, majority: set[int]) -> None:
        candidate = self._nodes[r]
        self._stand(candidate, self._epochs[-1])
        for v in majority - {r}:
            request = candidate.sent[Api.VOTE, v]
            candidate.hear(request, self._nodes[v].ask(request.data()))
        epoch, others = candidate.seen.epoch, [v for v in self._voters if v != r]
        self._epochs.append(epoch)
        self._elected[epoch] = r
        begins = ((v, candidate.sent.get((Api.BEGIN_QUORUM_EPOCH, v))) for v in others)
        self._begins[epoch] = {v: request for v, request in begins if request is not None}
        for v in majority - {r}:
            self._hear(v, epoch)

    def _do_hear_of_epoch(self, r: int, epoch: int) -> object:
        return self._hear(r, self._epochs[epoch])

    def _hear(self, r: int, epoch: int) -> object:
        """A voter hears of an epoch from its leader, an observer from one that knows."""
        node = self._nodes[r]
        if (node.seen.epoch, node.seen.leader) == (epoch, self._elected[epoch]):
            return None
        if r in self._voters:
            node.ask(self._begins[epoch][r].data())
            return None
        knowing = (one for one in self._nodes.values() if one.seen.epoch == epoch)
        known = next((one for one in knowing if one.seen.leader is not None), None)
        if known is None:
            return NOT_DONE  # an observer asks, and nobody says
        request = node.latest
        node.hear(request, known.ask(request.data()))
        return None

    def _do_restart_leader(self, r: int) -> None:
        self._nodes[r].restart(self._nodes[r].seen.log_end)

    def _do_write_record(self, r: int) -> None:
        self._nodes[r].append()

    # Snapshots.

    def _do_generate_snapshot(self, r: int, end: int) -> object:
        node = self._nodes[r]
        if end > node.committed:
            return NOT_DONE  # after a restart its state machine has yet to hear what is committed
        node.make_snapshot(end)
        file = node.seen.snapshot
        assert file is not None
        units = (*map(self._epochs.index, file.epochs), FOOTER)
        data = node.held.files[file.end_offset, file.epoch]
        self._made.setdefault((file.end_offset, file.epoch), []).append(File(data, units))
        return None

    def _do_age(self, end: int) -> None:
        pass

    def _do_advance_log_start(self, r: int, end: int) -> object:
        if end > self._nodes[r].committed:
            return NOT_DONE
        self._nodes[r].drop(end)
        return None

    # Fetches.

    def _do_fetch(self, r: int) -> object:
        node, leader = self._nodes[r], self._leader_of(r)
        if self._deviates(node, leader):
            return NOT_DONE
        request, response = self._fetch(r)
        partition = partition_of(response)
        kind = kind_of(partition)
        if kind == "records":
            kind = "record" if int(partition.records().sizeInBytes()) else "nothing"
            self._cut(partition, 1)
        node.hear(request, response)
        return Took(f"fetch_{kind}")

    def _do_lose_fetch(self, r: int) -> object:
        if self._deviates(self._nodes[r], self._leader_of(r)):
            return NOT_DONE
        self._fetch(r)
        return None

    def _leader_of(self, r: int) -> RaftNode:
        return self._nodes[self._elected[self._nodes[r].seen.epoch]]

    def _fetch(self, r: int) -> tuple[Any, Any]:
        """The request of a follower, and the answer to it."""
        node, leader = self._nodes[r], self._leader_of(r)
        self._hear(r, node.seen.epoch)  # after a restart it has to
        request = node.sent[Api.FETCH, leader.number]
        return request, leader.ask(request.data())

    def _deviates(self, node: RaftNode, leader: RaftNode) -> bool:
        """Whether the answer to a fetch, or what follows it, is known to deviate.

        A follower's log start does not move with the leader's: 630-D12.
        """
        moves = not self._constants["CLEANS_BY_RETENTION"] and self._leaves_out
        own = 0 if node.seen.snapshot is None else node.seen.snapshot.end_offset
        return (moves and min(own, leader.seen.log_start) > node.seen.log_start) or self._is_early(
            node.seen, leader.seen, is_for_empty=self._constants["SNAPSHOT_FOR_EMPTY_LOGS"]
        )

    # Downloads.

    def _do_ask(self, r: int) -> object:
        leader = self._leader_of(r)
        request = self._nodes[r].sent[Api.FETCH_SNAPSHOT, leader.number]
        data = request.data()
        asked = partition_of(data)
        key = int(asked.snapshotId().endOffset()), int(asked.snapshotId().epoch())
        file = self._file(key, leader.held.files.get(key))
        if file is not None:
            position = int(asked.position())
            unit = file.unit_at(position)
            data.setMaxBytes(file.at(unit + self._constants["MAX_BYTES"]) - position)
        answer = self._answers[r] = Answer(request, leader.ask(data), file)
        return Took(_ANSWERS[answer.error][1]) if answer.error in _ANSWERS else None

    def _do_receive(self, r: int, repeated: bool) -> object:
        answer = self._answers[r]
        if answer.is_copy or self._would_halt(r, answer):
            return NOT_DONE  # by its number Kafka knows that what is answered is not under way
        self._deliver(r)
        if repeated:
            self._answers[r] = answer
            answer.is_copy = True
        return None

    def _would_halt(self, r: int, answer: Answer) -> bool:
        """Whether the last chunk of a snapshot no newer than the log arrives: 630-D17."""
        chunk, node = partition_of(answer.response), self._nodes[r].seen
        size = int(chunk.position()) + int(chunk.unalignedRecords().sizeInBytes())
        snapshot = int(chunk.snapshotId().epoch()), int(chunk.snapshotId().endOffset())
        return self._leaves_out and size == int(chunk.size()) and snapshot <= node.end

    def _deliver(self, r: int) -> None:
        answer = self._answers.pop(r)
        self._nodes[r].hear(answer.request, answer.response)

    def _do_receive_error(self, r: int) -> object:
        is_kept_on = _ANSWERS.get(self._answers[r].error, ("", ""))[0] != "SNAPSHOT_NOT_FOUND"
        if self._leaves_out and is_kept_on:
            return NOT_DONE  # Kafka asks again: 630-D26
        self._deliver(r)
        return None

    _do_receive_fenced = _do_ignore_response = _deliver

    def _do_lose_response(self, r: int) -> None:
        del self._answers[r]

    def _do_restart_follower(self, r: int) -> None:
        self._answers.pop(r, None)
        self._nodes[r].restart(self._nodes[r].seen.log_end)

    def _do_lose_disk(self, r: int) -> object:
        if r in self._voters:
            return NOT_DONE  # it would vote again, for voters are known by their ids alone: 630-D33
        self._answers.pop(r, None)
        self._nodes[r].forget_vote()
        self._nodes[r].wipe()
        return None

    # What is observed.

    def observe(self) -> Mapping[str, object]:
        """Of each replica its epoch, log, snapshots, download and what it is answered; who leads.

        The high watermark is observed where Kafka has one. Who has halted is seen as what it
        threw, among those who lead, and no state explains that.
        """
        if self._halted:
            return {"leading": set(self._halted.values())}
        leads = {self._names[n] for n, of in self._nodes.items() if of.seen.state == "Leader"}
        return {"leading": leads, **self._of_each()}

    def _observe(self, number: int) -> Mapping[str, object]:
        node = self._nodes[number]
        of = node.seen
        ends: dict[int, object] = dict.fromkeys(range(self._constants["MAX_OFFSET"] + 1))
        for key, data in node.held.files.items():
            ends[key[0]] = self._read(key, data)
        seen: dict[str, object] = {
            "epoch": self._epoch(of.epoch),
            "log_start": of.log_start,
            "log": tuple(map(self._epoch, of.log)),
            "snapshots": ends,
            "download": None,
            "response": self._response(number),
        }
        if node.held.part is not None:
            key, data = node.held.part
            part = self._read(key, data) if data else ()
            seen["download"] = {"snapshot": self._id(*key), "part": part}
        if of.high_watermark is not None:
            seen["high_watermark"] = of.high_watermark
        return seen

    def _response(self, r: int) -> object:
        if r not in self._answers:
            return None
        answer = self._answers[r]
        chunk, file = partition_of(answer.response), answer.file
        seen: dict[str, object] = {
            "error": _ANSWERS[answer.error][0] if answer.error in _ANSWERS else str(answer.error),
            "leader_epoch": self._epoch(int(chunk.currentLeader().leaderEpoch())),
        }
        if file is not None and not answer.error:
            position, size = int(chunk.position()), int(chunk.size())
            data = self._classes.bytes_of(chunk.unalignedRecords().buffer())
            seen["snapshot"] = self._id(
                int(chunk.snapshotId().endOffset()), int(chunk.snapshotId().epoch())
            )
            seen["size"] = len(file.units) if size == len(file.data) else OUTSIDE
            seen["position"] = file.unit_at(position)
            seen["units"] = file.read(data, position, self._damaged)
        return seen

    def _epoch(self, epoch: int) -> int:
        """The model's epoch of Kafka's."""
        return self._epochs.index(epoch) if epoch in self._epochs else OUTSIDE

    def _id(self, end: int, epoch: int) -> Mapping[str, int]:
        return {"end_offset": end, "epoch": self._epoch(epoch)}

    def _file(self, key: tuple[int, int], data: bytes | None) -> File | None:
        """What was written of a snapshot, by the one whose file begins with these bytes."""
        if data is None:
            return None
        return next((one for one in self._made.get(key, ()) if one.data.startswith(data)), None)

    def _read(self, key: tuple[int, int], data: bytes) -> tuple[int, ...]:
        """The units of the first bytes of a snapshot."""
        file = self._file(key, data)
        return (self._damaged,) if file is None else file.read(data, 0, self._damaged)
