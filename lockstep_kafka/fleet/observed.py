"""What follows the logs on whatever machine a task runs: the model's text, and who wrote a file."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from lockstep.spark.workspace_text import WorkspaceText
from lockstep_kafka.files.broker_paths import BrokerPaths
from lockstep_kafka.files.request_log import Skipped, read_line
from lockstep_kafka.sessions.broker_follower import BrokerFollower
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

    def follower(self, broker: str, state: bytes | None) -> BrokerFollower:
        """A follower of a broker, from the beginning of its log, or where another one was saved."""
        return BrokerFollower(broker, _explanations(self.workspace), state)


def time_of_line(line: bytes) -> int | None:
    """When a request was written, in milliseconds since 1970; None for what is no request."""
    read = read_line((1, line, True, None), "")
    return None if isinstance(read, Skipped) else read.time_ms


@functools.cache
def _paths(pattern: str | None) -> BrokerPaths:
    return BrokerPaths(pattern)


@functools.cache
def _explanations(workspace: WorkspaceText) -> Explanations:
    return Explanations(loader(workspace.unpacked()))
