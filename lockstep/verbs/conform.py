"""Holds request logs of a running system against a model."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.conform.broker_paths import BrokerPaths
from lockstep.conform.findings import Progress, SessionFinding, Verdict
from lockstep.conform.followers import load_follower
from lockstep.errors import LockstepError
from lockstep.language.inventory import FOLLOWERS
from lockstep.language.model import Model, load_model
from lockstep.results.exits import INTERRUPTED
from lockstep.specs.kip import load_kips
from lockstep.verbs.conform_request import ConformRequest
from lockstep.verbs.conform_totals import ConformTotals
from lockstep.verbs.models import the_one
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import workspace_for_logs

__all__ = ["ConformRequest", "ConformResult", "conform"]

STANDARD_INPUT = "-"


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
    """Follow each session of the logs through the model.

    A file that cannot be read is a finding. `LockstepError` when a log does not exist, or no
    follower of the model can be used.
    """
    workspace = request.workspace or workspace_for_logs()
    name = the_one(request.model, workspace.followers(), "be followed through a log", FOLLOWERS)
    logs = [os.fspath(log) for log in request.logs]
    if STANDARD_INPUT in logs and sys.stdin is None:
        raise LockstepError(
            "standard input is closed: there is no log to read there",
            cure="name a file, or write the log into a pipe",
        )
    requirements = requirement_texts(workspace.root)
    observe = load_follower(workspace.root, name)
    paths = BrokerPaths(request.broker_from)

    def load(constants: Mapping[str, object]) -> Model:
        return load_model(workspace.root, name, constants)

    totals = ConformTotals(request.most)
    is_interrupted = False
    with watch.steps(f"conform {name}") as on_step:
        try:
            for finding in observe(logs, load, paths):
                totals.add(finding)
                if isinstance(finding, Progress):
                    on_step(_shown(finding))
        except KeyboardInterrupt:
            is_interrupted = True  # what was read so far is reported
    return ConformResult(name, totals, requirements, is_interrupted)


def _shown(progress: Progress) -> str:
    return f"{progress.file}  {progress.lines:,} lines, {progress.followed:,} followed".lstrip()


def requirement_texts(root: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for kip in load_kips(root):
        texts |= {row.id: row.text for row in kip.requirements}
        texts |= {row.id: row.title for row in kip.deviations}
    return texts
