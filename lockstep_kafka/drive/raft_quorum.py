"""Kafka's own quorum: several `KafkaRaftClient`s, between which the driver is the network.

A request and its response are one step between two replicas where the model has it so, and what is
lost is not sent. Each replica has a clock of its own, which is turned only where it is to time out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.drive.driver import Driver
from lockstep.errors import LockstepError
from lockstep_kafka.drive.raft_classes import Classes
from lockstep_kafka.drive.raft_node import Api, Halted, RaftNode, Seen

LONG_MS = 10_000
"""Longer than each timeout of a voter: of an election, of a fetch, and of a leader's majority."""
_TURNS = 16
"""How many timeouts may pass until a voter stands as a candidate: a leader resigns first."""


class Quorum(Driver):
    """What is common to the drivers of both models; replicas are known by numbers from 1 on."""

    def __init__(self, classes: Classes, make_node: type[RaftNode]) -> None:
        self.software = f"Apache Kafka {classes.jvm.release}"
        self._classes, self._make_node = classes, make_node

    def _begin_with(self, replicas: tuple[str, ...], voters: tuple[str, ...]) -> None:
        """New replicas, of which some are voters."""
        self._numbers = {name: at + 1 for at, name in enumerate(replicas)}
        self._names = {number: name for name, number in self._numbers.items()}
        of_voters = [self._numbers[name] for name in voters]
        self._nodes = {one: self._make_node(self._classes, one, of_voters) for one in self._names}
        self._halted: dict[int, str] = {}
        """By replica, what its client threw: there is no process any more."""

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        numbers = {name: self._number(value) for name, value in arguments.items()}
        try:
            return getattr(self, f"_do_{action}")(**numbers)
        except Halted as halted:
            if not halted.is_kafkas:
                raise
            self._halted[halted.number] = halted.text
            return None

    def _refuse_set(self, constants: Mapping[str, Any], name: str, driven: str) -> None:
        """`LockstepError` where a constant is set without which this is driven."""
        if constants[name]:
            raise LockstepError(
                f"kafka-raft drives {driven}, and {name} is set",
                cure=f"choose a scope in which {name} is false",
            )

    def _observe(self, number: int) -> Mapping[str, object]:
        """Of one replica, the variables that have a value for each."""
        raise NotImplementedError

    def _of_each(self) -> dict[str, Any]:
        """These variables of all replicas."""
        seen: dict[str, Any] = {}
        for number, name in self._names.items():
            for variable, value in self._observe(number).items():
                seen.setdefault(variable, {})[name] = value
        return seen

    def _number(self, value: Any) -> Any:
        if isinstance(value, frozenset):
            return {self._numbers[name] for name in value}
        return self._numbers.get(value, value)

    @property
    def _leaves_out(self) -> bool:
        """Whether steps in which Kafka is known to deviate from the model are not offered."""
        return self._make_node.leaves_out_deviations

    def _stand(self, node: RaftNode, after: int) -> None:
        """Let time pass until a voter is a candidate of a later epoch than one."""
        for _ in range(_TURNS):
            node.elapse(LONG_MS)
            if node.seen.state == "Prospective":
                self._skip_pre_vote(node)
            if node.seen.state == "Candidate" and node.seen.epoch > after:
                break

    def _skip_pre_vote(self, node: RaftNode) -> None:
        """As voters of releases before 4.0 answer, so that a candidate need not be asked for."""
        unknown = self._classes.messages.errorResponse(
            self._classes.keys.VOTE, self._classes.errors.UNSUPPORTED_VERSION
        )
        asked = next(one for one in self._nodes if (Api.VOTE, one) in node.sent)
        node.hear(node.sent[Api.VOTE, asked], unknown)

    def _is_early(self, follower: Seen, leader: Seen, *, is_for_empty: bool = False) -> bool:
        """Whether Kafka names a snapshot although the leader's log is whole, and that is left out.

        It does so for an empty log (630-D21), unless the model does too, and for one that ends in
        an older epoch than the earliest snapshot (630-D42).
        """
        if leader.log_start > 0 or leader.earliest is None or not self._leaves_out:
            return False
        if follower.log_end == 0:
            return not is_for_empty
        return follower.last_epoch < leader.earliest

    def _cut(self, partition: Any, count: int) -> None:
        """Let a response have so many records, each a batch, or all where there are less."""
        batches = list(partition.records().batches())
        buffer = partition.records().buffer()
        buffer.limit(sum(int(batch.sizeInBytes()) for batch in batches[:count]))
        partition.setRecords(self._classes.records.readableRecords(buffer))


def kind_of(partition: Any) -> str:
    """What a leader answers to a fetch: `records`, `diverging` or `snapshot_id`."""
    if int(partition.divergingEpoch().epoch()) >= 0:
        return "diverging"
    return "snapshot_id" if int(partition.snapshotId().epoch()) >= 0 else "records"
