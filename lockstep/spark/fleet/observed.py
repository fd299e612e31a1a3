"""What follows the logs: the pieces of a workspace's follower, on whatever machine a task runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lockstep.conform.broker_paths import BrokerPaths
from lockstep.conform.followers import load_pieces
from lockstep.conform.pieces import Follower, Pieces
from lockstep.language.model import Model, load_model
from lockstep.spark.workspace_text import WorkspaceText


@dataclass(frozen=True)
class Observed:
    """A model to follow logs through; `broker_from` is the pattern that names brokers in paths."""

    workspace: WorkspaceText
    model: str
    broker_from: str | None = None

    @property
    def pieces(self) -> Pieces:
        """The pieces of the model's follower, loaded once a process."""
        return _pieces(self.workspace, self.model)

    @property
    def paths(self) -> BrokerPaths:
        """Which broker a path names."""
        return _paths(self.broker_from)

    @property
    def time_of_line(self) -> Callable[[bytes], int | None]:
        """When a request was written, in milliseconds since 1970; None for what is no request."""
        pieces = self.pieces  # loaded here and now: threads may call the function

        def time_of(line: bytes) -> int | None:
            read = pieces.read_line((1, line, True, None), "")
            time: int | None = None if isinstance(read, pieces.Skipped) else read.time_ms
            return time

        return time_of

    def follower(self, broker: str, state: bytes | None) -> Follower:
        """A follower of a broker, from the beginning of its log, or where another one was saved."""
        return self.pieces.BrokerFollower(broker, _explanations(self.workspace, self.model), state)


@functools.cache
def _pieces(workspace: WorkspaceText, model: str) -> Pieces:
    return load_pieces(workspace.unpacked(), model)


@functools.cache
def _paths(pattern: str | None) -> BrokerPaths:
    return BrokerPaths(pattern)


@functools.cache
def _explanations(workspace: WorkspaceText, model: str) -> Any:
    def load(constants: Mapping[str, object]) -> Model:
        return load_model(workspace.unpacked(), model, constants)

    return _pieces(workspace, model).Explanations(load)
