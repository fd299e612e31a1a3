"""Sums up what comes of logs, in memory that does not grow with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import Generic, TypeVar

from lockstep.errors import ExitCode
from lockstep_kafka.findings import (
    LATE,
    MOST_PLACES,
    MOVED,
    UNFINISHED,
    UNORDERED,
    CountedLines,
    FileFinding,
    Finding,
    LayoutFinding,
    LineFinding,
    NodeFinding,
    Place,
    Progress,
    Remark,
    RemarkFinding,
    SessionFinding,
    ShownLine,
    Side,
    SideName,
    Verdict,
)
from lockstep_kafka.rules import Rule

T = TypeVar("T")

EXIT_CODES = {
    Verdict.CONFORMS: ExitCode.HOLDS,
    Verdict.UNKNOWN: ExitCode.INCONCLUSIVE,
    Verdict.DEPARTS: ExitCode.VIOLATED,
}
"""What one session or node alone would end the process with."""


@dataclass
class Firsts(Generic[T]):
    """The first few of many things, and how many there are; all of them where `most` is None."""

    most: int | None
    items: list[T] = field(default_factory=list)
    count: int = 0

    def add(self, item: T) -> None:
        """Count one more; it is kept while there are few."""
        self.count += 1
        if self.most is None or len(self.items) < self.most:
            self.items.append(item)

    @property
    def more(self) -> int:
        """How many are not kept."""
        return self.count - len(self.items)


@dataclass
class Unknowns:
    """Sessions of which a side is unknown by one rule.

    `side` is `client`, `broker` or `client and broker`. `because` is said of the first, and
    `varies` says that another one is said of others.
    """

    side: str
    rule: Rule
    because: str
    varies: bool = False
    places: Firsts[Place] = field(default_factory=lambda: Firsts(MOST_PLACES))

    def add(self, because: str, place: Place) -> None:
        """Count one more."""
        self.varies |= because != self.because
        self.places.add(place)


UNNAMED = "unnamed software (Fetch v{})"
"""What clients are called that do not say their software, by the version of their requests."""

MOST_CAUSES = 1_000
"""How many causes are distinguished: there are as many of a rule as there are kinds of software."""


@dataclass
class Cause:
    """Departures of one side by one rule, of the clients of one software or of one broker.

    `who` is that software with its version, or that broker; for clients that do not say their
    software it is the version of their requests. `sessions` and `lines` are counted; `places` are
    the first ones. `first_ms` and `last_ms` are when the first and the last line were written, in
    milliseconds since 1970. `shown` are the lines that show the first one, once they are read.
    """

    who: str
    first: RemarkFinding
    sessions: int = 0
    places: Firsts[Place] = field(default_factory=lambda: Firsts(MOST_PLACES))
    first_ms: int | None = None
    last_ms: int | None = None
    shown: tuple[ShownLine, ...] = ()
    _last: Place | None = None

    def add(self, finding: RemarkFinding) -> None:
        """Count one more; several remarks of one line are one."""
        self.sessions += finding.is_first
        if finding.remark.at == self._last:
            return
        self._last = finding.remark.at
        self.places.add(finding.remark.at)
        if (time_ms := finding.time_ms) is not None:
            self.first_ms = time_ms if self.first_ms is None else min(self.first_ms, time_ms)
            self.last_ms = time_ms if self.last_ms is None else max(self.last_ms, time_ms)


def who_departs(finding: RemarkFinding) -> str:
    """The broker, or the software of the client, to which a departure is put down."""
    if finding.side is SideName.BROKER:
        return finding.broker
    return finding.software or UNNAMED.format(finding.api_version)


@dataclass(frozen=True)
class LineReason:
    """Why lines of a file are not followed; `is_loss` as in a `LineFinding`."""

    file: str
    reason: str
    is_loss: bool


class ConformTotals:
    """What came of some logs.

    Of the sessions of each verdict, and of the lines that are not followed, the first `most` are
    kept, all where that is None. Everything is counted.
    """

    def __init__(self, most: int | None = None) -> None:
        self.sessions = {verdict: Firsts[SessionFinding](most) for verdict in Verdict}
        self.client: Counter[Verdict] = Counter()
        self.broker: Counter[Verdict] = Counter()
        self.unknown_by_rule: dict[tuple[str, Rule], Unknowns] = {}
        """Why sides are unknown of sessions in which nothing departs."""
        self.by_cause: dict[tuple[SideName, Rule, str], Cause] = {}
        """What departs, by side, rule, and `who_departs`."""
        self.lines = Firsts[LineFinding](most)
        self.reasons: dict[LineReason, Firsts[int]] = {}
        """The numbers of the lines that `lines` counts."""
        self.details: dict[LineReason, str] = {}
        """What stands in the first one of them."""
        self.files: list[FileFinding] = []
        self.layouts: Counter[str] = Counter()
        """How many files have each layout."""
        self.unknown_layouts: list[LayoutFinding] = []
        """The files in which no line is of a known layout."""
        self.nodes: list[NodeFinding] = []
        self.partial = 0
        """Lines that were judged in part only."""
        self.moved = 0
        """Lines that are named and were followed: out of their place, or as the first that shows
        that their file is not in order."""
        self.late = 0
        """Requests that were not followed, for others of their connection had been already."""
        self.lost = 0
        """Lines that were not judged though a request of the protocol is in them, or may be; not
        the unfinished ones, with which a log ends that is still written."""
        self._lines_of_sessions = 0
        self._progress = Progress("", 0, 0, 0)

    def add(self, finding: Finding) -> None:
        """Count one finding."""
        match finding:
            case SessionFinding():
                self._add_session(finding)
            case RemarkFinding():
                self._add_remark(finding)
            case LineFinding():
                self._add_line(finding)
            case FileFinding():
                self.files.append(finding)
            case CountedLines():
                pass  # sessions and progress count them
            case LayoutFinding(layout=None):
                self.unknown_layouts.append(finding)
            case LayoutFinding(layout=str(layout)):
                self.layouts[layout] += 1
            case NodeFinding():
                self.nodes.append(finding)
                self.files += finding.damaged
            case Progress():
                self._progress = finding

    @property
    def followed(self) -> int:
        """Lines that were followed, those of sessions that nothing is said of yet included."""
        return max(self._lines_of_sessions, self._progress.followed)

    @property
    def not_followed(self) -> int:
        """Lines that were not followed, the other requests of the log included."""
        return self.lines.count - self.moved + self.other_requests

    @property
    def is_mostly_late(self) -> bool:
        """Whether the verdicts say little of the log: most of its requests are late."""
        return self.late > self.followed

    @property
    def in_columns(self) -> int:
        """Requests that were followed without an object for each."""
        return self._progress.in_columns

    @property
    def other_requests(self) -> int:
        """Lines that are requests of which the model says nothing."""
        return self._progress.others

    @property
    def read(self) -> int:
        """Lines that were read."""
        return max(self._progress.lines, self.followed + self.not_followed)

    @property
    def causes(self) -> list[Cause]:
        """What departs, by cause, in the order in which they first occur: that of the lines.

        What departs first may be what the others come of. Files are in the order of the first times
        of their causes; those without times come last.
        """
        causes = self.by_cause.values()
        begins: dict[str, float] = {}
        for cause in causes:
            file, first_ms = cause.first.remark.at.file, cause.first_ms
            begins[file] = min(begins.get(file, inf), inf if first_ms is None else first_ms)

        def place(cause: Cause) -> tuple[float, str, int]:
            at = cause.first.remark.at
            return begins[at.file], at.file, at.line

        return sorted(causes, key=place)

    @property
    def unknown(self) -> list[Unknowns]:
        """Why sides are unknown of sessions in which nothing departs."""
        return list(self.unknown_by_rule.values())

    @property
    def departing(self) -> Firsts[SessionFinding]:
        """The sessions in which a side departs."""
        return self.sessions[Verdict.DEPARTS]

    @property
    def exit_code(self) -> ExitCode:
        """1 where a side or a node departs, 3 where anything is not known, 0 otherwise."""
        nodes = {node.verdict for node in self.nodes}
        if self.departing.count or Verdict.DEPARTS in nodes:
            return ExitCode.VIOLATED
        unknown = self.sessions[Verdict.UNKNOWN].count or self.files or self.unknown_layouts
        if unknown or self.lost or Verdict.UNKNOWN in nodes:
            return ExitCode.INCONCLUSIVE
        if not (self.sessions[Verdict.CONFORMS].count or nodes):
            return ExitCode.INCONCLUSIVE
        return ExitCode.HOLDS

    def _add_session(self, session: SessionFinding) -> None:
        self.sessions[session.verdict].add(session)
        self.client[session.client_side.verdict] += 1
        self.broker[session.broker_side.verdict] += 1
        self._lines_of_sessions += session.lines
        self.partial += session.partial
        if session.verdict is not Verdict.UNKNOWN:
            return
        for side, remark in _unknown_sides(session).items():
            unknowns = self.unknown_by_rule.get((side, remark.rule))
            because = remark.because
            if unknowns is None:
                unknowns = Unknowns(side, remark.rule, because)
                self.unknown_by_rule[side, remark.rule] = unknowns
            unknowns.add(because, remark.at)

    def _add_remark(self, finding: RemarkFinding) -> None:
        """Count a departure by its cause; what is unknown is counted by session."""
        if finding.remark.verdict is not Verdict.DEPARTS:
            return
        who = who_departs(finding)
        key = finding.side, finding.remark.rule, who
        if key not in self.by_cause and len(self.by_cause) >= MOST_CAUSES:
            who = "others"
            key = finding.side, finding.remark.rule, who
        self.by_cause.setdefault(key, Cause(who, finding)).add(finding)

    def _add_line(self, line: LineFinding) -> None:
        self.lines.add(line)
        if line.reason in (MOVED, UNORDERED):
            self.moved += 1
        if line.reason == LATE:
            self.late += 1
        self.lost += line.is_loss and line.reason != UNFINISHED
        reason = LineReason(line.at.file, line.reason, line.is_loss)
        self.reasons.setdefault(reason, Firsts(MOST_PLACES)).add(line.at.line)
        self.details.setdefault(reason, line.detail)


def reason_of(side: Side, session: SessionFinding) -> Remark:
    """Why a side of a session does not conform."""
    return side.worst or Remark(Rule.NOTHING_JUDGED, session.first)


def _unknown_sides(session: SessionFinding) -> dict[str, Remark]:
    """Why sides of a session are unknown; one reason where both have the same."""
    reasons = {
        name: reason_of(side, session)
        for name, side in (("client", session.client_side), ("broker", session.broker_side))
        if side.verdict is Verdict.UNKNOWN
    }
    if len(reasons) == 2 and reasons["client"] == reasons["broker"]:
        reasons = {"client and broker": reasons["client"]}
    return reasons
