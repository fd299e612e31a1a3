"""Follows the requests of the metadata quorum in the log of one node."""

from __future__ import annotations

from lockstep_kafka.files.lines import FetchLine, QuorumApi, QuorumLine, RaftAnswer, TopicPartition
from lockstep_kafka.findings import Place
from lockstep_kafka.quorum.knowledge import Quorum, SnapshotId
from lockstep_kafka.quorum.models import QuorumModels
from lockstep_kafka.quorum.snapshot_cases import SnapshotCases
from lockstep_kafka.quorum.snapshot_side import Judged, SnapshotSide

METADATA = (TopicPartition("AAAAAAAAAAAAAAAAAAAAAQ", 0), TopicPartition("__cluster_metadata", 0))
"""The partition of the quorum, by its id and by its name."""


class QuorumFollower:
    """Judges the lines that it is given; what is known of a node is given with each."""

    def __init__(self, models: QuorumModels) -> None:
        self._models = models
        self._snapshots = SnapshotSide(SnapshotCases(models))

    def follows(self, line: QuorumLine) -> bool:
        """Whether lines of this API are judged."""
        return line.api is QuorumApi.FETCH_SNAPSHOT and self._models.are_there

    def judge(self, line: QuorumLine, quorum: Quorum) -> Judged:
        """Judge a line, whose turn has come."""
        judged = Judged(Place(line.file, line.line))
        connection = quorum.connection(line.connection, line.correlation_id)
        self._snapshots.judge(line, quorum, connection, judged)
        return judged

    def fetch(self, line: FetchLine, quorum: Quorum) -> None:
        """A Fetch went by; one of the metadata partition may be answered with a snapshot."""
        answer = _raft_answer(line)
        if answer is None:
            quorum.passed(line.connection, line.correlation_id)
            return
        connection = quorum.connection(line.connection, line.correlation_id)
        named = SnapshotId(answer.end_offset, answer.end_epoch)
        connection.named = named if named.end_offset >= 0 else None
        connection.has_hole = False


def _raft_answer(line: FetchLine) -> RaftAnswer | None:
    """What a replica of the quorum answered, where the request is for the metadata partition."""
    for partition in METADATA:
        if (answer := line.answered.get(partition)) is not None:
            return answer.raft
    return None
