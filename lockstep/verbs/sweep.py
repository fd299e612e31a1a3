"""`sweep`: each combination of values of constants, or each seed, is checked as `check` does it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from lockstep.answers.answer import Answer, decode, encode
from lockstep.campaign.processes import Share
from lockstep.campaign.task import Outcome, Task, shown_constant
from lockstep.errors import LockstepError
from lockstep.requests.campaign import MOST, SweepRequest, values_in
from lockstep.requests.check import CheckRequest
from lockstep.requests.option import choose
from lockstep.requests.run import Run, Watch
from lockstep.requests.version import refuse_several, version_of
from lockstep.specs.scopes import ModelSpec, Scope
from lockstep.system.scratch import scratch_folder
from lockstep.trace.itf import traces_folder
from lockstep.verbs.campaign import campaign_rows, report_in_order
from lockstep.verbs.check import check
from lockstep.verbs.check_result import Checked, check_answer
from lockstep.workspace import Workspace, find_workspace


@dataclass(frozen=True)
class SweepPlan:
    """The checks that a request asks for, each with the number of states that it may have."""

    workspace: Workspace
    request: SweepRequest
    tasks: tuple[tuple[Task, int | None], ...]


@dataclass(frozen=True)
class SweepRun(Run[Task, Answer]):
    """The row of each check, in the order of the plan; `pending` are those without one."""

    kept: tuple[Answer, ...] = ()
    """The rows that an earlier run has kept."""


def sweep(
    request: SweepRequest | SweepPlan,
    *,
    on_result: Callable[[Answer], None] = lambda _: None,
    watch: Watch = Watch(),
) -> SweepRun:
    """Check models with every combination of values and seeds, as planned or as requested.

    `on_result` is given each row, in the order of the combinations, as soon as it and those before
    it are there. Errors of one check are in its row. `LockstepError` for a request that cannot be
    met, such as a constant that a model does not have.
    """
    plan = request if isinstance(request, SweepPlan) else plan_sweep(request)
    rows: dict[int, Answer] = {}

    def report(number: int, answers: Sequence[Answer]) -> None:
        (rows[number],) = answers
        on_result(rows[number])

    each = [range(number, number + 1) for number in range(len(plan.tasks))]
    done = campaign_rows(plan.workspace, check_one, plan.tasks, plan.request, watch)
    kept = report_in_order(each, done, report)
    pending = (task for number, (task, _) in enumerate(plan.tasks) if number not in rows)
    return SweepRun(tuple(rows.values()), tuple(pending), tuple(kept))


def plan_sweep(request: SweepRequest) -> SweepPlan:
    """What a request asks for in its workspace; `LockstepError` where it cannot be met."""
    _refuse_contradictions(request)
    workspace = request.workspace or find_workspace()
    models = choose(request.names, workspace)
    refuse_several(models, request)
    tasks = [task for model in models for task in _tasks(workspace, model, request)]
    return SweepPlan(workspace, request, tuple(tasks))


def _refuse_contradictions(request: SweepRequest) -> None:
    if not request.sweeps and request.seeds is None:
        raise LockstepError(
            "no values are given to check with",
            cure="write NAME=2..5 for a constant, or --seeds 1..100 for random walks",
        )
    if request.seeds is not None and request.walks is None:
        raise LockstepError(
            "--seeds are those of random walks", cure="add --simulate N or --hypothesis N"
        )
    for name in request.sweeps:
        if name in request.constants:
            raise LockstepError(
                f"{name} is given by --set and by values to sweep", cure="leave one out"
            )


def _tasks(
    workspace: Workspace, name: str, request: SweepRequest
) -> Iterator[tuple[Task, int | None]]:
    """The checks of one model."""
    version = version_of(workspace, name, request)
    scope = version.spec.scope(request.scope or version.usual_scope)
    base = version.over(scope.constants)
    model = version.load(base)
    values = values_in(model, request.sweeps)
    seeds = [None] if request.seeds is None else request.seeds
    count = math.prod(map(len, values.values())) * len(seeds)
    if count > MOST:
        raise LockstepError(f"these are {count:,} checks of {name}", cure="give fewer values")
    folder = request.save or traces_folder(workspace)
    walks = request.walks
    for combination, seed in product(product(*values.values()), seeds):
        chosen = dict(zip(values, combination, strict=True))
        task = Task(
            kind="check",
            model=name,
            scope=scope.name,
            constants={**request.constants, **chosen},
            engine=request.engine_of_each,
            walks=None if walks is None else walks.count,
            by_hypothesis=walks is not None and walks.by_hypothesis,
            steps=None if walks is None else walks.steps,
            seed=seed,
            save=str(folder),
            **_shared(request),
        )
        growth = math.prod(_size(chosen[one]) / _size(model.constants[one]) for one in chosen)
        expected = _expected_states(version.spec, scope, {**base, **chosen}, growth)
        # What Hypothesis draws takes a time that the number of states says nothing of.
        yield task, None if task.by_hypothesis else expected


_SHARED = (
    *("fault", "proposal", "only", "omitted", "liveness", "symmetry", "max_states", "max_seconds"),
)
"""What a task has as the request of a check has it."""


def _shared(asked: SweepRequest | Task) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in _SHARED}


def _expected_states(
    spec: ModelSpec, scope: Scope, constants: Mapping[str, object], growth: float
) -> int | None:
    """The states of the scope that has these constants, else those of the check's own, grown."""
    for other in spec.scopes.values():
        if other.pins.states is not None and dict(other.constants) == dict(constants):
            return other.pins.states
    return None if scope.pins.states is None else int(scope.pins.states * growth)


def _size(value: object) -> float:
    """What the states may grow with: a number, or the subsets of a list of names."""
    if isinstance(value, tuple | list):
        return float(2 ** min(len(value), 64))
    return float(max(1, value + 1)) if type(value) is int else 1.0


_LONGEST = 200
"""Letters of a file's name, which most systems allow 255 of."""


def check_one(workspace: Path, task: bytes, share: Share, *, watch: Watch = Watch()) -> bytes:
    """Check a model; the encoded outcome. What is wrong with it is in its row."""
    asked = decode(task, Task)
    with scratch_folder("lockstep-check-") as folder:
        request = _request(workspace, asked, share, folder)
        run = check(request, watch=watch)
        if run.pending:
            raise KeyboardInterrupt
        (result,) = run.results
        outcome = Outcome(check_answer(result, request))
        if isinstance(result, Checked) and result.saved is not None:
            outcome.row.trace = None  # the folder goes, and the campaign names the file that stays
            outcome.trace_name = _trace_name(asked, result.saved)
            outcome.trace_text = result.saved.read_text("utf-8")
    return encode(outcome)


def _request(workspace: Path, task: Task, share: Share, folder: Path) -> CheckRequest:
    request = CheckRequest(
        models=(task.model,),
        workspace=Workspace(workspace, workspace.name),
        scope=task.scope,
        engine=task.engine,
        constants=task.constants,
        memory=share.memory,
        spill=None if task.spill is None else Path(task.spill),
        simulate=None if task.by_hypothesis else task.walks,
        hypothesis=task.walks if task.by_hypothesis else None,
        threads=share.threads,
        save=folder,
        **_shared(task),
    )
    if task.steps is not None:
        request = replace(request, steps=task.steps)
    return request if task.seed is None else replace(request, seed=task.seed)


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
