"""Judges FetchSnapshot: the follower by what it asks for next, its leader by each answer."""

from __future__ import annotations

from lockstep_kafka.files.lines import (
    QuorumAnswer,
    QuorumAsked,
    QuorumLine,
    RequestedPartition,
    TopicPartition,
)
from lockstep_kafka.files.snapshot_name import SnapshotId
from lockstep_kafka.quorum.judged import Judged
from lockstep_kafka.quorum.knowledge import (
    Asked,
    Fetching,
    Quorum,
    QuorumConnection,
    SizeOf,
)
from lockstep_kafka.quorum.snapshot_cases import NONE, OPEN, Chunk, SnapshotCases

_ERRORS = {
    "630-54": 98,
    "630-55": 99,
    "630-56": 74,
    "630-57": 75,
    "630-58": 6,
}
"""The error that each requirement asks for."""


class SnapshotSide:
    """Judges the lines of FetchSnapshot."""

    def __init__(self, cases: SnapshotCases) -> None:
        self._cases = cases

    def judge(
        self, line: QuorumLine, quorum: Quorum, connection: QuorumConnection, judged: Judged
    ) -> None:
        """Judge a request and its answer, which become known."""
        if line.error_code:
            judged.node_unknown(f"the models have no error {line.error_code} of a whole response")
        elif strangers := [each for each in line.answered if each not in line.partitions]:
            because = f"{strangers[0]} is answered, but was not asked for"
            judged.node_departs(because, "630-49")
        for partition, asked in line.partitions.items():
            self._request(line, partition, quorum, connection, judged)
            answer = line.answered.get(partition)
            chunk = self._chunk(line, asked, answer)
            if answer is None and not line.error_code:
                judged.node_departs(f"{partition} is asked for, but not answered", "630-60")
            if answer is not None:
                chunk = self._answer(chunk, asked, answer, (partition, quorum, judged))
            fetching = Fetching(partition, asked.replica_id, asked.directory_id)
            id_ = SnapshotId(asked.end_offset, asked.end_epoch)
            connection.download = Asked(line.connection, judged.at, id_, chunk)
            quorum.asked(fetching, connection.download)
        connection.has_hole = False
        connection.named = None

    def fetched(
        self, asked: RequestedPartition, connection: QuorumConnection, judged: Judged
    ) -> None:
        """A Fetch follows: one from the end of a snapshot in this epoch says that it is whole."""
        last, connection.download = connection.download, None
        if last is None or connection.has_hole or asked.leader_epoch != last.chunk.named_epoch:
            return
        log = SnapshotId(asked.fetch_offset, asked.last_fetched_epoch)
        if log == last.id and not self._cases.may_be_whole(last.chunk):
            because = f"it fetches from the end of snapshot {log}, but {_last(last)}"
            judged.client_departs(because, "630-25")

    def _request(
        self,
        line: QuorumLine,
        partition: TopicPartition,
        quorum: Quorum,
        connection: QuorumConnection,
        judged: Judged,
    ) -> None:
        """Whether the follower may ask for this, after what it was answered before."""
        asked = line.partitions[partition]
        id_ = SnapshotId(asked.end_offset, asked.end_epoch)
        named = connection.named
        last = quorum.downloads.get(Fetching(partition, asked.replica_id, asked.directory_id))
        is_next = last is not None and last.connection == line.connection
        if asked.position < 0:
            judged.client_departs(f"position {asked.position} is before the first byte", "630-45")
        elif named is not None and not connection.has_hole and named != id_:
            because = f"it asks for snapshot {id_}, but its last Fetch was answered with {named}"
            judged.client_departs(because, "630-43")
        elif named is not None and not connection.has_hole and asked.position:
            because = (
                f"it has asked for no bytes of {id_} since its last Fetch was answered with it"
            )
            judged.client_departs(f"it asks for byte {asked.position}, but {because}", "630-60")
        elif asked.position == 0:
            judged.is_partial |= named is None and last is None
        elif last is None:
            judged.is_partial = True
        elif last.id == id_ and self._cases.goes_on(last.chunk, asked.position):
            return
        elif is_next and not connection.has_hole:
            judged.client_departs(_gap(last, id_, asked.position), "630-60")
        else:
            because = f"{_gap(last, id_, asked.position)}; requests between may be missing"
            judged.client_unknown(because)

    @staticmethod
    def _chunk(line: QuorumLine, asked: QuorumAsked, answer: QuorumAnswer | None) -> Chunk:
        return Chunk(
            asked.epoch,
            OPEN if answer is None else answer.leader_epoch,
            line.error_code if answer is None else answer.error_code,
            asked.position,
            OPEN if answer is None or answer.error_code else answer.size,
            line.max_bytes,
        )

    def _answer(
        self,
        chunk: Chunk,
        asked: QuorumAsked,
        answer: QuorumAnswer,
        of: tuple[TopicPartition, Quorum, Judged],
    ) -> Chunk:
        """Whether the receiver may answer so; the exchange, with what was known before."""
        partition, quorum, judged = of
        id_ = SnapshotId(asked.end_offset, asked.end_epoch)
        size_of = SizeOf(partition, answer.leader_epoch, id_)
        known = quorum.sizes.get(size_of)
        if answer.error_code != NONE and known is not None:
            chunk = chunk._replace(size=known.size)
        if answer.error_code not in self._cases.errors:
            judged.node_unknown(f"the models have no error {answer.error_code} of FetchSnapshot")
            return chunk
        if not self._cases.explains(chunk):
            because = f"error {answer.error_code} is answered to {_shown(chunk, id_)}"
            requirements = [name for name, error in _ERRORS.items() if error == answer.error_code]
            candidates = self._cases.refusals(chunk)
            judged.node_departs(because, *(requirements or _ERRORS), candidates=candidates)
            return chunk
        if answer.error_code == NONE:
            self._bytes(asked, answer, size_of, quorum, judged)
        return chunk

    def _bytes(
        self,
        asked: QuorumAsked,
        answer: QuorumAnswer,
        of: SizeOf,
        quorum: Quorum,
        judged: Judged,
    ) -> None:
        """Whether an answer with bytes names the snapshot, the position and the size."""
        answered = SnapshotId(answer.end_offset, answer.end_epoch)
        known = None if of.leader_epoch == OPEN else quorum.sizes.get(of)
        is_size = known is None or known.size == answer.size
        is_id, is_position = answered == of.id, asked.position == answer.position
        if self._cases.carries(asked_id=is_id, asked_position=is_position, known_size=is_size):
            quorum.has_size(of, answer.size, judged.at)
            return
        if not is_id:
            judged.node_departs(
                f"snapshot {answered} is answered, but {of.id} was asked for", "630-47"
            )
        if not is_position:
            because = f"position {answer.position} is answered, but {asked.position} was asked for"
            judged.node_departs(because, "630-49")
        if known is not None and not is_size:
            because = (
                f"snapshot {of.id} has {answer.size} bytes, but had {known.size} at {known.at}"
            )
            if known.run == quorum.run:
                judged.node_departs(because, "630-48")
            else:
                judged.node_unknown(f"{because}, before the node started again")


def _gap(last: Asked, id_: SnapshotId, position: int) -> str:
    """Why a request does not go on from the last one."""
    because = f"it asks for byte {position} of snapshot {id_}"
    if last.id != id_:
        return f"{because}, but for none of its bytes before that"
    return f"{because}, but {_last(last)}"


def _last(last: Asked) -> str:
    """The last request of a download, and how far its answer went at most."""
    chunk = last.chunk
    since = f"its last request, at {last.at}, was for byte {chunk.position}"
    if chunk.error != NONE:
        return f"{since} and was answered with error {chunk.error}"
    end = min(chunk.position + max(0, chunk.max_bytes), chunk.size)
    return f"{since}, and the answer ended before byte {end} of {chunk.size}"


def _shown(chunk: Chunk, id_: SnapshotId) -> str:
    """What a request asked for, and what is known of its receiver."""
    text = f"a request of epoch {chunk.named_epoch} for byte {chunk.position} of snapshot {id_}"
    if chunk.epoch != OPEN:
        text += f", in epoch {chunk.epoch}"
    return text if chunk.size == OPEN else f"{text}, which has {chunk.size} bytes"
