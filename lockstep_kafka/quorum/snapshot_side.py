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
from lockstep_kafka.rules import INNER, Arguments, Rule

_UNKNOWN_SERVER_ERROR = -1

_RULES = {
    98: Rule.CHUNK_NOT_FOUND,
    99: Rule.CHUNK_OUT_OF_RANGE,
    74: Rule.CHUNK_FENCED,
    75: Rule.CHUNK_UNKNOWN_EPOCH,
    6: Rule.CHUNK_NOT_LEADER,
}
"""The rule of each error that is answered where it must not be."""


class SnapshotSide:
    """Judges the lines of FetchSnapshot."""

    def __init__(self, cases: SnapshotCases) -> None:
        self._cases = cases

    def judge(
        self, line: QuorumLine, quorum: Quorum, connection: QuorumConnection, judged: Judged
    ) -> None:
        """Judge a request and its answer, which become known."""
        if line.error_code == _UNKNOWN_SERVER_ERROR and line.partitions:
            of_one = str(next(iter(line.partitions)))
            judged.of_node(Rule.CHUNK_ERROR_LOST, {"error": line.error_code, "partition": of_one})
        elif line.error_code:
            judged.of_node(
                Rule.QUORUM_ERROR, {"error": line.error_code, "what": "a whole response"}
            )
        elif strangers := [each for each in line.answered if each not in line.partitions]:
            judged.of_node(Rule.CHUNK_STRANGER, {"partition": str(strangers[0])})
        for partition, asked in line.partitions.items():
            self._request(line, partition, quorum, connection, judged)
            answer = line.answered.get(partition)
            chunk = self._chunk(line, asked, answer)
            if answer is None and not line.error_code:
                judged.of_node(Rule.CHUNK_LEFT_OUT, {"partition": str(partition)})
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
            judged.of_client(Rule.NOT_WHOLE, {"snapshot": str(log), **_last(last)})

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
        arguments: Arguments = {"snapshot": str(id_), "position": asked.position}
        if asked.position < 0:
            judged.of_client(Rule.POSITION_NEGATIVE, arguments)
        elif named is not None and not connection.has_hole and named != id_:
            judged.of_client(Rule.OTHER_SNAPSHOT_ASKED, {**arguments, "named": str(named)})
        elif named is not None and not connection.has_hole and asked.position:
            judged.of_client(Rule.DOWNLOAD_BEGUN_LATE, arguments)
        elif asked.position == 0:
            judged.is_partial |= named is None and last is None
        elif last is None:
            judged.is_partial = True
        elif last.id == id_ and self._cases.goes_on(last.chunk, asked.position):
            return
        else:
            rule = Rule.BYTES_SKIPPED if last.id == id_ else Rule.BYTES_NOT_BEGUN
            since = _last(last) if last.id == id_ else {}
            if is_next and not connection.has_hole:
                judged.of_client(rule, {**arguments, **since})
            else:
                judged.of_client(Rule.CHUNKS_MISSING, {**arguments, **since, INNER: rule.id})

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
            judged.of_node(Rule.QUORUM_ERROR, {"error": answer.error_code, "what": "FetchSnapshot"})
            return chunk
        if not self._cases.explains(chunk):
            rule = _RULES.get(answer.error_code, Rule.CHUNK_GIVEN)
            judged.of_node(rule, _shown(chunk, id_), self._cases.refusals(chunk))
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
            arguments = {"answered": str(answered), "snapshot": str(of.id)}
            judged.of_node(Rule.OTHER_SNAPSHOT, arguments)
        if not is_position:
            positions = {"answered": answer.position, "position": asked.position}
            judged.of_node(Rule.OTHER_POSITION, positions)
        if known is not None and not is_size:
            sizes: Arguments = {"size": answer.size, "known": known.size, "since": known.at}
            judged.since_start(
                Rule.SIZE_CHANGED,
                {"snapshot": str(of.id), **sizes},
                is_same_run=known.run == quorum.run,
            )


def _last(last: Asked) -> Arguments:
    """The last request of a download, and how far its answer went at most."""
    chunk = last.chunk
    since: Arguments = {"since": last.at, "last": chunk.position}
    if chunk.error != NONE:
        return {**since, "error": chunk.error}
    end = min(chunk.position + max(0, chunk.max_bytes), chunk.size)
    return {**since, "end": end, "size": chunk.size}


def _shown(chunk: Chunk, id_: SnapshotId) -> Arguments:
    """What a request asked for, what was answered, and what is known of its receiver."""
    arguments: dict[str, str | int] = {
        "error": chunk.error,
        "epoch": chunk.named_epoch,
        "position": chunk.position,
        "snapshot": str(id_),
    }
    if chunk.epoch != OPEN:
        arguments["answered"] = chunk.epoch
    if chunk.size != OPEN:
        arguments["size"] = chunk.size
    return arguments
