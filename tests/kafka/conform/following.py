"""Logs followed through `fetch_session`, and the findings sorted for tests."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lockstep_kafka.columns.observe import observe
from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.findings import (
    FileFinding,
    Finding,
    LineFinding,
    Progress,
    Remark,
    SessionFinding,
    Side,
    SideName,
    Verdict,
    worst,
)
from lockstep_kafka.simulated.damage.log import Log
from tests.kafka_models import fetch_session

ROOT = Path(__file__).parents[3]
LOGS = ROOT / "tests" / "data" / "request-log"
"""The logs that are test data."""


def read_log(path: Path) -> Log:
    """A file, or the files of a directory one after the other, in the order of their names."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return Log.of([line for file in files for line in _text(file).splitlines()])


def _text(file: Path) -> str:
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data).decode()


@dataclass(frozen=True)
class Departure:
    """One side of a session that departs; the remark is its first departure."""

    session: int
    side: SideName
    remark: Remark

    def __str__(self) -> str:
        return f"{self.remark.at} {self.side} of {self.session}: {self.remark.because}"


@dataclass(frozen=True)
class Findings:
    """Everything that was found in some logs."""

    all: tuple[Finding, ...]

    @cached_property
    def sessions(self) -> list[SessionFinding]:
        return [finding for finding in self.all if isinstance(finding, SessionFinding)]

    @cached_property
    def lines(self) -> list[LineFinding]:
        return [finding for finding in self.all if isinstance(finding, LineFinding)]

    @cached_property
    def files(self) -> list[FileFinding]:
        return [finding for finding in self.all if isinstance(finding, FileFinding)]

    @property
    def total(self) -> Progress:
        """How many lines there were."""
        return next(last for last in reversed(self.all) if isinstance(last, Progress))

    @property
    def verdict(self) -> Verdict:
        return worst([session.verdict for session in self.sessions])

    @cached_property
    def departures(self) -> list[Departure]:
        return [
            Departure(session.session, name, side.worst)
            for session in self.sessions
            for name, side in sides(session).items()
            if side.worst is not None and side.verdict is Verdict.DEPARTS
        ]

    def of(self, session: int) -> SessionFinding:
        """The one finding of a session."""
        (finding,) = (finding for finding in self.sessions if finding.session == session)
        return finding


def sides(session: SessionFinding) -> Mapping[SideName, Side]:
    return {SideName.CLIENT: session.client_side, SideName.BROKER: session.broker_side}


def follow(*logs: Path, broker_from: str | None = None) -> Findings:
    paths = BrokerPaths(broker_from)
    return Findings(tuple(observe([str(log) for log in logs], fetch_session, paths)))


def in_session(log: Log) -> int:
    """How many requests of a log are incremental ones of a session."""
    return sum(fetch.epoch > 0 and fetch.session != 0 for fetch in log.fetches)


def judged(findings: Findings) -> int:
    """How many lines of sessions were judged on both sides."""
    return sum(
        min(session.client_side.judged, session.broker_side.judged)
        for session in findings.sessions
        if session.session != 0
    )


def lines_of_sessions(findings: Findings) -> int:
    return sum(session.lines for session in findings.sessions if session.session != 0)
