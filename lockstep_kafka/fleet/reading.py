"""What tasks know of the logs that are observed, and what is said of a line."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from msgspec import structs

from lockstep.system.workspace_text import WorkspaceText
from lockstep_kafka.files.lines import Skipped
from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.findings import LineFinding
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import loader


@dataclass(frozen=True)
class Observed:
    """The text of the model, and `broker_from`, the pattern that names brokers in paths."""

    workspace: WorkspaceText
    broker_from: str | None = None

    @property
    def paths(self) -> BrokerPaths:
        """Which broker a path names."""
        return _paths(self.broker_from)

    @property
    def explanations(self) -> Explanations:
        """Where the model is asked."""
        return _explanations(self.workspace)


def time_of_line(line: bytes) -> int | None:
    """When a request was written, in milliseconds since 1970; None for what is no request."""
    read = read_line((1, line, True, None), "")
    return None if isinstance(read, Skipped) else read.time_ms


@functools.cache
def _paths(pattern: str | None) -> BrokerPaths:
    return BrokerPaths(pattern)


@functools.cache
def _explanations(workspace: WorkspaceText) -> Explanations:
    return Explanations(loader(workspace.unpacked()), are_kept=True)


def quarantined(finding: LineFinding) -> dict[str, object]:
    """What is said of a line, as a row has it."""
    named = {name: getattr(finding, name) for name in ("reason", "detail", "is_loss")}
    return {**structs.asdict(finding.at), **named}
