"""Judges elections: epochs that only grow, one leader of an epoch, and one vote in it."""

from __future__ import annotations

from lockstep_kafka.files.lines import QuorumAnswer, QuorumApi, QuorumAsked
from lockstep_kafka.files.snapshot_name import SnapshotId
from lockstep_kafka.quorum.election_cases import ElectionCases, Granting, Hearing
from lockstep_kafka.quorum.judged import Judged
from lockstep_kafka.quorum.knowledge import Held, Quorum, QuorumConnection, Seen
from lockstep_kafka.quorum.snapshot_cases import (
    FENCED_LEADER_EPOCH,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    Chunk,
    SnapshotCases,
)
from lockstep_kafka.rules import Arguments, Rule

_UNKNOWN_LEADER_EPOCH = 75


class EpochSide:
    """Judges what requests and answers say of epochs and leaders."""

    def __init__(self, elections: ElectionCases, snapshots: SnapshotCases) -> None:
        self._elections = elections
        self._snapshots = snapshots

    def asks(self, epoch: int, connection: QuorumConnection, judged: Judged) -> None:
        """The sender of a request says in which epoch it is; -1 where it knows none."""
        before = connection.asked
        if epoch < 0:
            return
        if before is not None and epoch < before.epoch:
            judged.of_client(Rule.SENDER_EPOCH_BACK, _back(epoch, before))
        else:
            connection.asked = Seen(epoch, judged.line)

    def answers(
        self, answer: QuorumAnswer, quorum: Quorum, connection: QuorumConnection, judged: Judged
    ) -> None:
        """The node says in which epoch it is, and who leads that."""
        epoch = answer.leader_epoch
        if epoch < 0:
            return
        before = known_before(quorum, connection)
        if before is not None and epoch < before.epoch:
            judged.of_node(Rule.NODE_EPOCH_BACK, _back(epoch, before))
        else:
            connection.answered = Seen(epoch, judged.line)
            if quorum.newest is None or epoch > quorum.newest.epoch:
                quorum.newest = Seen(epoch, judged.line)
        if answer.leader_id >= 0:
            self._leads(answer.leader_id, epoch, quorum, judged)

    def fetch(
        self,
        asked_epoch: int,
        answer: QuorumAnswer,
        high_watermark: int,
        quorum: Quorum,
        judged: Judged,
    ) -> None:
        """A replica answered a Fetch of the log; `answer` is what it says of the quorum."""
        epoch, error = answer.leader_epoch, answer.error_code
        known = (NONE, NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH, _UNKNOWN_LEADER_EPOCH)
        if error not in known or epoch < 0:
            return
        named = asked_epoch
        if error == NOT_LEADER_OR_FOLLOWER and epoch > asked_epoch:
            named = epoch  # a Fetch that waited is refused when its leader leads no more (630-D39)
        if not self._snapshots.explains(Chunk(named, epoch, error, 0, 1, 1)):
            arguments = {"error": error, "answered": epoch, "epoch": asked_epoch}
            judged.of_node(Rule.FETCH_EPOCH, arguments)
        elif error == NONE and high_watermark >= 0:
            end = SnapshotId(high_watermark, epoch)
            if quorum.log_end is None or (epoch, high_watermark) > (
                quorum.log_end.epoch,
                quorum.log_end.end_offset,
            ):
                quorum.log_end = end

    def leadership(self, asked: QuorumAsked, quorum: Quorum, judged: Judged) -> None:
        """A request says that its sender leads an epoch, or did."""
        claimed = quorum.claims.get(asked.epoch)
        if claimed is None or claimed.replica_id == asked.replica_id:
            quorum.hold(quorum.claims, asked.epoch, asked.replica_id, judged.at)
            return
        judged.of_client(Rule.LEADER_CLAIMED, _instead(asked.replica_id, asked.epoch, claimed))

    def voter(
        self,
        api: QuorumApi,
        asked: QuorumAsked,
        answer: QuorumAnswer,
        of: tuple[Quorum, QuorumConnection],
        judged: Judged,
    ) -> None:
        """Whether a replica can answer so to one that stands for election, leads, or did."""
        quorum, connection = of
        error, epoch = answer.error_code, answer.leader_epoch
        if error not in (NONE, FENCED_LEADER_EPOCH):
            judged.of_node(Rule.QUORUM_ERROR, {"error": error, "what": api.name})
            return
        before = known_before(quorum, connection)
        known = 0 if before is None else min(before.epoch, epoch)  # that it went back is said apart
        hearing = Hearing(max(known, 0), asked.epoch, error, epoch)
        if not (asked.is_pre_vote or self._elections.hears(hearing)):
            arguments = {"error": error, "answered": epoch, "epoch": asked.epoch}
            judged.of_node(Rule.EPOCH_REFUSED if error else Rule.EPOCH_NOT_TAKEN, arguments)
        if answer.is_granted and error:
            judged.of_node(Rule.VOTE_BESIDE_ERROR, {"error": error})
        elif answer.is_granted and not asked.is_pre_vote:
            self._vote(asked, max(known, 0), quorum, judged)
        if error == NONE and api is not QuorumApi.VOTE:
            self._leads(asked.replica_id, asked.epoch, quorum, judged)

    @staticmethod
    def stands(asked: QuorumAsked, judged: Judged) -> None:
        """Whether a replica with this log can ask for votes in this epoch."""
        highest = asked.epoch if asked.is_pre_vote else asked.epoch - 1
        if asked.end_epoch > highest or asked.end_epoch < 0 or asked.end_offset < 0:
            end = SnapshotId(asked.end_offset, asked.end_epoch)
            judged.of_client(Rule.VOTE_ASKED, {"epoch": asked.epoch, "end": str(end)})

    def _vote(self, asked: QuorumAsked, known: int, quorum: Quorum, judged: Judged) -> None:
        """Whether the replica had its vote left, and its log goes no further than the other's."""
        voted, end = quorum.votes.get(asked.epoch), quorum.log_end
        has_voted = voted is not None and not voted.is_of(asked.replica_id, asked.directory_id)
        if voted is not None and not has_voted:
            return  # the same answer to the same question
        if end is not None and end.epoch >= asked.epoch:
            end = None  # the node led later, for all that is known here
        least = (0, 0) if end is None else (end.epoch, end.end_offset)
        log = max(asked.end_epoch, 0), max(asked.end_offset, 0)
        granting = Granting(known, asked.epoch, has_voted, least, log)
        if self._elections.grants(granting):
            replica = asked.replica_id, judged.at, asked.directory_id
            quorum.hold(quorum.votes, asked.epoch, *replica)
            return
        candidates = (self._elections.refusal(granting),)
        if has_voted and voted is not None:
            judged.since_start(
                Rule.SECOND_VOTE,
                _instead(asked.replica_id, asked.epoch, voted),
                is_same_run=voted.run == quorum.run,
                candidates=candidates,
            )
        elif end is not None and not self._elections.grants(granting._replace(known=0)):
            arguments: Arguments = {
                "replica": asked.replica_id,
                "epoch": asked.epoch,
                "end": str(SnapshotId(asked.end_offset, asked.end_epoch)),
                "reached": str(end),
            }
            judged.of_node(Rule.VOTE_FOR_SHORTER, arguments, candidates)

    @staticmethod
    def _leads(replica_id: int, epoch: int, quorum: Quorum, judged: Judged) -> None:
        """The node takes a replica for the leader of an epoch."""
        leader = quorum.leaders.get(epoch)
        if leader is None or leader.replica_id == replica_id:
            quorum.hold(quorum.leaders, epoch, replica_id, judged.at)
            return
        judged.since_start(
            Rule.LEADER_ANSWERED,
            _instead(replica_id, epoch, leader),
            is_same_run=leader.run == quorum.run,
        )


def _back(epoch: int, before: Seen) -> Arguments:
    """An epoch, and the later one that was seen before."""
    return {"epoch": epoch, "before": before.epoch, "since": before.at}


def _instead(replica_id: int, epoch: int, held: Held) -> Arguments:
    """A replica in an epoch, and the one that had its place before."""
    return {"replica": replica_id, "epoch": epoch, "other": held.replica_id, "since": held.at}


def known_before(quorum: Quorum, connection: QuorumConnection) -> Seen | None:
    """The latest epoch that the node surely was in before it read the connection's next request.

    What it said on another connection counts where that stands between two lines of this one: it
    did not start again in between, and wrote that line before it read this request.
    """
    newest, last = quorum.newest, connection.answered
    if newest is None or (last is not None and last.epoch >= newest.epoch):
        return last
    if connection.last.at.file in quorum.unordered:
        return last  # no line of that file stands between two others for sure
    is_between = connection.first.is_before(newest.line) and newest.line.is_before(connection.last)
    return newest if is_between else last
