"""Holds request logs of a running system against a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.conform.findings import (
    CONFORMS,
    DEPARTS,
    UNKNOWN,
    LoadModel,
    LogFindings,
    Observe,
    SessionFinding,
    Unused,
)
from lockstep.conform.followers import load_follower
from lockstep.errors import ExitCode, LockstepError
from lockstep.language.inventory import FOLLOWERS
from lockstep.language.model import Model, load_model
from lockstep.verbs.conform_request import ConformRequest
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import Workspace, find_workspace

__all__ = ["ConformRequest", "ConformResult", "conform"]


@dataclass(frozen=True)
class ConformResult:
    """What came of some logs, each in the order of the request."""

    model: str
    logs: tuple[LogFindings, ...]

    @property
    def sessions(self) -> list[SessionFinding]:
        """The verdicts, log by log."""
        return [session for log in self.logs for session in log.sessions]

    @property
    def unused(self) -> list[Unused]:
        """The lines that say nothing about any session."""
        return [line for log in self.logs for line in log.unused]

    @property
    def reordered(self) -> list[Unused]:
        """The lines that stood out of order."""
        return [line for log in self.logs for line in log.reordered]

    @property
    def totals(self) -> dict[str, int]:
        """Sessions by verdict; lines that were followed, were of no use, stood out of order."""
        verdicts = [session.verdict for session in self.sessions]
        return {
            **{verdict: verdicts.count(verdict) for verdict in (CONFORMS, DEPARTS, UNKNOWN)},
            "lines": sum(session.lines for session in self.sessions),
            "unused": len(self.unused),
            "reordered": len(self.reordered),
        }

    @property
    def exit_code(self) -> ExitCode:
        """1 where a session departs; 3 where one is unknown, or there is none; 0 otherwise."""
        totals = self.totals
        if totals[DEPARTS]:
            return ExitCode.VIOLATED
        return ExitCode.HOLDS if totals[CONFORMS] and not totals[UNKNOWN] else ExitCode.INCONCLUSIVE


def conform(request: ConformRequest, *, watch: Watch = Unwatched()) -> ConformResult:
    """Follow each session of the logs through the model.

    `LockstepError` when a log cannot be read, or no follower of the model can be used.
    """
    workspace = request.workspace or find_workspace()
    name = _followed(workspace, request.model)
    observe = load_follower(workspace.root, name)

    def load(constants: Mapping[str, object]) -> Model:
        return load_model(workspace.root, name, constants)

    findings = []
    with watch.steps(f"conform {name}") as on_step:
        for log in request.logs:
            on_step(str(log))
            findings.append(_follow(observe, name, log, load))
    return ConformResult(name, tuple(findings))


def _follow(observe: Observe, model: str, log: Path, load: LoadModel) -> LogFindings:
    try:
        return observe(log, load)
    except OSError as error:
        raise LockstepError(f"{log} cannot be read: {error.strerror or error}") from None
    except SystemExit as error:
        raise LockstepError(
            f"{FOLLOWERS}/{model}.py ends the process on {log} (SystemExit: {error})",
            cure="let it raise a LockstepError that says what is wrong with the log",
        ) from None


def _followed(workspace: Workspace, model: str | None) -> str:
    """The model to follow, where it is clear which one."""
    followers = workspace.followers()
    if model is None and len(followers) == 1:
        return followers[0]
    if model is None or model not in followers:
        several = "several models can" if followers else "no model can"
        raise LockstepError(
            f"{several if model is None else f'{model} cannot'} be followed through a log",
            cure=f"name one of: {', '.join(followers) or f'none has {FOLLOWERS}/MODEL.py'}",
        )
    return model
