"""`mutants`: makes small changes to models, and sees whether anything tells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TypeAlias

from lockstep.answers.store import texts_of
from lockstep.campaign.task import Task
from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.mutants.mutant import mutants_of
from lockstep.results.verdict import Verdict
from lockstep.specs.judgement import check_declarations
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, Scope, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.verbs.campaign import campaign_rows
from lockstep.verbs.campaign_request import MutantsRequest, Resources
from lockstep.verbs.collection import ModelsRun, Planned, run_models
from lockstep.verbs.models import choose
from lockstep.verbs.mutant_task import judge_mutant
from lockstep.verbs.mutants_of_model import MutantsOfModel
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import Workspace, find_workspace

__all__ = ["MutantsRequest", "MutantsRun", "mutants", "plan_mutants"]

MutantsRun: TypeAlias = ModelsRun[MutantsOfModel]
"""The mutants of each model."""


def mutants(
    request: MutantsRequest = MutantsRequest(),
    *,
    on_result: Callable[[MutantsOfModel], None] = lambda _: None,
    watch: Watch = Unwatched(),
) -> MutantsRun:
    """Judge every mutant of some models, on all cores.

    `on_result` is told of each model, in the order of the models, as soon as it and those before it
    are done. What is wrong with one model is in its result, and the others are judged.
    """
    workspace = request.workspace or find_workspace()
    return run_models(
        choose(request.models, workspace),
        lambda name: plan_mutants(workspace, request, name),
        lambda tasks: campaign_rows(workspace, judge_mutant, tasks, request.budget, watch),
        on_result,
    )


def plan_mutants(
    workspace: Workspace, request: MutantsRequest, name: str
) -> tuple[MutantsOfModel, list[Planned]]:
    """The tasks of a model, one a mutant. What is wrong with it is in its result."""
    result = MutantsOfModel(name, request.scope)
    try:
        spec = load_model_spec(workspace.root, name)
        scope = spec.scope(request.scope)
        if scope.pins.verdict == Verdict.VIOLATED:
            raise LockstepError(
                f"{name} does not hold itself in scope {scope.name}: it is pinned as violated",
                cure="name a scope that holds with --scope: there is nothing to hold mutants to",
            )
        model = load_model(workspace.root, name, scope.constants)
        check_declarations(model, spec)
        tasks = _tasks(model, spec, scope, request.budget)
    except Exception as error:
        result.errors.append(failure_of(error, workspace))
        return result, []
    result.reasons, result.is_default = spec.mutants, scope.name == DEFAULT_SCOPE
    return result, [(task, scope.pins.states) for task in tasks]


def _tasks(model: Model, spec: ModelSpec, scope: Scope, resources: Resources) -> list[Task]:
    bounds = resources.exploration.bounds
    text = _digest(model, spec, scope)
    return [
        Task(
            kind="mutant",
            model=model.name,
            scope=scope.name,
            mutant=mutant.name,
            text=text,
            engine=resources.engine,
            max_states=bounds.max_states,
            max_seconds=bounds.max_seconds,
        )
        for mutant in mutants_of(model)
    ]


def _digest(model: Model, spec: ModelSpec, scope: Scope) -> str:
    """A number that is another one when anything is that the fate of a mutant depends on.

    Why a mutant survives is no part of it: an explanation that is added leaves every row as it is.
    """
    document = {
        "texts": texts_of(model),
        "constants": {name: repr(value) for name, value in scope.constants.items()},
        "deadlock_allowed": spec.deadlock_allowed,
        "environment": sorted(spec.environment),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
