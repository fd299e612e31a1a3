"""What conformance checking says: a verdict on each side of a session, and every line not followed.

`departs` means that no behaviour of the protocol explains what was seen. What cannot be followed is
`unknown`. Nothing that was not judged is called `conforms`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lockstep_kafka.rules import Arguments, Rule
from lockstep_kafka.rules import Place as Place
from lockstep_kafka.rules import SideName as SideName
from lockstep_kafka.rules import Verdict as Verdict

_BY_WORSENESS = tuple(Verdict)

MOST_PLACES = 8
"""How many places are kept of what has one reason."""


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The worst of some verdicts; `unknown` where there are none."""
    return max(verdicts, key=_BY_WORSENESS.index, default=Verdict.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way in which the protocol could have gone on, and what of it the log rules out.

    `action` is the model's. Where it can be taken, `outcome` says what it then does that was not
    seen. Where it cannot, `outcome` is empty, `conjunct` is the part of it that is false, if that
    can be decided, and `values` what that part reads.
    """

    action: str
    conjunct: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """Why a line is not explained (a departure), or why it cannot be judged.

    `arguments` are what the sentence of the rule names.
    """

    rule: Rule
    at: Place
    arguments: Arguments = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """That of the rule: `departs` or `unknown`."""
        return self.rule.verdict

    @property
    def because(self) -> str:
        """The sentence."""
        return self.rule.said(self.arguments)

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirements that are not met."""
        return self.rule.broken(self.arguments)


_NOTHING: Mapping[Rule, int] = {}
"""What is counted on most sides: all of those share it."""


@dataclass(slots=True)
class Side:
    """One side of a session: its client, or the broker.

    `judged` counts the lines on which it was judged, `departures` and `unknowns` the remarks of
    these verdicts, and `worst` is the first remark of the worst verdict. `more` are the first
    places at which it departs besides. `by_rule` counts all remarks, of which a line may have many.
    """

    judged: int = 0
    departures: int = 0
    unknowns: int = 0
    worst: Remark | None = None
    more: tuple[Place, ...] = ()
    by_rule: Mapping[Rule, int] = field(default_factory=lambda: _NOTHING)

    @property
    def verdict(self) -> Verdict:
        """`conforms` where something was judged, and nothing remarked."""
        if self.worst is not None:
            return self.worst.verdict
        return Verdict.CONFORMS if self.judged else Verdict.UNKNOWN

    def remark(self, remark: Remark) -> None:
        """Add a remark; it counts once a line."""
        if remark.verdict is Verdict.DEPARTS:
            self.departures += 1
            if 1 < self.departures <= MOST_PLACES + 1:
                self.more += (remark.at,)
        else:
            self.unknowns += 1
        if self.worst is None or self.worst.verdict is not worst(
            [self.worst.verdict, remark.verdict]
        ):
            self.worst = remark


@dataclass(slots=True)
class SessionFinding:
    """What came of one session.

    `session` is its id; 0 stands for the requests of one connection outside of any session.
    `lines` counts its lines, `partial` those of them that were judged in part only, because they
    rest on what happened before the log begins, or on lines that are missing. `is_whole` says
    that the session was opened in plain sight. `api_version` is that of its last request.
    `first_ms` and `last_ms` say when its first and its last line were written, in milliseconds
    since 1970; None where the log does not say.
    """

    session: int
    client: str
    connection: str
    first: Place
    last: Place
    is_whole: bool
    lines: int = 0
    partial: int = 0
    broker: str = ""
    api_version: int | None = None
    first_ms: int | None = None
    last_ms: int | None = None
    client_side: Side = field(default_factory=Side)
    broker_side: Side = field(default_factory=Side)

    @property
    def verdict(self) -> Verdict:
        """The worse one of both sides."""
        return worst([self.client_side.verdict, self.broker_side.verdict])


@dataclass(frozen=True, slots=True)
class RemarkFinding:
    """What is remarked of one line, as soon as it is; the session that it stands in may go on.

    The remark may come later than the line, when what follows shows what the line was. `session`
    is the id of its session, as in a `SessionFinding`, and `began` the first line of that.
    `is_first` says that no line of the session before had a remark of this rule on this side. The
    other fields are those of the line: who sent the request and how, by which software (empty
    where it does not say), when it was written, in milliseconds since 1970, and all of it
    abridged.
    """

    side: SideName
    broker: str
    session: int
    began: Place
    client: str
    api_version: int
    time_ms: int | None
    remark: Remark
    software: str = ""
    abridged: str = ""
    is_first: bool = True


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a log, abridged; `time` is in UTC."""

    at: Place
    time: datetime | None
    text: str


MOVED = "out of order"
"""The reason of a line that is followed, but not in the place where it stands."""


UNORDERED = "not in the order of its writing"
"""The reason of the first line that shows, by its time, that its file is not in that order.

The line is followed as any other. From there on nothing rests on the places of lines of the file.
"""


LATE = "late"
"""The reason of a line whose place has passed: a later one of its connection was followed."""


UNFINISHED = "unfinished"
"""The reason of the last line of a file that is not whole: it may still be written."""


@dataclass(frozen=True, slots=True)
class LineFinding:
    """A line that is not followed, or not in its place.

    `reason` is one of few words, `MOVED` and `UNORDERED` among them; `detail` says what stands
    there. `is_loss` says that a request of the protocol may be hidden in it.
    """

    at: Place
    reason: str
    detail: str
    is_loss: bool = False


@dataclass(frozen=True, slots=True)
class FileFinding:
    """A file that cannot be read, or not to its end; the other ones are read all the same."""

    file: str
    because: str


@dataclass(frozen=True, slots=True)
class LayoutFinding:
    """The layout of a file that was read; None where no line of it is of a known one.

    Then `line` is the number of the first line, and `text` what it says.
    """

    file: str
    layout: str | None
    line: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class NodeRemark:
    """Why a file of a node, or all of its directory, departs.

    `of_claim` are the requirements of the model's claim that the arguments have, if there is one.
    """

    file: str
    rule: Rule
    arguments: Arguments
    of_claim: tuple[str, ...] = ()

    @property
    def because(self) -> str:
        """The sentence."""
        return self.rule.said(self.arguments)

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirements that are not met."""
        return self.rule.requirements + self.of_claim


@dataclass(frozen=True, slots=True)
class NodeFinding:
    """What came of the files of one node's metadata partition.

    `epoch` is that of its `quorum-state`, None without that file; `log` are the base offset of its
    first segment and the end of the log; `torn` are the bytes of a batch that is not whole behind
    that. Files that are `damaged` are not judged.
    """

    directory: str
    epoch: int | None
    snapshots: int
    log: tuple[int, int] | None
    departures: tuple[NodeRemark, ...] = ()
    damaged: tuple[FileFinding, ...] = ()
    torn: int = 0

    @property
    def verdict(self) -> Verdict:
        """`unknown` where a file is damaged or there is nothing to judge, and nothing departs."""
        if self.departures:
            return Verdict.DEPARTS
        has_records = self.log is not None and self.log[0] < self.log[1]
        if self.damaged or not (has_records or self.snapshots or self.epoch is not None):
            return Verdict.UNKNOWN
        return Verdict.CONFORMS


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading is: the file, and lines of all files so far.

    `followed` are requests of the protocol, `others` requests of which the model says nothing.
    `read_bytes` are those of files as they are stored, `all_bytes` how many there are; None where
    that is not known, as of a pipe. The last one that is given out, with file "", has the totals.
    """

    file: str
    lines: int
    followed: int
    others: int
    read_bytes: int = 0
    all_bytes: int | None = None
    in_columns: int = 0
    """Of the followed ones and the others, those for which no object was made."""


@dataclass(slots=True)
class LineCounts:
    """Lines of one client with one version of the protocol, written within one hour.

    `hour` counts the hours since 1970; None is for lines without a time. `partial` lines were
    judged in part only. A line counts once as a departure of a side, or as an unknown of it.
    """

    client: str
    api_version: int
    hour: int | None
    lines: int = 0
    partial: int = 0
    client_departures: int = 0
    broker_departures: int = 0
    unknowns: int = 0


@dataclass(frozen=True, slots=True)
class CountedLines:
    """The lines of one broker that were followed since they were last counted."""

    broker: str
    counts: Sequence[LineCounts]


Finding = (
    SessionFinding
    | RemarkFinding
    | LineFinding
    | FileFinding
    | LayoutFinding
    | NodeFinding
    | CountedLines
    | Progress
)
