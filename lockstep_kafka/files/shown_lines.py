"""The two or three lines of a log that show a remark: its own, and those it is compared with.

They are read from the file again, and only for remarks that are shown. What came by a pipe cannot
be read again: then there is the line of the remark alone.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from lockstep.words import plural, printable
from lockstep_kafka.files.layouts import joined_lines, unwrapped
from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    FollowedLine,
    QuorumAnswer,
    QuorumApi,
    QuorumAsked,
    QuorumLine,
    TopicPartition,
)
from lockstep_kafka.files.log_files import moment_of
from lockstep_kafka.files.physical_lines import PhysicalLine, physical_lines
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.files.snapshot_name import SnapshotId
from lockstep_kafka.findings import Place, RemarkFinding, ShownLine
from lockstep_kafka.rules import ALONE

_MOST_EARLIER = 2
_LAST_OF_A_SESSION = 64
"""How many lines of a session are looked at, from the last one back, for one with the partition."""

_SESSION = re.compile(rb'"sessionId":\s*(-?[0-9]+)')
_WATERMARK = re.compile(rb'"highWatermark":\s*([0-9]+)')
_LOWER_THAN_SENT = {"known", "now"}
"""Arguments that are compared with a watermark which any fetcher may have been sent."""


def shown_lines(remarks: Sequence[RemarkFinding]) -> list[tuple[ShownLine, ...]]:
    """For each remark the lines that show it, the line of the remark last."""
    wanted = [_Wanted(finding) for finding in remarks]
    for file in sorted({place.file for one in wanted for place in one.places}):
        if not os.path.isfile(file):
            continue  # standard input, another pipe, or a file that is gone
        with suppress(OSError):  # it is damaged from there on, which was said when it was read
            _look_through(file, wanted)
    return [tuple(one.shown()) for one in wanted]


@dataclass
class _Wanted:
    """The lines that are looked for, for one remark, and what was found of them."""

    finding: RemarkFinding
    places: list[Place] = field(init=False)
    """Lines whose place is known, that of the remark last."""
    found: dict[Place, PhysicalLine] = field(default_factory=dict)
    of_session: deque[PhysicalLine] = field(
        default_factory=lambda: deque(maxlen=_LAST_OF_A_SESSION)
    )
    """The last lines of the session before the remark's, which may name the partition."""
    watermark_line: PhysicalLine | None = None
    """The first line that says the watermark of the partition."""

    def __post_init__(self) -> None:
        remark = self.finding.remark
        rests_on = [place for place in remark.arguments.values() if isinstance(place, Place)]
        self.places = [*dict.fromkeys(place for place in rests_on if place != remark.at), remark.at]
        self.partition = str(remark.arguments.get("partition", ""))
        self._topic = self.partition.rpartition("-")[0].encode()
        needs_more = remark.rule not in ALONE and (self.partition or not rests_on)
        self._session = b"%d" % self.finding.session if needs_more else None
        self._watermark = None
        if needs_more and remark.arguments.keys() & _LOWER_THAN_SENT:
            self._watermark = str(remark.arguments.get("watermark")).encode()

    @property
    def searches(self) -> bool:
        """Whether lines are looked for by what they say."""
        return self._session is not None

    def look_at(self, line: PhysicalLine, content: bytes, sessions: Sequence[bytes]) -> None:
        """Keep a line that stands before that of the remark, if it may be one of those.

        `sessions` are the ids that it names.
        """
        if self._topic not in content:
            return
        if self._session in sessions:
            self.of_session.append(line)
        if self._watermark is None or self.watermark_line is not None:
            return
        if self._watermark in _WATERMARK.findall(content):
            fetch = self._read(line)
            if isinstance(fetch, FetchLine) and any(
                str(name) == self.partition and b"%d" % answer.high_watermark == self._watermark
                for name, answer in fetch.answered.items()
            ):
                self.watermark_line = line

    def shown(self) -> Iterator[ShownLine]:
        """The lines that were found, and that of the remark in any case."""
        at = self.finding.remark.at
        own = self._abridged(at)
        if own is None or own.text != self.finding.abridged:
            # Another file has its name by now.
            moment = moment_of(self.finding.time_ms)
            yield ShownLine(at, moment, self.finding.abridged)
            return
        earlier = [place for place in self.places[:-1] if place in self.found]
        for line in filter(None, (self._last_of_session(), self.watermark_line)):
            place = Place(at.file, line.number)
            self.found[place] = line
            if place not in earlier:
                earlier.append(place)
        shown = (self._abridged(place) for place in sorted(earlier[:_MOST_EARLIER], key=_in_order))
        yield from filter(None, shown)
        yield own

    def _last_of_session(self) -> PhysicalLine | None:
        for line in reversed(self.of_session):
            fetch = self._read(line)
            if not isinstance(fetch, FetchLine) or self.finding.session not in (
                fetch.session_id,
                fetch.response_session_id,
            ):
                continue
            names = (*fetch.partitions, *fetch.answered, *fetch.forgotten)
            if not self.partition or self.partition in map(str, names):
                return line
        return None

    def _read(self, line: PhysicalLine) -> FollowedLine | None:
        read = read_line(line, self.finding.remark.at.file)
        return read if isinstance(read, FetchLine | QuorumLine) else None

    def _abridged(self, place: Place) -> ShownLine | None:
        line = self.found.get(place)
        read = None if line is None else self._read(line)
        if line is None or read is None:
            return None
        text = abridged(read, self.finding.broker, self.partition)
        return ShownLine(place, moment_of(read.time_ms), text)


def _look_through(file: str, wanted: Sequence[_Wanted]) -> None:
    """Read a file as far as something is looked for in it."""
    by_number: dict[int, list[_Wanted]] = {}
    for one in wanted:
        for place in one.places:
            if place.file == file:
                by_number.setdefault(place.line, []).append(one)
    searching = [one for one in wanted if one.searches and one.finding.remark.at.file == file]
    last = max(by_number)
    for line in joined_lines(physical_lines(file)):
        for one in by_number.get(line.number, ()):
            one.found[Place(file, line.number)] = line
        if searching:
            content = unwrapped(line.content)
            sessions = _SESSION.findall(content)
            for one in searching:
                one.look_at(line, content, sessions)
            searching = [one for one in searching if one.finding.remark.at.line > line.number + 1]
        if line.number >= last:
            break


def _in_order(place: Place) -> tuple[str, int]:
    return place.file, place.line


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
    answered += _some(
        line.answered, partition, lambda one: " ".join(("", *_parts(line.answered[one])))
    )
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
