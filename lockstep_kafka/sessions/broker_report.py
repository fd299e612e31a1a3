"""What is to be said of one broker's lines: remarks, sessions that are over, and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lockstep_kafka.files.lines import FetchLine, FollowedLine
from lockstep_kafka.files.shown_lines import abridged
from lockstep_kafka.findings import (
    Finding,
    LineCounts,
    Place,
    Remark,
    RemarkFinding,
    SessionFinding,
    Side,
    SideName,
    Verdict,
)

_HOUR_MS = 3_600_000


class BrokerReport:
    """Gathers findings until they are taken, and counts lines by client, version and hour."""

    def __init__(self, broker: str, counts: Iterable[LineCounts] = ()) -> None:
        self.broker = broker
        self._findings: list[Finding] = []
        self._counts = {(row.client, row.api_version, row.hour): row for row in counts}

    @property
    def counts(self) -> list[LineCounts]:
        """The counts since they were last taken."""
        return list(self._counts.values())

    def take(self) -> Sequence[Finding]:
        """The findings since they were last taken."""
        findings = self._findings
        if not findings:
            return ()
        self._findings = []
        return findings

    def take_counts(self) -> list[LineCounts]:
        """The counts since they were last taken; they begin at 0 again."""
        counts = self.counts
        self._counts = {}
        return counts

    def add(self, finding: Finding) -> None:
        """A finding is final."""
        self._findings.append(finding)

    def begin(self, line: FollowedLine, session: int, *, is_whole: bool) -> SessionFinding:
        """What will come of a session that begins with a line."""
        at = Place(line.file, line.line)
        return SessionFinding(
            session,
            line.client_id,
            line.connection,
            at,
            at,
            is_whole,
            broker=self.broker,
            first_ms=line.time_ms,
        )

    def judge(
        self,
        line: FollowedLine,
        finding: SessionFinding,
        client: Sequence[Remark],
        leader: Sequence[Remark],
        *,
        is_partial: bool,
    ) -> None:
        """Take a line of a session in, with what is remarked of each side."""
        finding.lines += 1
        finding.partial += is_partial
        finding.last = Place(line.file, line.line)
        finding.last_ms = line.time_ms
        finding.api_version = line.version
        counts = self._counts_of(line)
        counts.lines += 1
        counts.partial += is_partial
        if client:
            self._remark(line, finding, SideName.CLIENT, client)
        else:
            finding.client_side.judged += 1
        if leader:
            self._remark(line, finding, SideName.BROKER, leader)
        else:
            finding.broker_side.judged += 1

    def leave_open(self, finding: SessionFinding, line: FollowedLine, remark: Remark) -> None:
        """Say once of both sides of a session why a line is not judged."""
        sides = {SideName.CLIENT: finding.client_side, SideName.BROKER: finding.broker_side}
        for name, side in sides.items():
            if remark.rule not in side.by_rule:
                side.remark(remark)
                self._tell(line, finding, name, remark)

    def correct(self, finding: SessionFinding, line: FetchLine, remark: Remark) -> None:
        """Say of the broker, on a line that counts as judged, what only a later line shows."""
        side = finding.broker_side
        if remark.verdict is Verdict.UNKNOWN:
            side.judged -= 1
        self._count(line, side, SideName.BROKER, remark)
        self._tell(line, finding, SideName.BROKER, remark)

    def _remark(
        self, line: FollowedLine, finding: SessionFinding, name: SideName, remarks: Sequence[Remark]
    ) -> None:
        """A line counts as judged unless a remark says that it cannot be; the worst one counts."""
        side = finding.client_side if name is SideName.CLIENT else finding.broker_side
        departures = [remark for remark in remarks if remark.verdict is Verdict.DEPARTS]
        if departures:
            side.judged += 1
        self._count(line, side, name, (departures or remarks)[0])
        for remark in remarks:
            self._tell(line, finding, name, remark)

    def _count(self, line: FollowedLine, side: Side, name: SideName, remark: Remark) -> None:
        side.remark(remark)
        counts = self._counts_of(line)
        if remark.verdict is Verdict.UNKNOWN:
            counts.unknowns += 1
        elif name is SideName.CLIENT:
            counts.client_departures += 1
        else:
            counts.broker_departures += 1

    def _tell(
        self, line: FollowedLine, finding: SessionFinding, name: SideName, remark: Remark
    ) -> None:
        side = finding.client_side if name is SideName.CLIENT else finding.broker_side
        count = side.by_rule.get(remark.rule, 0) + 1
        side.by_rule = {**side.by_rule, remark.rule: count}
        self._findings.append(
            RemarkFinding(
                side=name,
                broker=self.broker,
                session=finding.session,
                began=finding.first,
                client=line.client_id,
                api_version=line.version,
                time_ms=line.time_ms,
                remark=remark,
                software=line.software,
                abridged=abridged(line, self.broker, str(remark.arguments.get("partition", ""))),
                is_first=count == 1,
            )
        )

    def _counts_of(self, line: FollowedLine) -> LineCounts:
        hour = None if line.time_ms is None else line.time_ms // _HOUR_MS
        return self.counts_of(line.client_id, line.version, hour)

    def counts_of(self, client: str, version: int, hour: int | None) -> LineCounts:
        """The counts of a client's lines with one version in one hour since 1970."""
        key = client, version, hour
        counts = self._counts.get(key)
        if counts is None:
            counts = self._counts[key] = LineCounts(*key)
        return counts
