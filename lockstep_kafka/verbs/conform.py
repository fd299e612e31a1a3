"""Compares request logs of a running system with a model, and counts what comes of it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.requests.run import Watch
from lockstep.results.verdict import INTERRUPTED
from lockstep.system.text_files import write_text
from lockstep.workspace import KAFKA, Workspace
from lockstep_kafka.columns.observe import observe
from lockstep_kafka.files.log_files import BrokerPaths, Wait
from lockstep_kafka.files.physical_lines import LONGEST_MAGIC, compression_of
from lockstep_kafka.files.shown_lines import shown_lines
from lockstep_kafka.findings import (
    CountedLines,
    Finding,
    LineFinding,
    Progress,
    RemarkFinding,
    SessionFinding,
    Verdict,
)
from lockstep_kafka.quorum.node_files import read_node
from lockstep_kafka.quorum.node_side import MODEL as MODEL_OF_FILES
from lockstep_kafka.quorum.node_side import NodeSide
from lockstep_kafka.totals import ConformTotals
from lockstep_kafka.verbs.conform_jobs import JobLost, observe_side_by_side
from lockstep_kafka.verbs.requests import ConformRequest
from lockstep_kafka.workspaces import loader, model_for_logs, requirement_texts, workspace_for_logs

if TYPE_CHECKING:
    from prometheus_client.core import CounterMetricFamily


__all__ = ["ConformRequest", "ConformResult", "conform"]

Heard = Callable[[RemarkFinding], None]

STANDARD_INPUT = "-"

_MB = 10**6
_METRICS_BEGIN = b"# HELP "
_SECONDS_UNTIL_RATE = 2.0
"""Until the rate says something about the time that is left."""

_SECONDS_BETWEEN_LOOKS = 0.25
"""How long it takes at most until a line is seen that is written to a file."""

FOLLOWED = "be followed through a log"


@dataclass(frozen=True)
class ConformResult:
    """What came of some logs.

    `requirements` has the text of each requirement, and the title of each deviation, by its id.
    """

    model: str
    totals: ConformTotals
    requirements: Mapping[str, str] = field(default_factory=dict)
    is_interrupted: bool = False
    """Whether Ctrl-C ended it."""
    is_all_read: bool = True
    """Whether all was read that was there then."""
    failure: LockstepError | None = None
    """Why it is not all: a process was lost, or the metrics cannot be written."""

    @property
    def sessions(self) -> list[SessionFinding]:
        """The sessions that are kept: the worst first, and then by the file and line they begin."""
        kept = self.totals.sessions
        return [
            session
            for verdict in reversed(Verdict)
            for session in sorted(kept[verdict].items, key=_begins)
        ]

    @property
    def exit_code(self) -> int:
        """1 where a side departs; 3 where none does, but a side or a file is not known; else 0.

        2 where it is not all for another reason than Ctrl-C.
        """
        if self.failure is not None:
            return int(self.failure.exit_code)
        return INTERRUPTED if self.is_interrupted else int(self.totals.exit_code)


def _begins(session: SessionFinding) -> tuple[str, int]:
    return session.first.file, session.first.line


def conform(
    request: ConformRequest, *, watch: Watch = Watch(), heard: Heard | None = None
) -> ConformResult:
    """Follow each session of the logs through the model; with `kraft`, judge the files of nodes.

    `heard` takes each remark as soon as it is made. A file that cannot be read is a finding.
    `LockstepError` when a log does not exist, the workspace does not have the model, or there is no
    folder for the metrics.
    """
    workspace = request.workspace or workspace_for_logs()
    if request.kraft:
        return _nodes(request, workspace)
    name = model_for_logs(workspace, request.model, FOLLOWED)
    logs = [os.fspath(log) for log in request.logs]
    if STANDARD_INPUT in logs and sys.stdin is None:
        raise LockstepError(
            "standard input is closed: there is no log to read there",
            cure="name a file, or write the log into a pipe",
        )
    if request.follow:
        _refuse_compressed(logs[0])
    requirements = requirement_texts(workspace.root)
    totals, metrics = ConformTotals(request.most), ConformMetrics(request.metrics)
    is_interrupted, is_all_read, began = False, False, monotonic()
    failure: LockstepError | None = None

    def wait() -> None:
        nonlocal is_all_read
        is_all_read = True
        sleep(_SECONDS_BETWEEN_LOOKS)
        is_all_read = False
        if metrics.failure is not None:
            raise KeyboardInterrupt  # what is read until now is reported

    with watch.steps(f"conform {name}") as on_step:
        try:
            for finding in _findings(request, logs, workspace.root, wait):
                totals.add(finding)
                metrics.add(finding)
                if heard is not None and isinstance(finding, RemarkFinding):
                    heard(finding)
                if isinstance(finding, Progress):
                    on_step(shown_progress(finding, monotonic() - began))
                    if request.follow:
                        metrics.write()
        except KeyboardInterrupt:
            is_interrupted = metrics.failure is None  # what was read so far is reported
        except JobLost as error:
            failure = error
    if not is_interrupted or request.follow:
        causes = totals.causes[: request.most]
        for cause, lines in zip(causes, shown_lines([one.first for one in causes]), strict=True):
            cause.shown = lines
    metrics.write()
    failure = failure or metrics.failure
    is_all_read |= not is_interrupted
    return ConformResult(name, totals, requirements, is_interrupted, is_all_read, failure)


def _findings(
    request: ConformRequest, logs: Sequence[str], root: Path, wait: Wait
) -> Iterator[Finding]:
    if request.jobs > 1:
        return observe_side_by_side(logs, root, request.broker_from, request.jobs)
    waits = wait if request.follow else None
    return observe(logs, loader(root), BrokerPaths(request.broker_from), wait=waits)


def _refuse_compressed(log: str) -> None:
    with open(log, "rb") as file:
        compression = compression_of(file.read(LONGEST_MAGIC))
    if compression is not None:
        raise LockstepError(
            f"{log} is compressed by {compression.name}: nothing is written to it any more",
            cure="leave out --follow",
        )


def _nodes(request: ConformRequest, workspace: Workspace) -> ConformResult:
    if not (workspace.root / "models" / f"{MODEL_OF_FILES}.py").is_file():
        raise LockstepError(
            f"no model can judge files of nodes in the workspace {workspace.name}",
            cure=f"`--workspace {KAFKA}` has {MODEL_OF_FILES}, which can",
        )
    totals, judge = ConformTotals(request.most), NodeSide(workspace.root)
    for directory in request.logs:
        totals.add(judge.judge(read_node(Path(directory))))
    return ConformResult(MODEL_OF_FILES, totals, requirement_texts(workspace.root))


def shown_progress(progress: Progress, seconds: float) -> str:
    """How far the reading is after some seconds: lines, bytes, the rate, and the time left."""
    text = f"{progress.file}  {progress.lines:,} lines, {progress.followed:,} followed".lstrip()
    read, every = progress.read_bytes, progress.all_bytes
    if every is None or not 0 < read <= every or seconds < _SECONDS_UNTIL_RATE:
        return text
    rate = read / seconds
    megabytes = f"{read / _MB:,.0f} of {every / _MB:,.0f} MB, {rate / _MB:,.1f} MB/s"
    return f"{text}, {megabytes}, about {(every - read) / rate:,.0f} s left"


def _not_for_metrics(path: Path) -> str | None:
    """Why metrics may not be written there: above all not over a log, named by a mistake."""
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if path.is_file() and path.stat().st_size:
        with suppress(OSError), path.open("rb") as file:
            if file.read(len(_METRICS_BEGIN)) == _METRICS_BEGIN:
                return None
        return "it is there, and has no metrics"
    return None


class ConformMetrics:
    """Counts findings. Its memory grows with the number of clients, and not with the logs."""

    def __init__(self, path: Path | None) -> None:
        """`LockstepError` where the file cannot be one; without a path nothing is written."""
        if path is not None and (because := _not_for_metrics(path)):
            raise LockstepError(
                f"{path} cannot be written: {because}",
                cure="name a new file, or one of metrics, in a folder that can be written",
            )
        self.failure: LockstepError | None = None
        """Why the file could not be written."""
        self._path = path
        self._lines: Counter[tuple[str, ...]] = Counter()
        self._remarks: Counter[tuple[str, ...]] = Counter()
        self._sessions: Counter[tuple[str, ...]] = Counter()
        self._not_followed: Counter[tuple[str, ...]] = Counter()

    def add(self, finding: Finding) -> None:
        """Count a finding, if the counts are written."""
        if self._path is None:
            return
        match finding:
            case CountedLines():
                for counts in finding.counts:
                    key = counts.client, str(counts.api_version), finding.broker
                    self._lines[key] += counts.lines
            case RemarkFinding(client=client, broker=broker, side=side, remark=remark):
                who = client, str(finding.api_version), broker
                self._remarks[*who, side.value, remark.rule.id, remark.verdict.value] += 1
            case SessionFinding(broker=broker):
                sides = {"client": finding.client_side, "broker": finding.broker_side}
                for name, judged in sides.items():
                    self._sessions[broker, name, judged.verdict.value] += 1
            case LineFinding():
                self._not_followed[(finding.reason,)] += 1

    def write(self) -> None:
        """Write the file, all of it at once. After a failure that is not tried again."""
        if self._path is None or self.failure is not None:
            return
        from prometheus_client import CollectorRegistry, generate_latest

        registry = CollectorRegistry()
        registry.register(self)
        try:
            write_text(self._path, generate_latest(registry).decode())
        except LockstepError as error:
            self.failure = error

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The counters, as the library asks for them."""
        who = ("client", "version", "broker")
        yield _family("lines", "Fetch requests that were followed.", who, self._lines)
        yield _family(
            "remarks",
            "Remarks on requests and responses, by rule.",
            (*who, "side", "rule", "verdict"),
            self._remarks,
        )
        yield _family(
            "sessions",
            "Sessions, by the verdict on each side.",
            ("broker", "side", "verdict"),
            self._sessions,
        )
        yield _family(
            "lines_not_followed",
            "Lines that were not followed, or not in their place.",
            ("reason",),
            self._not_followed,
        )


def _family(
    name: str, text: str, labels: tuple[str, ...], counts: Counter[tuple[str, ...]]
) -> CounterMetricFamily:
    from prometheus_client.core import CounterMetricFamily

    family = CounterMetricFamily(f"lockstep_conform_{name}", text, labels=labels)
    for values, count in sorted(counts.items()):
        family.add_metric(values, count)
    return family
