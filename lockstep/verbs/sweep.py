"""`sweep`: many checks of the same models, and one table of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from lockstep.answers.answer import Answer
from lockstep.campaign.task import Task
from lockstep.errors import LockstepError
from lockstep.specs.scopes import ModelSpec, Scope, load_model_spec
from lockstep.trace.saving import traces_folder
from lockstep.verbs.campaign import campaign_rows
from lockstep.verbs.campaign_request import CampaignRequest, Resources
from lockstep.verbs.check import usual_scope
from lockstep.verbs.check_request import JudgedRequest
from lockstep.verbs.check_task import check_one
from lockstep.verbs.models import choose
from lockstep.verbs.option import given_flags
from lockstep.verbs.run import Run, Unwatched, Watch
from lockstep.verbs.sweep_values import MOST, values_in
from lockstep.verbs.version import Version
from lockstep.workspace import Workspace, find_workspace

_OF_ONE_CHECK = ("--all", "--changed", "--checkpoint", "--mutant", "--pin", "--seed", "--spill")
"""What says nothing of many checks at once."""


@dataclass(frozen=True)
class SweepPlan:
    """The checks that a request comes to, each with the number of states that it may have."""

    workspace: Workspace
    resources: Resources
    constants: tuple[str, ...]
    """The names of the constants of which there are several values."""
    tasks: tuple[tuple[Task, int | None], ...]


@dataclass(frozen=True)
class SweepRun(Run[Task, Answer]):
    """The row of each check, in the order of the plan; `pending` are those without one."""

    kept: tuple[Answer, ...] = ()
    """The rows that an earlier run has kept."""


def sweep(
    request: JudgedRequest,
    campaign: CampaignRequest,
    *,
    on_result: Callable[[Answer], None] = lambda _: None,
    watch: Watch = Unwatched(),
) -> SweepRun:
    """Check models with every combination of values and seeds, on all cores.

    `on_result` is given each row, in the order of the combinations, as soon as it and those before
    it are there. Errors of one check are in its row. `LockstepError` for a request that cannot be
    met, such as a constant that a model does not have.
    """
    return run_sweep(plan_sweep(request, campaign), on_result=on_result, watch=watch)


def plan_sweep(request: JudgedRequest, campaign: CampaignRequest) -> SweepPlan:
    """What a request comes to in its workspace; `LockstepError` where it cannot be met."""
    _refuse_contradictions(request, campaign)
    workspace = request.workspace or find_workspace()
    models = choose(request.models, workspace)
    if request.fault is not None and len(models) != 1:
        raise LockstepError("--fault is a fault of one model", cure="name the model before it")
    if request.proposal is not None and len(models) != 1:
        raise LockstepError("--proposal is a change of one model", cure="name the model before it")
    tasks = [task for model in models for task in _tasks(workspace, model, request, campaign)]
    exploration, master = request.exploration, request.master
    resources = Resources(exploration, master, campaign.results, anew=request.anew)
    return SweepPlan(workspace, resources, tuple(campaign.sweeps), tuple(tasks))


def run_sweep(
    plan: SweepPlan,
    *,
    on_result: Callable[[Answer], None] = lambda _: None,
    watch: Watch = Unwatched(),
) -> SweepRun:
    """Do what was planned."""
    rows: dict[int, Answer] = {}
    kept, following = [], 0
    try:
        for done in campaign_rows(plan.workspace, check_one, plan.tasks, plan.resources, watch):
            rows[done.number] = done.row
            kept += [done.row] * done.is_kept
            while following in rows:
                on_result(rows[following])
                following += 1
    except KeyboardInterrupt:
        for number in sorted(rows):
            if number >= following:
                on_result(rows[number])
    pending = (task for number, (task, _) in enumerate(plan.tasks) if number not in rows)
    return SweepRun(tuple(rows[number] for number in sorted(rows)), tuple(pending), tuple(kept))


def _refuse_contradictions(request: JudgedRequest, campaign: CampaignRequest) -> None:
    for flag in given_flags(request):
        if flag in _OF_ONE_CHECK:
            raise LockstepError(f"{flag} is for one check, and not for many", cure="leave it out")
    if campaign.seeds is not None and request.walks is None:
        raise LockstepError(
            "--seeds are those of random walks", cure="add --simulate N or --hypothesis N"
        )
    for name in campaign.sweeps:
        if name in request.constants:
            raise LockstepError(
                f"{name} is given by --set and by values to sweep", cure="leave one out"
            )


def _tasks(
    workspace: Workspace, name: str, request: JudgedRequest, campaign: CampaignRequest
) -> Iterator[tuple[Task, int | None]]:
    """The checks of one model."""
    spec = load_model_spec(workspace.root, name)
    scope = spec.scope(request.scope or usual_scope(workspace, name, request.fault))
    version = Version(workspace, name, request.fault, request.proposal, request.constants)
    base = version.over(scope.constants)
    model = version.load(base)
    values = values_in(model, campaign.sweeps)
    seeds = [None] if campaign.seeds is None else campaign.seeds
    count = math.prod(map(len, values.values())) * len(seeds)
    if count > MOST:
        raise LockstepError(f"these are {count:,} checks of {name}", cure="give fewer values")
    folder = request.save or traces_folder(workspace)
    bounds, walks = request.exploration.bounds, request.walks
    for combination, seed in product(product(*values.values()), seeds):
        chosen = dict(zip(values, combination, strict=True))
        task = Task(
            kind="check",
            model=name,
            scope=scope.name,
            fault=request.fault,
            proposal=request.proposal,
            constants={**request.constants, **chosen},
            engine=Resources(request.exploration).engine,
            only=request.only,
            omitted=request.omitted,
            liveness=request.liveness,
            symmetry=request.symmetry,
            walks=None if walks is None else walks.count,
            by_hypothesis=walks is not None and walks.by_hypothesis,
            steps=None if walks is None else walks.steps,
            seed=seed,
            max_states=bounds.max_states,
            max_seconds=bounds.max_seconds,
            save=str(folder),
        )
        growth = math.prod(_size(chosen[one]) / _size(model.constants[one]) for one in chosen)
        expected = _expected_states(spec, scope, {**base, **chosen}, growth)
        # What Hypothesis draws takes a time that the number of states says nothing of.
        yield task, None if task.by_hypothesis else expected


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
