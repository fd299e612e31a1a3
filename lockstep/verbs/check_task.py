"""The task of one check among many: the model is checked as `check` does it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from lockstep.answers.answer import decode, encode
from lockstep.campaign.place import Share
from lockstep.campaign.task import Outcome, Task, answer_to, shown_constant
from lockstep.system.scratch import scratch_folder
from lockstep.verbs.check import check
from lockstep.verbs.check_request import CheckRequest
from lockstep.verbs.check_result import Checked, Unchecked
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import Workspace

_LONGEST = 200
"""Letters of a file's name, which most systems allow 255 of."""


def check_one(workspace: Path, task: bytes, share: Share, *, watch: Watch = Unwatched()) -> bytes:
    """Check a model; the encoded outcome. What is wrong with it is in its row."""
    asked = decode(task, Task)
    with scratch_folder("lockstep-check-") as folder:
        run = check(_request(workspace, asked, share, folder), watch=watch)
        if run.pending:
            raise KeyboardInterrupt
        (result,) = run.results
        if isinstance(result, Unchecked):
            error = str(result.error)
            verdict, code = str(result.verdict), result.exit_code
            outcome = Outcome(answer_to(asked, verdict=verdict, error=error, exit_code=code))
        else:
            outcome = _outcome(asked, result)
    return encode(outcome)


def _request(workspace: Path, task: Task, share: Share, folder: Path) -> CheckRequest:
    request = CheckRequest(
        models=(task.model,),
        workspace=Workspace(workspace, workspace.name),
        scope=task.scope,
        engine=task.engine,
        constants=task.constants,
        only=task.only,
        omitted=task.omitted,
        max_states=task.max_states,
        max_seconds=task.max_seconds,
        memory=share.memory,
        spill=None if task.spill is None else Path(task.spill),
        fault=task.fault,
        proposal=task.proposal,
        symmetry=task.symmetry,
        liveness=task.liveness,
        simulate=None if task.by_hypothesis else task.walks,
        hypothesis=task.walks if task.by_hypothesis else None,
        threads=share.threads,
        save=folder,
    )
    if task.steps is not None:
        request = replace(request, steps=task.steps)
    return request if task.seed is None else replace(request, seed=task.seed)


def _outcome(task: Task, checked: Checked) -> Outcome:
    result, trace = checked.result, checked.trace
    row = answer_to(
        task,
        result,
        verdict=str(checked.verdict),
        violated=next(iter(result.violated), None),
        length=None if trace is None else len(trace.steps),
        because=checked.judgement.because,
        exit_code=checked.exit_code,
    )
    if checked.saved is None:
        return Outcome(row)
    return Outcome(row, _trace_name(task, checked.saved), checked.saved.read_text("utf-8"))


def _trace_name(task: Task, saved: Path) -> str:
    """The name that `check` gives the file, with what makes the task another one."""
    values = [f"{name}={shown_constant(value)}" for name, value in task.constants.items()]
    seed = [] if task.seed is None else [f"seed={task.seed}"]
    name = saved.name.removesuffix(".itf.json")
    parts = (re.sub(r"[^\w=.,-]+", "_", part) for part in (*values, *seed))
    whole = "-".join([name, *parts])
    if len(whole) > _LONGEST:
        whole = f"{whole[:_LONGEST]}-{task.digest[:12]}"
    return f"{whole}.itf.json"
