"""A request and its response in a line that a person reads: who, what was asked, what was answered.

`broker 2, client consumer-1 v17: (7, 12) t-0@40 -> NONE, t-0 hw 41`: the session and the epoch of
the request; the partitions that it lists, with their fetch offsets; the error; and the partitions
that are answered. A request of the metadata quorum has its API, epochs and replicas there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lockstep.words import plural, printable
from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FollowedLine,
    QuorumAnswer,
    QuorumApi,
    QuorumAsked,
    QuorumLine,
    TopicPartition,
)
from lockstep_kafka.files.snapshot_name import SnapshotId

_MOST_PARTITIONS = 2
"""How many partitions of a request, and of a response, are named where none is meant."""

_ERRORS = {
    -1: "UNKNOWN_SERVER_ERROR",
    0: "NONE",
    1: "OFFSET_OUT_OF_RANGE",
    2: "CORRUPT_MESSAGE",
    3: "UNKNOWN_TOPIC_OR_PARTITION",
    5: "LEADER_NOT_AVAILABLE",
    6: "NOT_LEADER_OR_FOLLOWER",
    9: "REPLICA_NOT_AVAILABLE",
    29: "TOPIC_AUTHORIZATION_FAILED",
    56: "KAFKA_STORAGE_ERROR",
    70: "FETCH_SESSION_ID_NOT_FOUND",
    71: "INVALID_FETCH_SESSION_EPOCH",
    74: "FENCED_LEADER_EPOCH",
    75: "UNKNOWN_LEADER_EPOCH",
    76: "UNSUPPORTED_COMPRESSION_TYPE",
    78: "OFFSET_NOT_AVAILABLE",
    98: "SNAPSHOT_NOT_FOUND",
    99: "POSITION_OUT_OF_RANGE",
    100: "UNKNOWN_TOPIC_ID",
    103: "INCONSISTENT_TOPIC_ID",
    104: "INCONSISTENT_CLUSTER_ID",
    106: "FETCH_SESSION_TOPIC_ID_ERROR",
}


def abridged(line: FollowedLine, broker: str, partition: str = "") -> str:
    """What the line says, without its time; where a partition is meant, it alone is named."""
    if isinstance(line, QuorumLine):
        return _of_quorum(line, broker, partition)
    who = f"replica {line.replica_id}" if line.is_follower else "client"
    name = printable(line.client_id) or "without a name"
    asked = [f"({line.session_id}, {line.session_epoch})"]
    asked += _some(line.partitions, partition, lambda one: f"@{line.partitions[one].fetch_offset}")
    if line.forgotten:
        asked += ["removes", *_some(line.forgotten, partition, lambda one: "")]
    answered = [_ERRORS.get(line.error_code, f"error {line.error_code}")]
    if line.response_session_id != line.session_id:
        answered.append(f"session {line.response_session_id}")
    if line.throttle_time_ms:
        answered.append(f"throttled {line.throttle_time_ms} ms")
    answered += _some(line.answered, partition, lambda one: _answer(line.answered[one]))
    return (
        f"broker {printable(broker)}, {who} {name} v{line.version}: {' '.join(asked)} -> "
        f"{', '.join(answered)}"
    )


def _of_quorum(line: QuorumLine, broker: str, partition: str) -> str:
    api, name = line.api, printable(line.client_id) or "without a name"
    asked = _some(line.partitions, partition, lambda one: _wanted(api, line.partitions[one]))
    answered = [_ERRORS.get(line.error_code, f"error {line.error_code}")]
    answered += _some(line.answered, partition, lambda one: _granted(api, line.answered[one]))
    return (
        f"broker {printable(broker)}, client {name} v{line.version}: {api.name} "
        f"{' '.join(asked)} -> {', '.join(answered)}"
    )


def _wanted(api: QuorumApi, asked: QuorumAsked) -> str:
    end = SnapshotId(asked.end_offset, asked.end_epoch)
    text = f" epoch {asked.epoch} of replica {asked.replica_id}"
    if api is QuorumApi.FETCH_SNAPSHOT:
        return f"{text} snapshot {end} from byte {asked.position}"
    if api is not QuorumApi.VOTE:
        return text
    return f"{text} log end {end}" + (" to see" if asked.is_pre_vote else "")


def _granted(api: QuorumApi, answer: QuorumAnswer) -> str:
    parts = [_ERRORS.get(answer.error_code, f"error {answer.error_code}")]
    parts.append(f"epoch {answer.leader_epoch} leader {answer.leader_id}")
    if api is QuorumApi.FETCH_SNAPSHOT and not answer.error_code:
        end = SnapshotId(answer.end_offset, answer.end_epoch)
        parts.append(f"snapshot {end} from byte {answer.position} of {answer.size}")
    elif api is QuorumApi.VOTE:
        parts.append("vote given" if answer.is_granted else "no vote")
    return " ".join(("", *parts))


def _answer(answer: AnsweredPartition) -> str:
    return " ".join(("", *_parts(answer)))


def _parts(answer: AnsweredPartition) -> Iterator[str]:
    if answer.error_code:
        yield _ERRORS.get(answer.error_code, f"error {answer.error_code}")
    if answer.high_watermark >= 0 or not answer.error_code:
        yield f"hw {answer.high_watermark}"
    if answer.last_stable_offset not in (-1, answer.high_watermark):
        yield f"lso {answer.last_stable_offset}"
    if answer.log_start_offset > 0:
        yield f"start {answer.log_start_offset}"
    if answer.records_size:
        yield plural(answer.records_size, "byte")
    if answer.preferred_read_replica >= 0:
        yield f"read from {answer.preferred_read_replica}"
    if answer.has_diverging_epoch:
        yield "diverging epoch"
    if answer.has_snapshot_id:
        yield "snapshot"
    if answer.raft is not None:
        yield f"epoch {answer.raft.leader_epoch} leader {answer.raft.leader_id}"


def _some(
    partitions: Iterable[TopicPartition],
    partition: str,
    said: Callable[[TopicPartition], str],
) -> list[str]:
    """The one that is meant, or the first few, with what is said of it, and how many more."""
    every = list(partitions)
    if partition:
        named, others = [one for one in every if str(one) == partition], "other"
    else:
        named, others = every[:_MOST_PARTITIONS], "more partition"
    more = len(every) - len(named)
    shown = [printable(str(one)) + said(one) for one in named]
    return [*shown, plural(more, others)] if more else shown
