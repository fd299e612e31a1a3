"""Sums up what comes of logs, in memory that does not grow with them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from lockstep.errors import ExitCode
from lockstep_kafka.findings import (
    MOST_PLACES,
    MOVED,
    FileFinding,
    Finding,
    LineFinding,
    NodeFinding,
    Place,
    Progress,
    RemarkFinding,
    SessionFinding,
    Side,
    Verdict,
)

T = TypeVar("T")

MOST_REASONS = 20
"""How many reasons for `unknown` are told apart: a reason may have names in it."""

OTHER_REASONS = "of other reasons"

_NUMBER = re.compile(r"\d+")

NOTHING_JUDGED = "none of its lines could be judged"
"""Why a side is unknown of which nothing is remarked."""


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
    """Sessions of which a side is unknown for one reason; reasons may differ in their numbers.

    `side` is `client`, `broker` or `client and broker`. `because` is the first reason, which
    `varies` in the others.
    """

    side: str
    because: str
    varies: bool = False
    places: Firsts[Place] = field(default_factory=lambda: Firsts(MOST_PLACES))

    def add(self, because: str, place: Place) -> None:
        """Count one more."""
        self.varies |= because != self.because
        self.places.add(place)


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
        self.unknown_by_reason: dict[tuple[str, str], Unknowns] = {}
        """Why sides are unknown of sessions in which nothing departs: by side and reason."""
        self.lines = Firsts[LineFinding](most)
        self.reasons: dict[LineReason, Firsts[int]] = {}
        """The numbers of the lines that `lines` counts."""
        self.files: list[FileFinding] = []
        self.nodes: list[NodeFinding] = []
        self.partial = 0
        """Lines that were judged in part only."""
        self.moved = 0
        """Lines that were followed, but not in the place where they stand."""
        self._lines_of_sessions = 0
        self._progress = Progress("", 0, 0, 0)

    def add(self, finding: Finding) -> None:
        """Count one finding."""
        match finding:
            case SessionFinding():
                self._add_session(finding)
            case RemarkFinding():
                pass  # the sides of its session count it
            case LineFinding():
                self._add_line(finding)
            case FileFinding():
                self.files.append(finding)
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
    def other_requests(self) -> int:
        """Lines that are requests of which the model says nothing."""
        return self._progress.others

    @property
    def read(self) -> int:
        """Lines that were read."""
        return max(self._progress.lines, self.followed + self.not_followed)

    @property
    def unknown(self) -> list[Unknowns]:
        """Why sides are unknown of sessions in which nothing departs."""
        return list(self.unknown_by_reason.values())

    @property
    def departing(self) -> Firsts[SessionFinding]:
        """The sessions in which a side departs."""
        return self.sessions[Verdict.DEPARTS]

    @property
    def exit_code(self) -> ExitCode:
        """1 where a side departs, 3 where anything is not known, 0 otherwise."""
        nodes = {node.verdict for node in self.nodes}
        if self.departing.count or Verdict.DEPARTS in nodes:
            return ExitCode.VIOLATED
        unknown = self.sessions[Verdict.UNKNOWN].count or self.files or Verdict.UNKNOWN in nodes
        if unknown or not (self.sessions[Verdict.CONFORMS].count or nodes):
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
        for side, (because, place) in _unknown_sides(session).items():
            key = side, _NUMBER.sub("0", because)
            if key not in self.unknown_by_reason and len(self.unknown_by_reason) >= MOST_REASONS:
                because, key = OTHER_REASONS, (side, OTHER_REASONS)
            self.unknown_by_reason.setdefault(key, Unknowns(side, because)).add(because, place)

    def _add_line(self, line: LineFinding) -> None:
        self.lines.add(line)
        if line.reason == MOVED:
            self.moved += 1
        reason = LineReason(line.at.file, line.reason, line.is_loss)
        self.reasons.setdefault(reason, Firsts(MOST_PLACES)).add(line.at.line)


def reason_of(side: Side, session: SessionFinding) -> tuple[str, Place]:
    """Why a side of a session does not conform, and where."""
    if side.worst is None:
        return NOTHING_JUDGED, session.first
    return side.worst.because, side.worst.at


def _unknown_sides(session: SessionFinding) -> dict[str, tuple[str, Place]]:
    """Why sides of a session are unknown, and where; one reason where both have the same."""
    reasons = {
        name: reason_of(side, session)
        for name, side in (("client", session.client_side), ("broker", session.broker_side))
        if side.verdict is Verdict.UNKNOWN
    }
    if len(reasons) == 2 and reasons["client"] == reasons["broker"]:
        reasons = {"client and broker": reasons["client"]}
    return reasons
