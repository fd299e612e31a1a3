"""Follows the requests of the metadata quorum in the log of one node."""

from __future__ import annotations

from lockstep_kafka.files.lines import (
    FetchLine,
    QuorumAnswer,
    QuorumApi,
    QuorumLine,
    TopicPartition,
)
from lockstep_kafka.files.snapshot_name import SnapshotId
from lockstep_kafka.findings import Place
from lockstep_kafka.quorum.election_cases import ElectionCases
from lockstep_kafka.quorum.epoch_side import EpochSide
from lockstep_kafka.quorum.judged import Judged
from lockstep_kafka.quorum.knowledge import Line, Quorum, QuorumConnection
from lockstep_kafka.quorum.models import QuorumModels
from lockstep_kafka.quorum.snapshot_cases import SnapshotCases
from lockstep_kafka.quorum.snapshot_side import SnapshotSide
from lockstep_kafka.rules import Rule

METADATA = TopicPartition("__cluster_metadata", 0)
METADATA_BY_ID = TopicPartition("AAAAAAAAAAAAAAAAAAAAAQ", 0)
"""The partition of the quorum, by its name and by its id."""


class QuorumFollower:
    """Judges the lines that it is given; what is known of a node is given with each."""

    def __init__(self, models: QuorumModels) -> None:
        snapshots = SnapshotCases(models)
        self.can_judge = models.are_there
        """Whether the workspace has the models."""
        self._snapshots = SnapshotSide(snapshots)
        self._epochs = EpochSide(ElectionCases(models), snapshots)

    def judge(self, line: QuorumLine, quorum: Quorum) -> Judged:
        """Judge a line, whose turn has come."""
        judged = Judged(Line(Place(line.file, line.line), line.time_ms))
        connection = quorum.connection(line.connection, line.correlation_id, judged.line)
        if line.api is QuorumApi.FETCH_SNAPSHOT:
            self._snapshots.judge(line, quorum, connection, judged)
        self._elections(line, quorum, connection, judged)
        connection.last = judged.line
        return judged

    def fetch(self, line: FetchLine, quorum: Quorum) -> Judged | None:
        """Judge what a Fetch of the metadata partition says of the quorum; None for any other."""
        partition = METADATA_BY_ID if METADATA_BY_ID in line.answered else METADATA
        asked, answer = line.partitions.get(partition), line.answered.get(partition)
        if asked is None or answer is None or answer.raft is None or not self.can_judge:
            quorum.passed(line.connection, line.correlation_id)
            return None
        judged, raft = Judged(Line(Place(line.file, line.line), line.time_ms)), answer.raft
        connection = quorum.connection(line.connection, line.correlation_id, judged.line)
        answered = QuorumAnswer(answer.error_code, raft.leader_id, raft.leader_epoch)
        self._snapshots.fetched(asked, connection, judged)
        self._epochs.asks(asked.leader_epoch, connection, judged)
        self._epochs.fetch(asked.leader_epoch, answered, answer.high_watermark, quorum, judged)
        self._epochs.answers(answered, quorum, connection, judged)
        named = SnapshotId(raft.end_offset, raft.end_epoch)
        connection.named = named if named.end_offset >= 0 else None
        connection.has_hole = False
        connection.last = judged.line
        return judged

    def _elections(
        self, line: QuorumLine, quorum: Quorum, connection: QuorumConnection, judged: Judged
    ) -> None:
        """Judge what a line says of epochs, votes and leaders."""
        asked, answer = line.partitions.get(METADATA), line.answered.get(METADATA)
        if asked is None or len(line.partitions) > 1:
            if line.api is not QuorumApi.FETCH_SNAPSHOT:
                judged.of_client(Rule.METADATA_NOT_ALONE, {"partition": str(METADATA)})
                judged.of_node(Rule.METADATA_NOT_ALONE, {"partition": str(METADATA)})
            return
        self._epochs.asks(asked.epoch, connection, judged)
        if line.api is QuorumApi.VOTE:
            self._epochs.stands(asked, judged)
            judged.is_partial |= asked.is_pre_vote
        elif line.api is not QuorumApi.FETCH_SNAPSHOT:
            self._epochs.leadership(asked, quorum, judged)
        if answer is not None:
            if line.api is not QuorumApi.FETCH_SNAPSHOT:
                self._epochs.voter(line.api, asked, answer, (quorum, connection), judged)
            self._epochs.answers(answer, quorum, connection, judged)
        elif line.api is not QuorumApi.FETCH_SNAPSHOT:
            arguments = {"error": line.error_code} if line.error_code else {}
            judged.of_node(Rule.METADATA_NOT_ANSWERED, arguments)
