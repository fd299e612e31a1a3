"""The rules by which lines of logs are judged: of each its id, its sentence and its sources.

A remark names its rule, and has named arguments: its sentence is made from both, here alone. To add
a rule is to add a member of `Rule`. Ids are documented and stay: logs of CI and metrics have them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, StrEnum
from string import Formatter
from typing import Any, TypeAlias

from msgspec import Struct

from lockstep.words import plural


class Verdict(StrEnum):
    """What is said of one side of a session, or of both; the later ones are the worse ones."""

    CONFORMS = "conforms"
    UNKNOWN = "unknown"
    DEPARTS = "departs"


class SideName(StrEnum):
    """Who is judged."""

    CLIENT = "client"
    BROKER = "broker"


class Place(Struct, frozen=True, gc=False):
    """A line of a log; lines count from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


Arguments: TypeAlias = Mapping[str, str | int | Place]
"""What a sentence names."""

INNER = "remark"
"""The argument that is the id of another rule. What that one names is among the arguments, too."""

_CLIENT, _BROKER = SideName
_UNKNOWN, _DEPARTS = Verdict.UNKNOWN, Verdict.DEPARTS

_CHUNK = (
    "error {error} is answered to a request of epoch {epoch} for byte {position} of snapshot "
    "{snapshot}[, in epoch {answered}][, which has {size} bytes]"
)
"""What is said of any answer to FetchSnapshot that has another error than it must have."""


class Rule(Enum):
    """A kind of remark: its id, its side, its verdict, its sentence, and the requirements broken.

    The side is None where either may be meant. In a sentence `{name}` stands for an argument,
    `{name:request}` for that many requests, and `[...]` is left out where its argument is unknown.
    """

    id: str
    side: SideName | None
    verdict: Verdict
    sentence: str
    requirements: tuple[str, ...]

    def __new__(
        cls, side: SideName | None, verdict: Verdict, id: str, sentence: str, *requirements: str
    ) -> Rule:
        """A member; its value is its id."""
        rule = object.__new__(cls)
        rule._value_ = rule.id = id
        rule.side = side
        rule.verdict = verdict
        rule.sentence = sentence
        rule.requirements = requirements
        return rule

    # fmt: off
    NOTHING_JUDGED = (None, _UNKNOWN, "nothing-judged",
        "none of its lines could be judged")
    REQUEST_LATE = (None, _UNKNOWN, "request-late",
        "a request is not judged, for a later one of its connection was before it was read")
    OWN_NUMBERS = (None, _UNKNOWN, "explained-by-own-numbers",
        "with its own numbers alone it is explained: {remark}")

    # The head of a request.
    IMPOSSIBLE_HEAD = (_CLIENT, _DEPARTS, "impossible-id-or-epoch",
        "no request has session id {session} and epoch {epoch}", "227-30", "227-41")
    ID_MISSING = (_CLIENT, _DEPARTS, "session-id-missing",
        "an incremental request names a session; it sent ({session}, {epoch})", "227-41")
    NO_SESSION = (_CLIENT, _DEPARTS, "no-session-to-name",
        "the fetcher has no session[ since {since}], but it sent ({session}, {epoch})", "227-29")
    FULL_EXPECTED = (_CLIENT, _DEPARTS, "full-request-expected",
        "the fetcher can only send a full request[ since {since}], but it sent ({session}, "
        "{epoch})", "227-29")
    OTHER_SESSION_EXPECTED = (_CLIENT, _DEPARTS, "session-id-expected",
        "the fetcher has session {held}[ since {since}], but it sent ({session}, {epoch})",
        "227-29")
    EPOCH_EXPECTED = (_CLIENT, _DEPARTS, "session-epoch-expected",
        "the fetcher's next request is ({session}, {expected})[ since {since}], but it sent "
        "({session}, {epoch})", "227-31")
    NEGATIVE_ID = (_CLIENT, _UNKNOWN, "negative-id-in-full-request",
        "a full request names session {session}, of which the protocol says nothing")
    NOT_WAITING = (_CLIENT, _UNKNOWN, "request-before-response",
        "the request ({session}, {epoch}) is sent while an earlier one is under way: a fetcher "
        "that does not wait is outside the model")
    HOLE = (_CLIENT, _UNKNOWN, "requests-missing",
        "{needed:request} of session {session} may be missing from the log before this line: a "
        "hole of {missing} in the correlation ids of the connection")
    NEW_CONNECTION = (_CLIENT, _UNKNOWN, "requests-missing-elsewhere",
        "{needed:request} of session {session} may be missing from the log before this line: the "
        "connection is new")

    # The partitions of a request.
    REMOVED_IN_FULL = (_CLIENT, _DEPARTS, "removal-in-full-request",
        "a full request names {partitions} as removed", "227-67")
    LISTED_UNCHANGED = (_CLIENT, _DEPARTS, "unchanged-partition-listed",
        "{partition} is listed, though nothing about it changed", "227-42")
    STRANGER_REMOVED = (_CLIENT, _DEPARTS, "stranger-removed",
        "{partition} is named as removed, but the fetcher does not have it", "227-67")
    LISTED_RENEWED = (_CLIENT, _UNKNOWN, "partition-perhaps-made-again",
        "{partition} is listed, though nothing about it changed that this version shows: the "
        "topic may have another id than before, or the client may have learnt it, or a leader "
        "epoch")
    LISTED_AND_REMOVED = (_CLIENT, _UNKNOWN, "partition-listed-and-removed",
        "{partition} is both listed and named as removed, of which the protocol says nothing "
        "(227-D10)")

    # The head of a response.
    ID_SHARED = (_BROKER, _DEPARTS, "session-id-shared",
        "two sessions alive have the id {session}, for another fetcher opened this one at "
        "{opened}: {remark}", "227-3")
    ID_ALIVE_TWICE = (_BROKER, _DEPARTS, "session-id-alive-twice",
        "two sessions alive have the id {session}, which another fetcher was given at {opened}: in "
        "no order does one session after the other accept ({session}, {epoch}) and those before",
        "227-3")
    NEGATIVE_ID_OPENED = (_BROKER, _DEPARTS, "negative-id-opened",
        "a session is opened with the id {answered}", "227-41")
    CREATING_REFUSED = (_BROKER, _DEPARTS, "full-request-refused",
        "a full request with epoch {epoch} is answered with error {error}", "227-36")
    CREATING_ID = (_BROKER, _DEPARTS, "full-request-given-id",
        "a full request with epoch {epoch} is answered with session id {answered}", "227-36")
    SESSIONLESS_REFUSED = (_BROKER, _DEPARTS, "sessionless-request-refused",
        "a full request with epoch {epoch} is answered with error {error}", "227-34")
    SESSIONLESS_ID = (_BROKER, _DEPARTS, "sessionless-request-given-id",
        "a full request with epoch {epoch} is answered with session id {answered}", "227-34")
    EXPECTED_REFUSED = (_BROKER, _DEPARTS, "expected-epoch-refused",
        "INVALID_FETCH_SESSION_EPOCH is answered to the request that the session expects: "
        "({session}, {epoch})", "227-28")
    EPOCH_ERROR_WITH_ID = (_BROKER, _DEPARTS, "epoch-error-with-session-id",
        "INVALID_FETCH_SESSION_EPOCH answers ({session}, {epoch}) with session id {answered} "
        "instead of 0", "227-50")
    EPOCH_ERROR_WHEN_GONE = (_BROKER, _DEPARTS, "epoch-error-without-session",
        "INVALID_FETCH_SESSION_EPOCH answers ({session}, {epoch}), but the session is gone: "
        "{gone}[ at {since}]", "227-27")
    ERROR_WITH_ID = (_BROKER, _DEPARTS, "error-with-session-id",
        "error {error} with session id {answered}", "227-27")
    ACCEPTED_WHEN_GONE = (_BROKER, _DEPARTS, "accepted-without-session",
        "({session}, {epoch}) is accepted, but the session is gone: {gone}[ at {since}]", "227-27")
    ACCEPTED_EPOCH = (_BROKER, _DEPARTS, "accepted-with-other-epoch",
        "({session}, {epoch}) is accepted, but the session expects epoch {expected} since {since}",
        "227-6", "227-28")
    CLOSED_WITH_MEMBERS = (_BROKER, _DEPARTS, "closed-with-partitions",
        "the response closes session {session}, which still has partitions", "227-4", "227-50")
    OTHER_ID_ANSWERED = (_BROKER, _DEPARTS, "other-session-id-answered",
        "the response names session {answered}, the request session {session}", "227-4", "227-49")
    PARTITIONS_BESIDE_ERROR = (_BROKER, _DEPARTS, "partitions-beside-error",
        "error {error} is answered, and partitions with it", "227-47", "227-48")
    OUTSIDE_THE_MODEL = (_BROKER, _UNKNOWN, "error-outside-the-model",
        "error {error} is outside the model")
    OVERTAKING_MISSING = (_BROKER, _UNKNOWN, "overtaking-request-missing",
        "the request that overtook this one may be missing from the log")
    OVERTAKING_NOT_SHOWN = (_BROKER, _UNKNOWN, "overtaking-not-shown",
        "no later line shows whether another request overtook this one")

    # The partitions of a response.
    ANSWERED_TWICE = (_BROKER, _DEPARTS, "partition-answered-twice",
        "{partition} is answered more than once in one response")
    ANSWERED_WHEN_EMPTIED = (_BROKER, _DEPARTS, "answered-in-emptied-session",
        "partitions are answered, but the session has none any more", "227-9")
    SESSIONLESS_LEFT_OUT = (_BROKER, _DEPARTS, "asked-not-answered-without-session",
        "{partition} is asked for, but not answered", "227-34", "227-66")
    CREATING_LEFT_OUT = (_BROKER, _DEPARTS, "asked-not-answered",
        "{partition} is asked for, but not answered", "227-36", "227-66")
    WATERMARK_LEFT_OUT = (_BROKER, _DEPARTS, "later-watermark-left-out",
        "{partition} is left out: its session was sent high watermark {known}, and the broker had "
        "sent {watermark} before", "227-13", "227-52")
    ADDED_LEFT_OUT = (_BROKER, _DEPARTS, "added-partition-left-out",
        "{partition} is added to the session, but not answered", "227-13")
    AVAILABLE_LEFT_OUT = (_BROKER, _DEPARTS, "available-partition-left-out",
        "{partition} is available again, but not answered", "227-13")
    RECORDS_WITHHELD = (_BROKER, _DEPARTS, "records-withheld",
        "no records are returned, although {partition} has some at the offset asked for[, "
        "{offset}]: its high watermark is {watermark}", "227-56")
    STRANGER_ANSWERED = (_BROKER, _DEPARTS, "stranger-answered",
        "{partition} is answered, but the {asked} does not have it", "227-9")
    REMOVED_ANSWERED = (_BROKER, _DEPARTS, "removed-partition-answered",
        "{partition} is answered, but the request removes it", "227-44")
    WATERMARK_BACK = (_BROKER, _DEPARTS, "watermark-back",
        "the high watermark of {partition} goes back from {watermark} to {now}", "227-12")
    LOG_START_BACK = (_BROKER, _DEPARTS, "log-start-back",
        "the log start of {partition} goes back from {start} to {now}", "227-12")
    WATERMARK_NEGATIVE = (_BROKER, _DEPARTS, "watermark-negative",
        "{partition} is answered with high watermark {watermark}", "227-12")
    LOG_START_OUTSIDE = (_BROKER, _DEPARTS, "log-start-outside",
        "{partition} is answered with log start {start} and high watermark {watermark}", "227-12")
    RECORDS_BESIDE_ERROR = (_BROKER, _DEPARTS, "records-beside-error",
        "records of {partition} are returned beside an error or a hint", "227-52")
    RECORDS_FROM_NOTHING = (_BROKER, _DEPARTS, "records-from-nothing",
        "records are returned of {partition}, which has none to return", "227-12")
    UNCHANGED_ANSWERED = (_BROKER, _DEPARTS, "unchanged-partition-answered",
        "{partition} is answered, although nothing about it changed and it has no records",
        "227-52")
    # The metadata quorum: its elections.
    SENDER_EPOCH_BACK = (_CLIENT, _DEPARTS, "sender-epoch-back",
        "it is in epoch {epoch}, but was in epoch {before} at {since}", "595-1")
    LEADER_CLAIMED = (_CLIENT, _DEPARTS, "second-leader-claims",
        "replica {replica} says that it leads epoch {epoch}, and replica {other} did at {since}",
        "595-4")
    VOTE_ASKED = (_CLIENT, _DEPARTS, "vote-asked-with-impossible-log",
        "it asks for votes in epoch {epoch} with a log that ends at {end}", "595-6")
    NODE_EPOCH_BACK = (_BROKER, _DEPARTS, "node-epoch-back",
        "the node is in epoch {epoch}, but was in epoch {before} at {since}", "595-1")
    LEADER_ANSWERED = (_BROKER, _DEPARTS, "second-leader-answered",
        "the node takes replica {replica} for the leader of epoch {epoch}, and took replica "
        "{other} at {since}", "595-4")
    FETCH_EPOCH = (_BROKER, _DEPARTS, "fetch-answered-in-epoch",
        "error {error} is answered in epoch {answered} to a Fetch of epoch {epoch}", "595-18")
    EPOCH_NOT_TAKEN = (_BROKER, _DEPARTS, "epoch-not-taken",
        "error {error} is answered in epoch {answered} to a request of epoch {epoch}", "595-9")
    EPOCH_REFUSED = (_BROKER, _DEPARTS, "epoch-refused",
        "error {error} is answered in epoch {answered} to a request of epoch {epoch}", "595-10")
    VOTE_BESIDE_ERROR = (_BROKER, _DEPARTS, "vote-beside-error",
        "the vote is given, and refused with error {error}", "595-10")
    SECOND_VOTE = (_BROKER, _DEPARTS, "second-vote",
        "replica {replica} is given the vote in epoch {epoch}, which replica {other} was given at "
        "{since}", "595-5")
    VOTE_FOR_SHORTER = (_BROKER, _DEPARTS, "vote-for-shorter-log",
        "replica {replica} is given the vote in epoch {epoch} with a log that ends at {end}, but "
        "the node's reaches {reached}", "595-7")
    METADATA_NOT_ALONE = (None, _UNKNOWN, "metadata-not-alone",
        "the request does not name {partition} alone")
    METADATA_NOT_ANSWERED = (_BROKER, _UNKNOWN, "metadata-not-answered",
        "the whole response has no partition[, but error {error}]")
    QUORUM_ERROR = (_BROKER, _UNKNOWN, "error-outside-the-quorum-models",
        "the models have no error {error} of {what}")
    BEFORE_A_START = (_BROKER, _UNKNOWN, "before-a-start",
        "{remark}, before the node started again")

    # Snapshots that replicas fetch.
    POSITION_NEGATIVE = (_CLIENT, _DEPARTS, "position-negative",
        "position {position} is before the first byte", "630-45")
    OTHER_SNAPSHOT_ASKED = (_CLIENT, _DEPARTS, "other-snapshot-asked",
        "it asks for snapshot {snapshot}, but its last Fetch was answered with {named}", "630-43")
    DOWNLOAD_BEGUN_LATE = (_CLIENT, _DEPARTS, "download-begun-late",
        "it asks for byte {position}, but it has asked for no bytes of {snapshot} since its last "
        "Fetch was answered with it", "630-60")
    BYTES_NOT_BEGUN = (_CLIENT, _DEPARTS, "download-not-begun",
        "it asks for byte {position} of snapshot {snapshot}, but for none of its bytes before that",
        "630-60")
    BYTES_SKIPPED = (_CLIENT, _DEPARTS, "bytes-skipped",
        "it asks for byte {position} of snapshot {snapshot}, but its last request, at {since}, was "
        "for byte {last}[ and was answered with error {error}][, and the answer ended before byte "
        "{end} of {size}]", "630-60")
    NOT_WHOLE = (_CLIENT, _DEPARTS, "snapshot-not-whole",
        "it fetches from the end of snapshot {snapshot}, but its last request, at {since}, was for "
        "byte {last}[ and was answered with error {error}][, and the answer ended before byte "
        "{end} of {size}]", "630-25")
    CHUNKS_MISSING = (_CLIENT, _UNKNOWN, "chunks-missing",
        "{remark}; requests between may be missing")
    CHUNK_STRANGER = (_BROKER, _DEPARTS, "stranger-answered-with-bytes",
        "{partition} is answered, but was not asked for", "630-49")
    CHUNK_LEFT_OUT = (_BROKER, _DEPARTS, "bytes-asked-not-answered",
        "{partition} is asked for, but not answered", "630-60")
    OTHER_SNAPSHOT = (_BROKER, _DEPARTS, "other-snapshot-answered",
        "snapshot {answered} is answered, but {snapshot} was asked for", "630-47")
    OTHER_POSITION = (_BROKER, _DEPARTS, "other-position-answered",
        "position {answered} is answered, but {position} was asked for", "630-49")
    SIZE_CHANGED = (_BROKER, _DEPARTS, "snapshot-size-changed",
        "snapshot {snapshot} has {size} bytes, but had {known} at {since}", "630-48")
    CHUNK_ERROR_LOST = (_BROKER, _UNKNOWN, "snapshot-error-not-sent",
        "error {error} is answered for the whole response, by Kafka perhaps in place of an error "
        "of {partition} (630-D43)")
    CHUNK_NOT_FOUND = (_BROKER, _DEPARTS, "snapshot-not-found", _CHUNK, "630-54")
    CHUNK_OUT_OF_RANGE = (_BROKER, _DEPARTS, "position-out-of-range", _CHUNK, "630-55")
    CHUNK_FENCED = (_BROKER, _DEPARTS, "snapshot-epoch-fenced", _CHUNK, "630-56")
    CHUNK_UNKNOWN_EPOCH = (_BROKER, _DEPARTS, "snapshot-epoch-unknown", _CHUNK, "630-57")
    CHUNK_NOT_LEADER = (_BROKER, _DEPARTS, "snapshot-not-leader", _CHUNK, "630-58")
    CHUNK_GIVEN = (_BROKER, _DEPARTS, "bytes-instead-of-error", _CHUNK,
        "630-54", "630-55", "630-56", "630-57", "630-58")

    # The files of a node.
    OFFSETS_OF_FILES = (_BROKER, _DEPARTS, "offsets-of-files",
        "the log is from offset {start} to {end}, and snapshots end at {ends}, but it must hold "
        "that {claim}")
    LATER_EPOCH_BEFORE = (_BROKER, _DEPARTS, "later-epoch-before",
        "snapshot {snapshot} ends before it, and has a later epoch", "630-1")
    SNAPSHOT_EPOCH_NEWER = (_BROKER, _DEPARTS, "snapshot-epoch-newer",
        "its epoch is {epoch}, that of quorum-state is {known}", "595-2")
    LOG_EPOCH_NEWER = (_BROKER, _DEPARTS, "log-epoch-newer",
        "the log has epoch {epoch} at offset {offset}; that of quorum-state is {known}", "595-2")
    EPOCHS_FALL = (_BROKER, _DEPARTS, "epochs-of-records-fall",
        "epoch {epoch} begins at offset {offset} of the log, after epoch {before}", "595-11")
    SNAPSHOT_EPOCH_OTHER = (_BROKER, _DEPARTS, "snapshot-epoch-other",
        "the record at offset {offset} of the log has epoch {epoch}", "630-1")
    LOG_NOT_RESET = (_BROKER, _DEPARTS, "log-not-reset",
        "the log ends before it, at {end}, with a record of epoch {epoch}", "630-35")
    # fmt: on

    def said(self, arguments: Arguments) -> str:
        """The sentence; `KeyError` where an argument is missing."""
        values: dict[str, object] = dict(arguments)
        if (inner := self._inner(arguments)) is not None:
            values[INNER] = inner.said(arguments)
        written = _OPTIONAL.sub(lambda part: part[1] if part[2] in arguments else "", self.sentence)
        return _COUNTING.vformat(written, (), values)

    def broken(self, arguments: Arguments) -> tuple[str, ...]:
        """The requirements that are not met, those of the rule within this one among them."""
        inner = self._inner(arguments)
        if inner is None or self.verdict is not Verdict.DEPARTS:
            return self.requirements
        return self.requirements + inner.requirements

    def _inner(self, arguments: Arguments) -> Rule | None:
        """The rule within this one, if there is one."""
        if f"{{{INNER}}}" not in self.sentence:
            return None
        return rule_of(str(arguments[INNER]))


ALONE = frozenset(
    {
        *(Rule.IMPOSSIBLE_HEAD, Rule.ID_MISSING, Rule.REMOVED_IN_FULL, Rule.NEGATIVE_ID_OPENED),
        *(Rule.CREATING_REFUSED, Rule.CREATING_ID, Rule.SESSIONLESS_REFUSED, Rule.SESSIONLESS_ID),
        *(Rule.EPOCH_ERROR_WITH_ID, Rule.ERROR_WITH_ID, Rule.OTHER_ID_ANSWERED),
        *(Rule.PARTITIONS_BESIDE_ERROR, Rule.ANSWERED_TWICE, Rule.SESSIONLESS_LEFT_OUT),
        *(Rule.CREATING_LEFT_OUT, Rule.REMOVED_ANSWERED, Rule.WATERMARK_NEGATIVE),
        *(Rule.LOG_START_OUTSIDE, Rule.RECORDS_BESIDE_ERROR, Rule.VOTE_ASKED, Rule.FETCH_EPOCH),
        *(Rule.EPOCH_NOT_TAKEN, Rule.EPOCH_REFUSED, Rule.VOTE_BESIDE_ERROR, Rule.VOTE_FOR_SHORTER),
        *(Rule.POSITION_NEGATIVE, Rule.OTHER_SNAPSHOT_ASKED, Rule.DOWNLOAD_BEGUN_LATE),
        *(Rule.BYTES_NOT_BEGUN, Rule.CHUNK_STRANGER, Rule.CHUNK_LEFT_OUT, Rule.OTHER_SNAPSHOT),
        *(Rule.OTHER_POSITION, Rule.CHUNK_NOT_FOUND, Rule.CHUNK_OUT_OF_RANGE, Rule.CHUNK_FENCED),
        *(Rule.CHUNK_UNKNOWN_EPOCH, Rule.CHUNK_NOT_LEADER, Rule.CHUNK_GIVEN),
    }
)
"""The rules of which no other line is shown than those that their arguments name."""


def rule_of(id: str) -> Rule:
    """The rule of that id; `KeyError` where there is none."""
    rule = Rule._value2member_map_[id]
    assert isinstance(rule, Rule)
    return rule


_OPTIONAL = re.compile(r"\[([^][]*\{(\w+)\}[^][]*)\]")


class _Counting(Formatter):
    """Formats as `str.format` does; a format that is a noun counts things of that name."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return plural(int(value), format_spec) if format_spec else str(value)


_COUNTING = _Counting()
