"""Holds request logs of a running system against a model."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from lockstep.errors import LockstepError
from lockstep.requests.run import Unwatched, Watch
from lockstep.results.verdict import INTERRUPTED
from lockstep.system.compressed_stream import LONGEST_MAGIC, compression_of
from lockstep.workspace import KAFKA, Workspace
from lockstep_kafka.columns.observe import observe
from lockstep_kafka.files.broker_paths import BrokerPaths
from lockstep_kafka.files.shown_lines import shown_lines
from lockstep_kafka.findings import Progress, RemarkFinding, SessionFinding, Verdict
from lockstep_kafka.quorum.node_files import read_node
from lockstep_kafka.quorum.node_side import MODEL as MODEL_OF_FILES
from lockstep_kafka.quorum.node_side import NodeSide
from lockstep_kafka.totals import ConformTotals
from lockstep_kafka.verbs.conform_metrics import ConformMetrics
from lockstep_kafka.verbs.conform_request import ConformRequest
from lockstep_kafka.workspaces import (
    loader,
    model_for_logs,
    requirement_texts,
    workspace_for_logs,
)

__all__ = ["ConformRequest", "ConformResult", "conform"]

Heard = Callable[[RemarkFinding], None]

STANDARD_INPUT = "-"

_MB = 10**6
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
        """1 where a side departs; 3 where none does, but a side or a file is not known; else 0."""
        return INTERRUPTED if self.is_interrupted else int(self.totals.exit_code)


def _begins(session: SessionFinding) -> tuple[str, int]:
    return session.first.file, session.first.line


def conform(
    request: ConformRequest, *, watch: Watch = Unwatched(), heard: Heard | None = None
) -> ConformResult:
    """Follow each session of the logs through the model; with `kraft`, judge the files of nodes.

    `heard` takes each remark as soon as it is made. A file that cannot be read is a finding.
    `LockstepError` when a log does not exist, or the workspace does not have the model.
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
    paths = BrokerPaths(request.broker_from)
    totals, metrics = ConformTotals(request.most), ConformMetrics()
    is_interrupted, is_all_read, began = False, False, monotonic()

    def wait() -> None:
        nonlocal is_all_read
        is_all_read = True
        sleep(_SECONDS_BETWEEN_LOOKS)
        is_all_read = False

    with watch.steps(f"conform {name}") as on_step:
        try:
            waits = wait if request.follow else None
            for finding in observe(logs, loader(workspace.root), paths, wait=waits):
                totals.add(finding)
                if request.metrics is not None:
                    metrics.add(finding)
                if heard is not None and isinstance(finding, RemarkFinding):
                    heard(finding)
                if isinstance(finding, Progress):
                    on_step(shown_progress(finding, monotonic() - began))
                    if request.follow and request.metrics is not None:
                        metrics.write(request.metrics)
        except KeyboardInterrupt:
            is_interrupted = True  # what was read so far is reported
    if not is_interrupted or request.follow:
        causes = totals.causes[: request.most]
        for cause, lines in zip(causes, shown_lines([one.first for one in causes]), strict=True):
            cause.shown = lines
    if request.metrics is not None:
        metrics.write(request.metrics)
    is_all_read |= not is_interrupted
    return ConformResult(name, totals, requirements, is_interrupted, is_all_read)


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
