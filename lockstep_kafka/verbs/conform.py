"""Holds request logs of a running system against a model."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.requests.run import Unwatched, Watch
from lockstep.results.verdict import INTERRUPTED
from lockstep.workspace import KAFKA, Workspace
from lockstep_kafka.files.broker_paths import BrokerPaths
from lockstep_kafka.findings import Progress, SessionFinding, Verdict
from lockstep_kafka.quorum.node_files import read_node
from lockstep_kafka.quorum.node_side import MODEL as MODEL_OF_FILES
from lockstep_kafka.quorum.node_side import NodeSide
from lockstep_kafka.sessions.observe import observe
from lockstep_kafka.totals import ConformTotals
from lockstep_kafka.verbs.conform_request import ConformRequest
from lockstep_kafka.workspaces import (
    loader,
    model_for_logs,
    requirement_texts,
    workspace_for_logs,
)

__all__ = ["ConformRequest", "ConformResult", "conform"]

STANDARD_INPUT = "-"
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
    """Whether Ctrl-C ended it: then not everything was read."""

    @property
    def sessions(self) -> list[SessionFinding]:
        """The sessions that are kept, the worst first."""
        kept = self.totals.sessions
        return [session for verdict in reversed(Verdict) for session in kept[verdict].items]

    @property
    def exit_code(self) -> int:
        """1 where a side departs; 3 where none does, but a side or a file is not known; else 0."""
        return INTERRUPTED if self.is_interrupted else int(self.totals.exit_code)


def conform(request: ConformRequest, *, watch: Watch = Unwatched()) -> ConformResult:
    """Follow each session of the logs through the model; with `kraft`, judge the files of nodes.

    A file that cannot be read is a finding. `LockstepError` when a log does not exist, or the
    workspace does not have the model.
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
    requirements = requirement_texts(workspace.root)
    paths = BrokerPaths(request.broker_from)
    totals = ConformTotals(request.most)
    is_interrupted = False
    with watch.steps(f"conform {name}") as on_step:
        try:
            for finding in observe(logs, loader(workspace.root), paths):
                totals.add(finding)
                if isinstance(finding, Progress):
                    on_step(_shown(finding))
        except KeyboardInterrupt:
            is_interrupted = True  # what was read so far is reported
    return ConformResult(name, totals, requirements, is_interrupted)


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


def _shown(progress: Progress) -> str:
    return f"{progress.file}  {progress.lines:,} lines, {progress.followed:,} followed".lstrip()
