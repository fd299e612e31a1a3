"""The task of one mutant: it is held against its model, which each process explores once."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from lockstep.campaign.place import Share
from lockstep.campaign.task import Outcome, Row, Task, decode, encode
from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.mutants.judge import Judge
from lockstep.mutants.mutant import Mutant, mutants_of
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.verdict import verdict_without
from lockstep.specs.scopes import load_model_spec
from lockstep.system.crash import failure_of
from lockstep.verbs.mutant_row import row_of
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import Workspace


def judge_mutant(
    workspace: Path, task: bytes, share: Share, *, watch: Watch = Unwatched()
) -> bytes:
    """Judge a mutant; the encoded outcome. What is wrong with it is in its row."""
    asked = decode(task, Task)
    try:
        return encode(Outcome(_row(workspace, asked, share, watch)))
    except Exception as error:
        failure = failure_of(error, Workspace(workspace, workspace.name))
        verdict = str(verdict_without(failure))
        code = int(failure.exit_code)
        row = Row.of(asked, verdict=verdict, error=str(failure), exit_code=code)
        return encode(Outcome(row))


def _row(workspace: Path, task: Task, share: Share, watch: Watch) -> Row:
    began = time.perf_counter()
    bounds = Bounds(task.max_states, task.max_seconds, memory=share.memory)
    made = _judge(
        workspace, task.model, task.scope, task.text, task.engine, bounds, _Watched(watch)
    )
    if isinstance(made, LockstepError):
        raise made
    judge, mutants = made
    assert task.mutant is not None
    with watch.search(task.name, None):
        judged = judge.judge(mutants[task.mutant])
    return row_of(task, judged, time.perf_counter() - began)


@dataclass(frozen=True)
class _Watched:
    """Who looks on, which makes no difference to what is judged."""

    watch: Watch = field(compare=False)


@lru_cache(maxsize=1)
def _judge(
    workspace: Path,
    model: str,
    scope: str,
    text: str,
    engine: str,
    bounds: Bounds,
    watched: _Watched,
) -> tuple[Judge, dict[str, Mutant]] | LockstepError:
    """Who judges the mutants of a model; `text` stands for all that is read for it.

    Why nobody can is remembered as well: the model is explored no second time for that.
    """
    spec = load_model_spec(workspace, model)
    pins = spec.scope(scope).pins
    loaded = load_model(workspace, model, spec.scope(scope).constants)
    with watched.watch.search(f"{model} {scope}, without a change", pins.states) as on_progress:
        request = Exploration(
            engine, bounds, deadlock_allowed=spec.deadlock_allowed, on_progress=on_progress
        )
        try:
            judge = Judge(loaded, request, spec.environment)
        except LockstepError as error:
            return error
    return judge, {mutant.name: mutant for mutant in mutants_of(loaded)}
