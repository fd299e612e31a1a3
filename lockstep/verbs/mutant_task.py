"""The task of one mutant: it is held against its model, which each process explores once."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path

from lockstep.campaign.place import Share
from lockstep.campaign.task import Outcome, Row, Task, decode, encode
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
        with watch.search(asked.name, None):
            return encode(Outcome(_row(workspace, asked, share)))
    except Exception as error:
        failure = failure_of(error, Workspace(workspace, workspace.name))
        verdict = str(verdict_without(failure))
        code = int(failure.exit_code)
        row = Row.of(asked, verdict=verdict, error=str(failure), exit_code=code)
        return encode(Outcome(row))


def _row(workspace: Path, task: Task, share: Share) -> Row:
    began = time.perf_counter()
    bounds = Bounds(task.max_states, task.max_seconds, memory=share.memory)
    judge, mutants = _judge(workspace, task.model, task.scope, task.text, task.engine, bounds)
    assert task.mutant is not None
    judged = judge.judge(mutants[task.mutant])
    return row_of(task, judged, time.perf_counter() - began)


@lru_cache(maxsize=1)
def _judge(
    workspace: Path, model: str, scope: str, text: str, engine: str, bounds: Bounds
) -> tuple[Judge, dict[str, Mutant]]:
    """Who judges the mutants of a model; `text` stands for all that is read for it."""
    spec = load_model_spec(workspace, model)
    loaded = load_model(workspace, model, spec.scope(scope).constants)
    request = Exploration(engine, bounds, deadlock_allowed=spec.deadlock_allowed)
    judge = Judge(loaded, request, spec.environment)
    return judge, {mutant.name: mutant for mutant in mutants_of(loaded)}
