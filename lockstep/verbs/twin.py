"""Which models and scopes `twin` compares, and one comparison with its errors kept."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import ExitCode, LockstepError
from lockstep.system.crash import failure_of

if TYPE_CHECKING:
    from lockstep.specs.scopes import ModelSpec, Scope
    from lockstep.twin.twin import TwinResult
    from lockstep.workspace import Workspace

USUAL_SCOPES = ("small", "default")
"""What is compared unless a scope is named."""


@dataclass(frozen=True)
class Request:
    """What was asked for every model and scope alike."""

    max_seconds: float | None = None
    workers: int = 1
    keep: Path | None = None
    liveness: bool = False

    def again(self, model: str, scope: str) -> str:
        """The command that asks the same of one model in one scope."""
        parts = ["lockstep twin", model, "--scope", scope]
        if self.max_seconds is not None:
            parts.append(f"--max-seconds {self.max_seconds:g}")
        if self.workers != 1:
            parts.append(f"--workers {self.workers}")
        if self.keep is not None:
            parts.append(f"--keep {shlex.quote(str(self.keep))}")
        parts += ["--liveness"] * self.liveness
        return " ".join(parts)


@dataclass(frozen=True)
class Task:
    """One model in one scope."""

    spec: ModelSpec
    scope: Scope

    @property
    def model(self) -> str:
        """The model's name."""
        return self.spec.name

    def __str__(self) -> str:
        return f"{self.model} {self.scope.name}"


@dataclass(frozen=True)
class Plan:
    """What is to be compared, in order; `without_twin` are models that have none."""

    tasks: tuple[Task, ...]
    without_twin: tuple[str, ...] = ()


@dataclass(frozen=True)
class Compared:
    """A model and its twin, both explored."""

    task: Task
    result: TwinResult

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        return int(ExitCode.HOLDS if self.result.verdict == "holds" else ExitCode.VIOLATED)


@dataclass(frozen=True)
class Uncompared:
    """A model and its twin of which one cannot be used, or TLC did not see everything."""

    task: Task
    error: LockstepError

    @property
    def exit_code(self) -> int:
        """2 where what was given is wrong, 3 where a bound was met, 70 for lockstep's mistakes."""
        return int(self.error.exit_code)


def make_plan(
    workspace: Workspace, names: Sequence[str], scope: str | None, *, every: bool
) -> Plan:
    """What to compare of the models `names`.

    Each is compared in `scope`, or else in those of `USUAL_SCOPES` that it has. With `every`,
    models without a twin are left out, and named in the plan.

    Raises LockstepError for a twin without its files, a scope that a model lacks, and when nothing
    remains.
    """
    from lockstep.specs.scopes import load_model_spec
    from lockstep.twin.twin import twin_files

    tasks: list[Task] = []
    without: list[str] = []
    for name in names:
        spec = load_model_spec(workspace.root, name)
        if spec.twin is None and every:
            without.append(name)
            continue
        twin_files(workspace.root, spec)
        tasks += [Task(spec, spec.scope(chosen)) for chosen in _scopes(spec, scope)]
    if not tasks:
        raise LockstepError(
            f"no model of the workspace {workspace.name} has a twin",
            cure="write one in tla/ and name it in specs/MODEL.toml: `twin = ...`",
        )
    return Plan(tuple(tasks), tuple(without))


def _scopes(spec: ModelSpec, scope: str | None) -> list[str]:
    if scope is not None:
        return [scope]
    usual = [name for name in USUAL_SCOPES if name in spec.scopes]
    if not usual:
        raise LockstepError(
            f"{spec.name} has neither a scope `small` nor `default`",
            cure="name one with --scope",
        )
    return usual


def compare(workspace: Workspace, task: Task, request: Request) -> Compared | Uncompared:
    """Compare as asked. Errors of this comparison alone are in the result, not raised."""
    from lockstep.report.progress import progress_line
    from lockstep.twin.twin import compare_twin

    try:
        result = compare_twin(
            workspace.root,
            task.spec,
            task.scope,
            workers=request.workers,
            max_seconds=request.max_seconds,
            keep=request.keep,
            liveness=request.liveness,
            watch=lambda title: progress_line(title, task.scope.pins.states),
        )
    except Exception as error:
        return Uncompared(task, failure_of(error, workspace))
    return Compared(task, result)
